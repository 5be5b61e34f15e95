//! Expressions over sizes: integers, canonical, exact. Two that are equal as polynomials are equal as values, so that
//! `s0*s1` and `s1*s0` need no proof.

mod print;

use std::collections::BTreeMap;
use std::fmt;

pub use print::list;

/// A sum of products. No term has the coefficient 0; the order of factors and terms is that of the types below.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Expr {
    terms: BTreeMap<Vec<Atom>, i64>,
    /// A constant inside did not fit into i64; every evaluation says so.
    overflow: bool,
}

/// What is no sum and no product.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Atom {
    Sym(String),
    /// A quotient that is to be exact: evaluation fails where it is not.
    Quotient(Box<Expr>, Box<Expr>),
    Ceiling(Box<Expr>, Box<Expr>),
    Floor(Box<Expr>, Box<Expr>),
    Mod(Box<Expr>, Box<Expr>),
    Max(Vec<Expr>),
    Min(Vec<Expr>),
    /// The next multiple.
    Align(Box<Expr>, i64),
}

/// The answer to a question about all values of the symbols.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tri {
    True,
    False,
    Unknown,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EvalError {
    UnknownSymbol(String),
    Overflow(String),
    DivisionByZero(String),
    NotExact(String),
}

impl fmt::Display for EvalError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EvalError::UnknownSymbol(name) => write!(f, "symbol {name} has no value"),
            EvalError::Overflow(what) => write!(f, "{what} does not fit into 64 bits"),
            EvalError::DivisionByZero(what) => write!(f, "{what} divides by zero"),
            EvalError::NotExact(what) => write!(f, "{what} is no integer"),
        }
    }
}

/// Values of symbols.
pub type Values = BTreeMap<String, i64>;

impl From<i64> for Expr {
    fn from(value: i64) -> Expr {
        Expr::term(Vec::new(), value)
    }
}

impl Expr {
    pub fn symbol(name: &str) -> Expr {
        Expr::atom(Atom::Sym(name.to_owned()))
    }

    fn term(factors: Vec<Atom>, coefficient: i64) -> Expr {
        let terms = if coefficient == 0 { BTreeMap::new() } else { BTreeMap::from([(factors, coefficient)]) };
        Expr { terms, overflow: false }
    }

    fn atom(atom: Atom) -> Expr {
        Expr::term(vec![atom], 1)
    }

    fn overflowed() -> Expr {
        Expr { terms: BTreeMap::new(), overflow: true }
    }

    /// The value, when there is no symbol in it.
    pub fn constant(&self) -> Option<i64> {
        if self.overflow {
            return None;
        }
        match self.terms.iter().next() {
            None => Some(0),
            Some((factors, coefficient)) if factors.is_empty() && self.terms.len() == 1 => Some(*coefficient),
            _ => None,
        }
    }

    pub fn is(&self, value: i64) -> bool {
        self.constant() == Some(value)
    }

    fn accumulate(&mut self, factors: Vec<Atom>, coefficient: i64) {
        let slot = self.terms.entry(factors.clone()).or_insert(0);
        match slot.checked_add(coefficient) {
            Some(0) => {
                self.terms.remove(&factors);
            }
            Some(sum) => *slot = sum,
            None => *self = Expr::overflowed(),
        }
    }

    pub fn plus(&self, other: &Expr) -> Expr {
        if self.overflow || other.overflow {
            return Expr::overflowed();
        }
        let mut sum = self.clone();
        for (factors, coefficient) in &other.terms {
            sum.accumulate(factors.clone(), *coefficient);
            if sum.overflow {
                break;
            }
        }
        sum
    }

    pub fn minus(&self, other: &Expr) -> Expr {
        self.plus(&other.times(&Expr::from(-1)))
    }

    pub fn times(&self, other: &Expr) -> Expr {
        if self.overflow || other.overflow {
            return Expr::overflowed();
        }
        let mut product = Expr::from(0);
        for (left, a) in &self.terms {
            for (right, b) in &other.terms {
                let Some(coefficient) = a.checked_mul(*b) else { return Expr::overflowed() };
                let mut factors = [left.as_slice(), right.as_slice()].concat();
                factors.sort();
                product.accumulate(factors, coefficient);
                if product.overflow {
                    return product;
                }
            }
        }
        product
    }

    fn divided(&self, by: &Expr, fold: fn(i64, i64) -> Option<i64>, make: fn(Box<Expr>, Box<Expr>) -> Atom) -> Expr {
        if self.overflow || by.overflow {
            return Expr::overflowed();
        }
        if by.is(1) {
            return self.clone();
        }
        match (self.constant(), by.constant()) {
            (Some(a), Some(b)) => {
                fold(a, b).map_or_else(|| Expr::atom(make(Box::new(self.clone()), Box::new(by.clone()))), Expr::from)
            }
            _ => Expr::atom(make(Box::new(self.clone()), Box::new(by.clone()))),
        }
    }

    /// A quotient that is to be exact.
    pub fn quotient(&self, by: &Expr) -> Expr {
        self.divided(by, exact_div, Atom::Quotient)
    }

    pub fn ceiling_div(&self, by: &Expr) -> Expr {
        self.divided(by, ceil_div, Atom::Ceiling)
    }

    pub fn floor_div(&self, by: &Expr) -> Expr {
        self.divided(by, floor_div, Atom::Floor)
    }

    /// The remainder of [`Expr::floor_div`].
    pub fn modulo(&self, by: &Expr) -> Expr {
        if by.is(1) && !self.overflow {
            return Expr::from(0);
        }
        self.divided(by, floor_mod, Atom::Mod)
    }

    fn extreme(list: &[Expr], pick: fn(i64, i64) -> i64, is_max: bool) -> Expr {
        if list.iter().any(|e| e.overflow) {
            return Expr::overflowed();
        }
        let mut all: Vec<Expr> = Vec::new();
        let mut constant: Option<i64> = None;
        for expr in list {
            match (expr.constant(), expr.only_atom()) {
                (Some(value), _) => constant = Some(constant.map_or(value, |known| pick(known, value))),
                (None, Some(Atom::Max(inner))) if is_max => all.extend(inner.iter().cloned()),
                (None, Some(Atom::Min(inner))) if !is_max => all.extend(inner.iter().cloned()),
                (None, _) => all.push(expr.clone()),
            }
        }
        // A constant may also stand inside of one that was flattened.
        let (inner, mut all): (Vec<Expr>, Vec<Expr>) = all.into_iter().partition(|e| e.constant().is_some());
        for value in inner.iter().filter_map(Expr::constant) {
            constant = Some(constant.map_or(value, |known| pick(known, value)));
        }
        all.extend(constant.map(Expr::from));
        all.sort();
        all.dedup();
        match all.len() {
            0 => Expr::from(0),
            1 => all.remove(0),
            _ => Expr::atom(if is_max { Atom::Max(all) } else { Atom::Min(all) }),
        }
    }

    pub fn max(list: &[Expr]) -> Expr {
        Expr::extreme(list, i64::max, true)
    }

    pub fn min(list: &[Expr]) -> Expr {
        Expr::extreme(list, i64::min, false)
    }

    /// The next multiple of `to`, which is positive.
    pub fn align(&self, to: i64) -> Expr {
        if self.overflow || to <= 0 {
            return Expr::overflowed();
        }
        if to == 1 {
            return self.clone();
        }
        match self.constant().map(|value| align_up(value, to)) {
            Some(Some(value)) => Expr::from(value),
            Some(None) => Expr::overflowed(),
            None => Expr::atom(Atom::Align(Box::new(self.clone()), to)),
        }
    }

    fn only_atom(&self) -> Option<&Atom> {
        match self.terms.iter().next() {
            Some((factors, 1)) if self.terms.len() == 1 && factors.len() == 1 => factors.first(),
            _ => None,
        }
    }

    /// How many products it adds up.
    pub(crate) fn len(&self) -> usize {
        self.terms.len()
    }

    /// A sum of products of symbols: no quotient, no extreme, nothing that does not fit.
    pub(crate) fn is_polynomial(&self) -> bool {
        !self.overflow && self.terms.keys().flatten().all(|atom| matches!(atom, Atom::Sym(_)))
    }

    /// A constant inside did not fit into 64 bits.
    pub fn is_overflow(&self) -> bool {
        self.overflow
    }

    /// Are the two equal for all values of the symbols?
    pub fn static_eq(&self, other: &Expr) -> Tri {
        if self.overflow || other.overflow {
            return Tri::Unknown;
        }
        match self.minus(other).constant() {
            Some(0) => Tri::True,
            Some(_) => Tri::False,
            None => Tri::Unknown,
        }
    }

    pub fn symbols(&self) -> Vec<String> {
        let mut found = Vec::new();
        self.collect(&mut found);
        found.sort();
        found.dedup();
        found
    }

    fn collect(&self, found: &mut Vec<String>) {
        for atom in self.terms.keys().flatten() {
            match atom {
                Atom::Sym(name) => found.push(name.clone()),
                Atom::Quotient(a, b) | Atom::Ceiling(a, b) | Atom::Floor(a, b) | Atom::Mod(a, b) => {
                    a.collect(found);
                    b.collect(found);
                }
                Atom::Max(list) | Atom::Min(list) => list.iter().for_each(|e| e.collect(found)),
                Atom::Align(a, _) => a.collect(found),
            }
        }
    }

    /// Exact: what does not fit into i64 on the way is an error, and so is a division that has no result.
    ///
    /// # Errors
    ///
    /// `values` lacks a symbol, a number does not fit into `i64`, a divisor is 0, or a quotient is no integer.
    pub fn eval(&self, values: &Values) -> Result<i64, EvalError> {
        let overflow = || EvalError::Overflow(self.to_string());
        if self.overflow {
            return Err(EvalError::Overflow("a constant".to_owned()));
        }
        let mut sum = 0i64;
        for (factors, coefficient) in &self.terms {
            let mut product = *coefficient;
            for atom in factors {
                product = product.checked_mul(atom.eval(values)?).ok_or_else(overflow)?;
            }
            sum = sum.checked_add(product).ok_or_else(overflow)?;
        }
        Ok(sum)
    }
}

pub(crate) fn exact_div(a: i64, b: i64) -> Option<i64> {
    (a.checked_rem(b)? == 0).then(|| a / b)
}

pub(crate) fn floor_div(a: i64, b: i64) -> Option<i64> {
    let q = a.checked_div(b)?;
    if a % b != 0 && (a < 0) != (b < 0) { q.checked_sub(1) } else { Some(q) }
}

pub(crate) fn ceil_div(a: i64, b: i64) -> Option<i64> {
    let q = a.checked_div(b)?;
    if a % b != 0 && (a < 0) == (b < 0) { q.checked_add(1) } else { Some(q) }
}

pub(crate) fn floor_mod(a: i64, b: i64) -> Option<i64> {
    a.checked_sub(floor_div(a, b)?.checked_mul(b)?)
}

pub(crate) fn align_up(a: i64, to: i64) -> Option<i64> {
    ceil_div(a, to)?.checked_mul(to)
}

impl Atom {
    fn eval(&self, values: &Values) -> Result<i64, EvalError> {
        let two = |a: &Expr, b: &Expr, with: fn(i64, i64) -> Option<i64>| {
            let (a, b) = (a.eval(values)?, b.eval(values)?);
            if b == 0 {
                return Err(EvalError::DivisionByZero(self.to_string()));
            }
            with(a, b).ok_or_else(|| EvalError::Overflow(self.to_string()))
        };
        match self {
            Atom::Sym(name) => values.get(name).copied().ok_or_else(|| EvalError::UnknownSymbol(name.clone())),
            Atom::Quotient(a, b) => two(a, b, exact_div).map_err(|error| match error {
                EvalError::Overflow(what) => EvalError::NotExact(what),
                other => other,
            }),
            Atom::Ceiling(a, b) => two(a, b, ceil_div),
            Atom::Floor(a, b) => two(a, b, floor_div),
            Atom::Mod(a, b) => two(a, b, floor_mod),
            Atom::Max(list) => fold(list, values, i64::max),
            Atom::Min(list) => fold(list, values, i64::min),
            Atom::Align(a, to) => align_up(a.eval(values)?, *to).ok_or_else(|| EvalError::Overflow(self.to_string())),
        }
    }
}

fn fold(list: &[Expr], values: &Values, pick: fn(i64, i64) -> i64) -> Result<i64, EvalError> {
    let mut all = Vec::new();
    for expr in list {
        all.push(expr.eval(values)?);
    }
    Ok(all.into_iter().reduce(pick).unwrap_or(0))
}
