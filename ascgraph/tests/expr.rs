//! Expressions against plain arithmetic, on random trees.

use ascgraph::expr::{EvalError, Expr, Tri, Values};
use ascgraph::parse::parse;

/// A random expression and its value by wide arithmetic; `None` where it divides by zero.
fn tree(random: &mut fastrand::Rng, depth: u32, values: &[i64; 3]) -> (Expr, Option<i128>) {
    if depth == 0 {
        return match random.u64(..4) {
            0 => {
                let value = random.i64(0..20) - 5;
                (Expr::from(value), Some(value.into()))
            }
            which => {
                let at = which as usize - 1;
                (Expr::symbol(["s0", "s1", "s2"][at]), Some(values[at].into()))
            }
        };
    }
    let (a, x) = tree(random, depth - 1, values);
    let (b, y) = tree(random, depth - 1, values);
    let with = |f: fn(i128, i128) -> i128| x.and_then(|x| Some(f(x, y?)));
    let divided = |f: fn(i128, i128) -> i128| x.and_then(|x| y.filter(|y| *y != 0).map(|y| f(x, y)));
    match random.u64(..9) {
        0 | 1 => (a.plus(&b), with(|x, y| x + y)),
        2 => (a.minus(&b), with(|x, y| x - y)),
        3 => (a.times(&b), with(|x, y| x * y)),
        4 => (
            a.ceiling_div(&b),
            divided(|x, y| -(-x).div_euclid(y) * i128::from(y > 0) - i128::from(y < 0) * x.div_euclid(-y)),
        ),
        5 => (Expr::max(&[a, b]), with(i128::max)),
        6 => (Expr::min(&[a, b]), with(i128::min)),
        7 => (a.align(8), x.map(|x| -(-x).div_euclid(8) * 8)),
        _ => (a.floor_div(&b), divided(|x, y| if y > 0 { x.div_euclid(y) } else { (-x).div_euclid(-y) })),
    }
}

#[test]
fn evaluation_is_exact() {
    let mut random = fastrand::Rng::with_seed(0x9e37_79b9_7f4a_7c15);
    let mut compared = 0;
    for round in 0..4000 {
        let values = [0; 3].map(|_| random.i64(0..60));
        let (expr, wanted) = tree(&mut random, 1 + round % 4, &values);
        let named: Values = ["s0", "s1", "s2"].map(str::to_owned).into_iter().zip(values).collect();
        // A division that is multiplied by zero, or taken away again, may vanish.
        if let (Some(wanted), Ok(got)) = (wanted, expr.eval(&named)) {
            assert_eq!(i128::from(got), wanted, "{expr} with {values:?}");
            compared += 1;
        } else if wanted.is_some() {
            panic!("{expr} with {values:?}: {:?}", expr.eval(&named));
        }
        // Its own text is the same expression.
        assert_eq!(parse(&expr.to_string()), Ok(expr));
    }
    assert!(compared > 3000, "{compared}");
}

#[test]
fn order_does_not_matter() {
    let equal = |a: &str, b: &str| assert_eq!(parse(a), parse(b), "{a} and {b}");
    equal("s0*s1", "s1*s0");
    equal("(s0 + 1) * (s0 - 1)", "s0*s0 - 1");
    equal("2 * s0 + s1 - s0", "s1 + s0");
    equal("Max(s0, 3, Max(s1, 5))", "Max(s1, 5, s0)");
    equal("Ceiling(s0 * s1, 8)", "Ceiling(s1 * s0, 8)");
    assert_eq!(parse("Ceiling(97, 8)").map(|e| e.constant()), Ok(Some(13)));
    assert_eq!(parse("s0 * s1 + 3").expect("an expression").to_string(), "s0 * s1 + 3");
    assert_eq!(parse("Ceiling(s0, t) / 2").expect("an expression").cpp(), "ExactDiv(CeilDiv(s0, t), 2)");
}

#[test]
fn three_answers() {
    let ask = |a: &str, b: &str| parse(a).expect("a").static_eq(&parse(b).expect("b"));
    assert_eq!(ask("s0*s1", "s1*s0"), Tri::True);
    assert_eq!(ask("s0 + 1", "s0"), Tri::False);
    assert_eq!(ask("s0", "s1"), Tri::Unknown);
    assert_eq!(ask("s0", "1"), Tri::Unknown);
}

#[test]
fn what_has_no_value_says_so() {
    let values = Values::from([("s".to_owned(), i64::MAX), ("z".to_owned(), 0)]);
    let eval = |text: &str| parse(text).expect("an expression").eval(&values);
    assert_eq!(eval("s + 1"), Err(EvalError::Overflow("s + 1".to_owned())));
    assert_eq!(eval("s * 2"), Err(EvalError::Overflow("2 * s".to_owned())));
    assert_eq!(eval("1 // z"), Err(EvalError::DivisionByZero("Floor(1, z)".to_owned())));
    assert_eq!(eval("s / 2"), Err(EvalError::NotExact("((s) / (2))".to_owned())));
    assert_eq!(eval("t"), Err(EvalError::UnknownSymbol("t".to_owned())));
    assert_eq!(eval("9223372036854775807 + 1"), Err(EvalError::Overflow("a constant".to_owned())));
    for text in ["", "s0 +", "(s0", "f(s0)", "s0 ** 2", "2 3", "99999999999999999999", "é", "Align(s0, 0)"] {
        assert!(parse(text).is_err(), "{text}");
    }
    assert!(parse(&"(".repeat(3000)).is_err() && parse(&"1+".repeat(3000)).is_err());
    assert!(parse(&format!("({})*({})", "a+b+c+d+e+f+g+h+i", "j+k+l+m+n+o+p+q+r")).is_err(), "81 products");
}
