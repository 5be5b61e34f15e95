//! `kernel<T><<<blocks, ub, stream>>>(args)` becomes a call of hostcann/direct_launch.h, in place: every token keeps its
//! line.

use cpptext::{Kind, Token, closing, split, tokens};

/// A launch that cannot be understood.
#[derive(Debug, PartialEq, Eq)]
pub struct Wrong {
    pub file: String,
    pub line: usize,
    pub message: String,
}

/// The text with every launch replaced, or None when it has none.
pub fn rewrite(text: &str) -> Result<Option<String>, Wrong> {
    let all = tokens(text);
    let mut edits = Vec::new();
    for at in 0..all.len() {
        if !opens(&all, at) {
            continue;
        }
        let wrong = |message: &str| place(text, all[at].at, message);
        let start = kernel(&all, at).ok_or_else(|| wrong("`<<<` without the name of a kernel in front of it"))?;
        let close = closes(&all, at + 3).ok_or_else(|| wrong("`<<<` without a matching `>>>(`"))?;
        let count = split(&all[at + 3..close]).len();
        if !(2..=3).contains(&count) {
            let message = format!(
                "`<<<…>>>` has {count} arguments, expected <<<blocks, ub_size, stream>>>; a grid of threads (SIMT) is not \
                 modelled"
            );
            return Err(wrong(&message));
        }
        let name = &text[all[start].at..all[at - 1].end()];
        let lambda = format!("[=](auto&&... hc_args) -> decltype({}(hc_args...)) {{ ", one_line(name));
        edits.push((all[start].at, all[start].at, format!("::hostcann::Kernel({lambda}")));
        let call = format!("(hc_args...); }}, {}).On(", literal(name));
        edits.push((all[at].at, all[at + 2].end(), call));
        edits.push((all[close].at, all[close + 2].end(), ")".to_owned()));
        edits.extend(
            nulls(&all, close + 3).into_iter().map(|token| (token.at, token.end(), "::hostcann::Null{}".to_owned())),
        );
    }
    if edits.is_empty() {
        return Ok(None);
    }
    // The kernel of a launch may hold another one's arguments.
    edits.sort_by_key(|(from, to, _)| (*from, *to));
    let mut new = String::with_capacity(text.len() + edits.len() * 64);
    let mut done = 0;
    for (from, to, with) in edits {
        new.push_str(&text[done..from]);
        new.push_str(&with);
        done = to;
    }
    new.push_str(&text[done..]);
    Ok(Some(new))
}

/// Three of a kind without anything between them.
fn three(all: &[Token], at: usize, mark: &str) -> bool {
    let part = all.get(at..at + 3);
    part.is_some_and(|part| part.iter().all(|token| token.is(mark)) && part[2].end() - part[0].at == 3)
}

/// The first `<` of `<<<`, not of `operator<<<T>`.
fn opens(all: &[Token], at: usize) -> bool {
    three(all, at, "<")
        && at > 0
        && !all[at - 1].is("operator")
        && !(all[at - 1].is("<") && all[at - 1].end() == all[at].at)
}

/// Where the kernel's name begins: `a::b<c<1>, (2 > 1)>` in front of `at`.
fn kernel(all: &[Token], at: usize) -> Option<usize> {
    if at > 0 && all[at - 1].is(")") {
        return in_brackets(all, at - 1);
    }
    let mut end = at;
    loop {
        let mut name = end.checked_sub(1)?;
        if all[name].is(">") {
            name = template(all, name)?.checked_sub(1)?;
        }
        if all[name].kind != Kind::Word {
            return None;
        }
        let Some(before) = name.checked_sub(1) else { return Some(name) };
        if all[before].is("template") && before > 0 && all[before - 1].is("::") {
            end = before - 1;
            continue;
        }
        if !all[before].is("::") {
            // A member would have to be called on an object.
            return (!all[before].is(".") && !all[before].is("->")).then_some(name);
        }
        // `::a`, and `return ::a`
        let Some(scope) = before.checked_sub(1) else { return Some(before) };
        if !(all[scope].is(">") || all[scope].kind == Kind::Word) || is_keyword(all[scope].text) {
            return Some(before);
        }
        end = before;
    }
}

/// `(kernel<T, 2>)`, as a macro needs it; not the arguments of a call.
fn in_brackets(all: &[Token], end: usize) -> Option<usize> {
    let open = bracket(all, end)?;
    let Some(before) = open.checked_sub(1).map(|before| all[before]) else { return Some(open) };
    let called = before.kind == Kind::Word && !is_keyword(before.text);
    (!called && ![">", ")", "]"].iter().any(|mark| before.is(mark))).then_some(open)
}

fn is_keyword(word: &str) -> bool {
    ["return", "else", "do", "case", "co_return", "throw"].contains(&word)
}

/// The `<` that belongs to the `>` at `end`.
fn template(all: &[Token], end: usize) -> Option<usize> {
    let mut depth = 0_usize;
    let mut at = end;
    loop {
        let token = &all[at];
        if token.is(">") {
            depth += 1;
        } else if token.is("<") {
            depth -= 1;
            if depth == 0 {
                return Some(at);
            }
        } else if token.closes() {
            at = bracket(all, at)?;
        } else if [";", "(", "[", "{"].iter().any(|mark| token.is(mark)) {
            return None;
        }
        at = at.checked_sub(1)?;
    }
}

/// The opening bracket that belongs to the closing one at `end`.
fn bracket(all: &[Token], end: usize) -> Option<usize> {
    let mut depth = 0_usize;
    for at in (0..=end).rev() {
        if all[at].closes() {
            depth += 1;
        } else if all[at].opens() {
            depth -= 1;
            if depth == 0 {
                return Some(at);
            }
        }
    }
    None
}

/// The first `>` of `>>>(`: the last one before the statement or the brackets around it end, since template arguments
/// may end so as well. Another launch ends the search.
fn closes(all: &[Token], from: usize) -> Option<usize> {
    let mut depth = 0_usize;
    let mut found = None;
    let mut at = from;
    while let Some(token) = all.get(at) {
        if token.opens() {
            depth += 1;
        } else if token.closes() {
            let Some(less) = depth.checked_sub(1) else { break };
            depth = less;
        } else if depth == 0 && (token.is(";") || opens(all, at)) {
            break;
        } else if depth == 0 && three(all, at, ">") && all.get(at + 3).is_some_and(|next| next.is("(")) {
            found = Some(at);
            at += 3;
            continue;
        }
        at += 1;
    }
    found
}

/// Arguments that are nothing but `0` or NULL: they may be pointers, but a variable that holds them is none.
fn nulls<'a>(all: &[Token<'a>], open: usize) -> Vec<Token<'a>> {
    let close = closing(all, open).unwrap_or(open + 1);
    let null = |part: &[Token<'a>]| match *part {
        [one] if one.text == "0" || one.is("__null") || one.is("NULL") => Some(one),
        _ => None,
    };
    split(&all[open + 1..close]).into_iter().filter_map(null).collect()
}

/// Without line ends and the preprocessor's lines.
fn one_line(text: &str) -> String {
    text.lines().filter(|line| !line.starts_with('#')).collect::<Vec<_>>().join(" ")
}

/// In one line, for messages of the program that runs.
fn literal(name: &str) -> String {
    let name = name.split_whitespace().collect::<Vec<_>>().join(" ");
    format!("\"{}\"", name.replace('\\', "\\\\").replace('"', "\\\""))
}

/// File and line by the preprocessor's own lines: `# 12 "x.asc" 2`.
fn place(text: &str, at: usize, message: &str) -> Wrong {
    let (mut file, mut line) = (String::new(), 1);
    for current in text[..at].split('\n').collect::<Vec<_>>().split_last().map_or(&[][..], |(_, before)| before) {
        match marker(current) {
            Some((name, number)) => (file, line) = (name, number),
            None => line += 1,
        }
    }
    Wrong { file, line, message: message.to_owned() }
}

fn marker(line: &str) -> Option<(String, usize)> {
    let (number, rest) = line.strip_prefix("# ")?.split_once(" \"")?;
    Some((rest.rsplit_once('"')?.0.to_owned(), number.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn new(text: &str) -> String {
        rewrite(text).unwrap_or_else(|wrong| panic!("{wrong:?}")).expect("a launch")
    }

    fn call(kernel: &str, config: &str) -> String {
        format!(
            "::hostcann::Kernel([=](auto&&... hc_args) -> decltype({kernel}(hc_args...)) {{ {kernel}(hc_args...); }}, \"{kernel}\").On({config})"
        )
    }

    #[test]
    fn launches() {
        for (kernel, config) in [
            ("add", "8, nullptr, stream"),
            ("add<float, 2048>", "n, 0, s"),
            ("a::b<c<1>, (2 > 1)>::d<e<f>>", "n, 0, s"),
            ("::a::b", "n, 0"),
            ("(add<float, (2 > 1)>)", "n, 0, s"),
            ("add<sizeof(T[3])>", "(n > 4 ? n : 4), 0, f(a, b)"),
            ("add", "g<h<1, 2>>(3), 0, s"),
            ("add", "std::min<int>(a, b), 0, config->stream"),
        ] {
            let text = format!("x = y; {kernel}<<<{config}>>>(p, q);");
            assert_eq!(new(&text), format!("x = y; {}(p, q);", call(kernel, config)));
        }
    }

    #[test]
    fn three_brackets_of_templates_in_the_configuration() {
        assert_eq!(new("k<<<f<g<h<1>>>(2), 0, s>>>(p);"), format!("{}(p);", call("k", "f<g<h<1>>>(2), 0, s")));
    }

    #[test]
    fn several_in_a_statement() {
        let text = "if (a) k<<<1, 0, s>>>(x); else return ::l<<<2, 0, s>>>(y), m<<<3, 0, s>>>(z);";
        let want = format!(
            "if (a) {}(x); else return {}(y), {}(z);",
            call("k", "1, 0, s"),
            call("::l", "2, 0, s"),
            call("m", "3, 0, s")
        );
        assert_eq!(new(text), want);
    }

    #[test]
    fn arguments_that_are_null() {
        let text = "k<<<1, 0, s>>>(0, NULL, __null, (0), nullptr, 10, f(0), a[0], g<1, 0, 2>(x), {0}, \"0\", 0);";
        let null = "::hostcann::Null{}";
        let arguments =
            format!("({null}, {null}, {null}, (0), nullptr, 10, f(0), a[0], g<1, 0, 2>(x), {{0}}, \"0\", {null});");
        assert_eq!(new(text), format!("{}{arguments}", call("k", "1, 0, s")));
        assert_eq!(new("k<<<1, 0, s>>>();"), format!("{}();", call("k", "1, 0, s")));
    }

    #[test]
    fn lines_stay_where_they_are() {
        let text = "k<float,\n  2><<<n,\n 0, /* c */ s>>>(\n a);\nint x;";
        let new = new(text);
        assert_eq!(new.matches('\n').count(), text.matches('\n').count());
        assert_eq!(new.lines().last(), Some("int x;"));
        assert!(new.contains("\"k<float, 2>\""), "{new}");
    }

    #[test]
    fn what_is_no_launch() {
        for text in [
            "s = \"k<<<1, 0, s>>>(x)\";",
            "// k<<<1, 0, s>>>(x)\nint x;",
            "operator<<<int>(os, x);",
            "a << b < c; a < < < b",
            "vector<vector<vector<int>>>(3);",
        ] {
            assert_eq!(rewrite(text), Ok(None), "{text}");
        }
    }

    #[test]
    fn mistakes_name_file_and_line() {
        let wrong = |text: &str| rewrite(text).expect_err(text);
        let text = "# 1 \"/s/add.asc\"\n\n# 7 \"/s/add.asc\" 2\nint a;\n  f(a)<<<1, 0, s>>>(x);";
        let found = wrong(text);
        assert_eq!((found.file.as_str(), found.line), ("/s/add.asc", 8));
        assert_eq!(found.message, "`<<<` without the name of a kernel in front of it");
        assert_eq!(wrong("k<<<1, 0, s;").message, "`<<<` without a matching `>>>(`");
        assert_eq!(wrong("x.k<<<1, 0, s>>>();").message, "`<<<` without the name of a kernel in front of it");
        for (config, count) in [("1", 1), ("grid, threads, 0, s", 4), ("", 0)] {
            let message = wrong(&format!("k<<<{config}>>>(x);")).message;
            assert!(message.starts_with(&format!("`<<<…>>>` has {count} arguments, expected <<<blocks,")), "{message}");
        }
    }
}
