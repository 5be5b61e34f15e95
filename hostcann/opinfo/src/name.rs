//! The rule from an OpType to the name of its file and of its function.

/// Runs of capitals stay together (`ReduceSumD` -> `reduce_sum_d`, `LSTMCell` -> `lstm_cell`, `Conv2D` -> `conv2_d`).
pub fn snake_case(op_type: &str) -> String {
    let chars: Vec<char> = op_type.chars().collect();
    let mut out = String::new();
    for (i, &c) in chars.iter().enumerate() {
        let starts_word = c.is_ascii_uppercase()
            && i > 0
            && chars[i - 1] != '_'
            && (!chars[i - 1].is_ascii_uppercase() || chars.get(i + 1).is_some_and(char::is_ascii_lowercase));
        if starts_word {
            out.push('_');
        }
        out.push(c.to_ascii_lowercase());
    }
    out
}

pub fn is_identifier(name: &str) -> bool {
    let mut chars = name.chars();
    chars.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
        && chars.all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// The known name that is one slip away: another case, one letter more, less or changed, two swapped.
pub fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let low = name.to_ascii_lowercase();
    known.into_iter().find(|candidate| distance_is_small(&low, &candidate.to_ascii_lowercase()))
}

fn distance_is_small(a: &str, b: &str) -> bool {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let front = a.iter().zip(&b).take_while(|(x, y)| x == y).count();
    let rest = a.len().min(b.len()) - front;
    let back = a.iter().rev().zip(b.iter().rev()).take(rest).take_while(|(x, y)| x == y).count();
    let (x, y) = (&a[front..a.len() - back], &b[front..b.len() - back]);
    x.len() <= 1 && y.len() <= 1 || x.len() == 2 && y.len() == 2 && x[0] == y[1] && x[1] == y[0]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The pairs of asc-devkit's page on how the type of an operator becomes a file name.
    #[test]
    fn file_name_of_an_op_type() {
        for (op, want) in [
            ("Fmod", "fmod"),
            ("FmodScalar", "fmod_scalar"),
            ("ReduceSumD", "reduce_sum_d"),
            ("LSTMCell", "lstm_cell"),
            ("Conv2D", "conv2_d"),
            ("Abc2De", "abc2_de"),
            ("AbcDEf", "abc_d_ef"),
            ("A_B", "a_b"),
            ("A", "a"),
        ] {
            assert_eq!(snake_case(op), want);
        }
    }

    #[test]
    fn slips() {
        let known = ["heavyOp", "needCheckSupport"];
        for slip in ["heavyop", "heavOp", "heavyyOp", "haevyOp", "heavyOb"] {
            assert_eq!(nearest(slip, known), Some("heavyOp"), "{slip}");
        }
        assert_eq!((nearest("heavy", known), nearest("", known)), (None, None));
    }

    #[test]
    fn identifiers() {
        assert!(is_identifier("x_1") && is_identifier("_a"));
        assert!(!is_identifier("") && !is_identifier("1x") && !is_identifier("a-b"));
    }
}
