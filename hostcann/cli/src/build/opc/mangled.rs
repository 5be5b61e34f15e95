//! How many parameters a function takes, from its mangled name (Itanium C++ ABI, section 5.1).

/// `types`: what follows the function's own name. None: not the parameters of a plain function.
pub fn parameters(types: &[u8]) -> Option<usize> {
    if types == b"v" {
        return Some(0);
    }
    let mut rest = types;
    let mut count = 0;
    while !rest.is_empty() {
        rest = after_type(rest)?;
        count += 1;
    }
    (count > 0).then_some(count)
}

fn after_type(text: &[u8]) -> Option<&[u8]> {
    let (&first, rest) = text.split_first()?;
    match first {
        // Pointers, references and qualifiers of the type that follows.
        b'P' | b'R' | b'O' | b'K' | b'V' => after_type(rest),
        b'0'..=b'9' => after_arguments(after_name(text)?),
        b'N' => after_list(rest),
        b'S' => after_substitution(rest),
        b'D' => rest.get(1..),
        b'a'..=b'z' => Some(rest),
        _ => None,
    }
}

/// `<length><name>`
fn after_name(text: &[u8]) -> Option<&[u8]> {
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let length: usize = std::str::from_utf8(&text[..digits]).ok()?.parse().ok()?;
    text.get(digits..)?.get(length..)
}

/// Behind the `S`: an earlier part of the name or one of the standard library's.
fn after_substitution(text: &[u8]) -> Option<&[u8]> {
    let (&first, rest) = text.split_first()?;
    let rest = match first {
        b't' => after_name(rest)?,
        b'a' | b'b' | b's' | b'i' | b'o' | b'd' => rest,
        _ => text.get(text.iter().position(|&byte| byte == b'_')? + 1..)?,
    };
    after_arguments(rest)
}

/// Template arguments, if there are some.
fn after_arguments(text: &[u8]) -> Option<&[u8]> {
    text.strip_prefix(b"I").map_or(Some(text), after_list)
}

/// Names, types and literals up to the `E`.
fn after_list(mut text: &[u8]) -> Option<&[u8]> {
    loop {
        text = match text.first()? {
            b'E' => return Some(&text[1..]),
            b'L' => text.get(text.iter().position(|&byte| byte == b'E')? + 1..)?,
            b'I' | b'J' => after_list(&text[1..])?,
            _ => after_type(text)?,
        };
    }
}

#[cfg(test)]
mod tests {
    use super::parameters;

    #[test]
    fn parameters_are_counted() {
        let cases: [(&str, Option<usize>); 8] = [
            ("v", Some(0)),
            ("PK9aclTensor", Some(1)),
            ("PK9aclTensorS2_P13aclOpExecutor", Some(3)),
            // f(aclTensor const*, gert::Shape const&, SmallVector<long, 25ul> const&, long, executor*)
            ("PK9aclTensorRKN4gert5ShapeERKN2op8internal11SmallVectorIlLm25EEElP13aclOpExecutor", Some(5)),
            ("RKSt6vectorIlSaIlEESsbDn", Some(4)),
            ("", None),
            ("PK9aclT", None),
            ("FivE", None),
        ];
        for (types, count) in cases {
            assert_eq!(parameters(types.as_bytes()), count, "{types}");
        }
    }
}
