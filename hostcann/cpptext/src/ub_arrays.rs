//! Arrays of the unified buffer: `__ubuf__ float x[8];` in a function is memory of the core, not of its stack.

use crate::{Kind, Token, closing, tokens};

/// Declares such an array as an object of the toolkit, `UbArray<float[8]> x;`. `mark` is how the text spells the
/// address space; before anything but an array it becomes `other`.
#[must_use]
pub fn ub_arrays(text: &str, mark: &str, other: &str) -> String {
    let tokens: Vec<Token> = tokens(text);
    let mut new = String::with_capacity(text.len());
    let mut done = 0;
    for at in (0..tokens.len()).filter(|&at| tokens[at].is(mark) && tokens[at].kind == Kind::Word) {
        new.push_str(&text[done..tokens[at].at]);
        if let Some((name, end)) = array(&tokens, at + 1) {
            let (kind, extents) =
                (&text[tokens[at + 1].at..tokens[name].at], &text[tokens[name].end()..tokens[end].at]);
            new.push_str(&format!("::AscendC::hostcann::UbArray<{}{extents}> {}", kind.trim_end(), tokens[name].text));
            done = tokens[end].at;
        } else {
            new.push_str(other);
            done = tokens[at].end();
        }
    }
    new.push_str(&text[done..]);
    new
}

/// The tokens of the name and of the `;` of `type name[…]…;` that begins here.
fn array(tokens: &[Token], first: usize) -> Option<(usize, usize)> {
    let of_type = |token: &Token| token.kind == Kind::Word || ["::", "<", ">"].iter().any(|mark| token.is(mark));
    let end = first + tokens[first..].iter().take_while(|token| of_type(token)).count();
    let name = end.checked_sub(1).filter(|&name| name > first && tokens[name].kind == Kind::Word)?;
    let mut at = end;
    while tokens.get(at)?.is("[") {
        at = closing(tokens, at)? + 1;
    }
    (at > end && tokens.get(at)?.is(";")).then_some((name, at))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_alone_are_objects() {
        let text = "void f(UB float* p) {\n  UB float x[N * 2];\n  UB const ns::V<int> y[2][3]; UB half* list[16];\n  (UB void*)x; }";
        let new = "void f( float* p) {\n  ::AscendC::hostcann::UbArray<float[N * 2]> x;\n  \
                   ::AscendC::hostcann::UbArray<const ns::V<int>[2][3]> y;  half* list[16];\n  ( void*)x; }";
        assert_eq!(ub_arrays(text, "UB", ""), new);
        assert_eq!(ub_arrays("UB int x;", "UB", "UB"), "UB int x;");
    }
}
