//! Launches: `kernel<<<blocks, ub, stream>>>(…);` in a kernel's file is the host's half of a program.

use crate::{Token, closing, tokens};

/// The text without its launches: the statements are empty.
#[must_use]
pub fn without_launches(text: &str) -> String {
    if !text.contains("<<<") {
        return text.to_owned();
    }
    let tokens: Vec<Token> = tokens(text);
    let is_launch = |at: usize| (1..4).all(|next| tokens.get(at + next).is_some_and(|token| token.is("<")));
    let mut new = String::with_capacity(text.len());
    let mut done = 0;
    for at in (0..tokens.len()).filter(|&at| tokens[at].kind == crate::Kind::Word && is_launch(at)) {
        let rest = at + 4..tokens.len();
        let end = rest.clone().find(|&end| end + 3 < tokens.len() && (0..3).all(|next| tokens[end + next].is(">")));
        let Some(close) = end.and_then(|end| closing(&tokens, end + 3)) else { continue };
        if tokens[at].at < done {
            continue;
        }
        new.push_str(&text[done..tokens[at].at]);
        // Lines stay where they are.
        let lines = text[tokens[at].at..tokens[close].end()].matches('\n').count();
        new.push_str(&"\n".repeat(lines));
        done = tokens[close].end();
    }
    new.push_str(&text[done..]);
    new
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_launch_is_an_empty_statement() {
        let text = "void go(S s)\n{\n    add<<<n, nullptr, s>>>(x,\n        y);\n    z = 1 << 2;\n}\n";
        assert_eq!(without_launches(text), "void go(S s)\n{\n    \n;\n    z = 1 << 2;\n}\n");
        assert_eq!(without_launches("a << b; /* <<< */"), "a << b; /* <<< */");
    }
}
