//! `if constexpr (TILING_KEY_IS(key))`: on a device each key is a compilation of its own, where the key is a constant.

use crate::{Kind, Token, closing, tokens};

/// The text with plain `if` where the condition asks for the tiling key, for one compilation of all keys.
#[must_use]
pub fn key_tests(text: &str) -> String {
    if !text.contains("constexpr") || !text.contains("TILING_KEY_") {
        return text.to_owned();
    }
    let tokens: Vec<Token> = tokens(text);
    let mut new = String::with_capacity(text.len());
    let mut done = 0;
    for at in 1..tokens.len() {
        let is_if = tokens[at - 1].is("if") && tokens[at].is("constexpr");
        let Some(close) = closing(&tokens, at + 1).filter(|_| is_if) else { continue };
        let asks =
            |token: &Token| token.kind == Kind::Word && ["TILING_KEY_IS", "TILING_KEY_VAR"].contains(&token.text);
        if tokens[at + 1..close].iter().any(asks) {
            new.push_str(&text[done..tokens[at].at]);
            done = tokens[at].end();
        }
    }
    new.push_str(&text[done..]);
    new
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_key_is_no_constant_here() {
        let text = "if constexpr (TILING_KEY_IS(1)) {} else if constexpr (X && TILING_KEY_VAR == 2) {}\n";
        assert_eq!(key_tests(text), "if  (TILING_KEY_IS(1)) {} else if  (X && TILING_KEY_VAR == 2) {}\n");
        let other = "if constexpr (sizeof(T) == 4) { if (TILING_KEY_IS(1)) {} }\n";
        assert_eq!(key_tests(other), other);
    }
}
