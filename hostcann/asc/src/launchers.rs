//! Functions of the host in a file of kernels that could not be compiled. Those that launch a kernel keep their names, so that
//! a program that calls them loads; a call reports what is missing.

use cpptext::{Kind, Token, closing, tokens};

/// What opens the scopes around a definition; None: it does not stand at the top, or in namespaces.
type Scopes<'t> = Vec<Option<&'t str>>;

/// Definitions for the functions of a plain text that hold a `<<<`, each with the report in place of its body.
pub fn stand_ins(text: &str, report: impl Fn(&str) -> String) -> String {
    let all: Vec<Token> = tokens(text).into_iter().filter(|token| token.directive.is_none()).collect();
    let mut made = String::new();
    let mut scopes: Scopes = Vec::new();
    let (mut start, mut at) = (0, 0);
    while at < all.len() {
        if all[at].is("{") {
            let head = &all[start..at];
            if let (Some(around), Some(name), Some(close)) = (opened(&scopes), function(head), closing(&all, at))
                && launches(&all[at..close])
            {
                let head = &text[head[0].at..head[head.len() - 1].end()];
                let returned = || all[start..at].iter().take_while(|token| token.at < name.at);
                let is_void = returned().any(|token| token.is("void")) && !returned().any(|token| token.is("*"));
                let value = if is_void { "" } else { " {}" };
                made.push_str(&format!(
                    "{around}{head}\n{{\n{}    return{value};\n}}\n{}\n",
                    report(name.text),
                    "}".repeat(scopes.len())
                ));
                at = close;
            } else {
                scopes.push(scope(head, text));
            }
        } else if all[at].is("}") {
            scopes.pop();
        }
        if ["{", "}", ";"].iter().any(|mark| all[at].is(mark)) {
            start = at + 1;
        }
        at += 1;
    }
    made
}

/// `namespace a` and `extern "C"`, which a definition is repeated in.
fn scope<'t>(head: &[Token], text: &'t str) -> Option<&'t str> {
    let (first, last) = (head.first()?, head.last()?);
    let is_linkage = first.is("extern") && last.kind != Kind::Word && head.len() == 2;
    (first.is("namespace") && head.len() > 1 || is_linkage).then(|| &text[first.at..last.end()])
}

fn opened(scopes: &Scopes) -> Option<String> {
    scopes.iter().map(|scope| scope.map(|scope| format!("{scope} {{ "))).collect()
}

/// The name of a function that other files may call.
fn function<'t, 'a>(head: &'t [Token<'a>]) -> Option<&'t Token<'a>> {
    let hidden = ["template", "static", "inline", "__global__", "__aicore__", "operator", "="];
    if head.iter().any(|token| hidden.iter().any(|word| token.is(word))) {
        return None;
    }
    let open = head.iter().position(|token| token.is("("))?;
    let name = head.get(open.checked_sub(1)?)?;
    (open > 1 && name.kind == Kind::Word && closing(head, open)? + 1 == head.len()).then_some(name)
}

fn launches(body: &[Token]) -> bool {
    body.windows(3).any(|part| part.iter().all(|token| token.is("<")) && part[2].end() - part[0].at == 3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_that_launch() {
        let text = "#include \"none.h\"\n#define M(x) x {\nnamespace a { namespace b {\n\
                    extern void run(void* stream, const uint32_t blocks)\n{\n    k<<<blocks, nullptr, stream>>>(1);\n}\n\
                    static void own() { k<<<1, nullptr, nullptr>>>(1); }\nvoid quiet() { f(); }\n} }\n\
                    extern \"C\" int other(int x) { k<<<x, nullptr, nullptr>>>(1); return 0; }\n\
                    class C { void member() { k<<<1, nullptr, nullptr>>>(1); } };\n\
                    template <typename T> void generic() { k<<<1, nullptr, nullptr>>>(T(1)); }\n";
        let made = stand_ins(text, |name| format!("    say(\"{name}\");\n"));
        let want = "namespace a { namespace b { extern void run(void* stream, const \
                    uint32_t blocks)\n{\n    say(\"run\");\n    return;\n}\n}}\n\
                    extern \"C\" int other(int x)\n{\n    say(\"other\");\n    \
                    return {};\n}\n\n";
        assert_eq!(made, want);
    }
}
