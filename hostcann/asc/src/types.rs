//! `__cube__` and `__mix__(1, 2)`: the cores of a kernel, which its first statement names.

use cpptext::{closing, tokens};

/// What the marks expand to, and the numbers of the kernel types.
const MARKS: [(&str, u32); 3] =
    [("HOSTCANN_TYPE_AIC_ONLY", 1), ("HOSTCANN_TYPE_MIX_AIC_1_1", 4), ("HOSTCANN_TYPE_MIX_AIC_1_2", 5)];

/// The text without the marks, and the call at the start of every marked definition.
pub fn named(text: &str) -> String {
    if !MARKS.iter().any(|(mark, _)| text.contains(mark)) {
        return text.to_owned();
    }
    let all = tokens(text);
    let mut new = String::with_capacity(text.len() + 64);
    let mut done = 0;
    let mut pending = None;
    let mut at = 0;
    while let Some(token) = all.get(at) {
        if let Some((_, number)) = MARKS.iter().find(|(mark, _)| token.is(mark)) {
            new.push_str(&text[done..token.at]);
            (done, pending) = (token.end(), Some(*number));
        } else if token.is("(") && pending.is_some() {
            at = closing(&all, at).unwrap_or(at);
        } else if token.is(";") {
            pending = None;
        } else if token.is("{")
            && let Some(number) = pending.take()
        {
            new.push_str(&text[done..token.end()]);
            new.push_str(&format!(" ::aic_kernel_type({number}, 0);"));
            done = token.end();
        }
        at += 1;
    }
    new.push_str(&text[done..]);
    new
}

#[cfg(test)]
mod tests {
    use super::named;

    #[test]
    fn a_definition_names_its_type() {
        let text = "HOSTCANN_KERNEL HOSTCANN_TYPE_MIX_AIC_1_2 void a(int x, T y = {});\n\
                    template <int n> HOSTCANN_TYPE_AIC_ONLY __attribute__((x)) void b(int x, T y = {}) { if (x) {} }\n\
                    HOSTCANN_TYPE_MIX_AIC_1_1\nvoid c() {}\nvoid d() {}\n";
        let want = "HOSTCANN_KERNEL  void a(int x, T y = {});\n\
                    template <int n>  __attribute__((x)) void b(int x, T y = {}) { ::aic_kernel_type(1, 0); if (x) {} }\n\
                    \nvoid c() { ::aic_kernel_type(4, 0);}\nvoid d() {}\n";
        assert_eq!(named(text), want);
        assert_eq!(named("void d() {}"), "void d() {}");
    }
}
