//! Expressions as text: for people, and for C++.

use std::fmt;

use super::{Atom, Expr};

/// Names of the functions that an expression may call.
struct Names {
    ceiling: &'static str,
    floor: &'static str,
    modulo: &'static str,
    align: &'static str,
    quotient: Option<&'static str>,
}

const PLAIN: Names = Names { ceiling: "Ceiling", floor: "Floor", modulo: "Mod", align: "Align", quotient: None };
const CPP: Names =
    Names { ceiling: "CeilDiv", floor: "FloorDiv", modulo: "FloorMod", align: "AlignUp", quotient: Some("ExactDiv") };

impl Expr {
    /// C++ over `int64_t`, with the helpers that the generators print in front of it.
    pub fn cpp(&self) -> String {
        self.print(&CPP)
    }

    fn print(&self, names: &Names) -> String {
        if self.overflow {
            return "overflow".to_owned();
        }
        let mut text = String::new();
        // Products first and the constant last reads as people write it.
        for (at, (factors, coefficient)) in self.terms.iter().rev().enumerate() {
            let sign = if *coefficient < 0 { "-" } else { "+" };
            match (at, sign) {
                (0, "+") => {}
                (0, _) => text.push('-'),
                (_, sign) => text.push_str(&format!(" {sign} ")),
            }
            let size = coefficient.unsigned_abs();
            let mut parts: Vec<String> = factors.iter().map(|atom| atom.print(names)).collect();
            if size != 1 || parts.is_empty() {
                parts.insert(0, size.to_string());
            }
            text.push_str(&parts.join(" * "));
        }
        if text.is_empty() { "0".to_owned() } else { text }
    }
}

impl Atom {
    fn print(&self, names: &Names) -> String {
        let call = |name: &str, list: &[&Expr]| {
            let list: Vec<String> = list.iter().map(|e| e.print(names)).collect();
            format!("{name}({})", list.join(", "))
        };
        match self {
            Atom::Sym(name) => name.clone(),
            Atom::Quotient(a, b) => match names.quotient {
                Some(name) => call(name, &[a, b]),
                None => format!("(({}) / ({}))", a.print(names), b.print(names)),
            },
            Atom::Ceiling(a, b) => call(names.ceiling, &[a, b]),
            Atom::Floor(a, b) => call(names.floor, &[a, b]),
            Atom::Mod(a, b) => call(names.modulo, &[a, b]),
            Atom::Max(list) => call("Max", &list.iter().collect::<Vec<_>>()),
            Atom::Min(list) => call("Min", &list.iter().collect::<Vec<_>>()),
            Atom::Align(a, to) => format!("{}({}, {to})", names.align, a.print(names)),
        }
    }
}

impl fmt::Display for Atom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.print(&PLAIN))
    }
}

impl fmt::Display for Expr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.print(&PLAIN))
    }
}

/// Between the brackets of a list.
pub fn list(exprs: &[Expr]) -> String {
    exprs.iter().map(Expr::to_string).collect::<Vec<_>>().join(", ")
}
