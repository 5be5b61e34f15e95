//! Expressions from text: `+ - * / // %`, parentheses, `Ceiling(a, b)`, `Floor`, `Mod`, `Align`, `Max`, `Min`.

use crate::expr::Expr;
use crate::plural::number;

/// Deeper nesting than any graph has; it keeps the reader off the end of the stack.
const DEEPEST: usize = 64;

/// Powers of sums grow fast: a text that would become more terms than this is refused.
const LONGEST: usize = 4096;

struct Reader<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
}

/// Reads an expression that fills all of `text`.
///
/// # Errors
///
/// `text` is longer than 4096 bytes, nested too deep, or no expression of this form; a power, or a product that has
/// more than 64 terms, is refused, too.
pub fn parse(text: &str) -> Result<Expr, String> {
    if text.len() > LONGEST {
        return Err(format!("an expression of {} characters; at most {LONGEST} are read", text.len()));
    }
    let mut reader = Reader { text, at: 0, depth: 0 };
    let expr = reader.sum()?;
    match reader.peek() {
        None => Ok(expr),
        Some(c) => Err(reader.wrong(&format!("`{c}`, the end is expected"))),
    }
}

impl Reader<'_> {
    fn wrong(&self, what: &str) -> String {
        format!("`{}`, character {}: {what}", self.text, self.at + 1)
    }

    fn peek(&mut self) -> Option<char> {
        let rest = &self.text[self.at..];
        self.at += rest.len() - rest.trim_start().len();
        self.text[self.at..].chars().next()
    }

    fn take(&mut self, word: &str) -> bool {
        self.peek();
        let there = self.text[self.at..].starts_with(word);
        if there {
            self.at += word.len();
        }
        there
    }

    fn sum(&mut self) -> Result<Expr, String> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(self.wrong("nested too deep"));
        }
        let mut left = self.product()?;
        loop {
            if self.take("+") {
                left = left.plus(&self.product()?);
            } else if self.take("-") {
                left = left.minus(&self.product()?);
            } else {
                self.depth -= 1;
                return Ok(left);
            }
        }
    }

    fn product(&mut self) -> Result<Expr, String> {
        let mut left = self.unary()?;
        loop {
            if self.take("//") {
                left = left.floor_div(&self.unary()?);
            } else if self.take("*") {
                if self.peek() == Some('*') {
                    return Err(self.wrong("a power; write a product"));
                }
                left = left.times(&self.unary()?);
            } else if self.take("/") {
                left = left.quotient(&self.unary()?);
            } else if self.take("%") {
                left = left.modulo(&self.unary()?);
            } else {
                return Ok(left);
            }
            if left.len() > 64 {
                return Err(self.wrong("a sum of more than 64 products"));
            }
        }
    }

    fn unary(&mut self) -> Result<Expr, String> {
        let mut negative = false;
        while self.take("-") {
            negative = !negative;
        }
        let value = self.atom()?;
        Ok(if negative { Expr::from(0).minus(&value) } else { value })
    }

    fn atom(&mut self) -> Result<Expr, String> {
        if self.take("(") {
            let inner = self.sum()?;
            return if self.take(")") { Ok(inner) } else { Err(self.wrong("`)` is expected")) };
        }
        let Some(first) = self.peek() else { return Err(self.wrong("a number or a name is expected, not the end")) };
        let rest = &self.text[self.at..];
        let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(rest.len());
        let word = &rest[..end];
        if word.is_empty() {
            return Err(self.wrong(&format!("`{first}`, a number or a name is expected")));
        }
        if first.is_ascii_digit() {
            let value = word.parse::<i64>().map_err(|_| self.wrong(&format!("`{word}` is no 64-bit integer")))?;
            self.at += end;
            return Ok(Expr::from(value));
        }
        self.at += end;
        if self.take("(") { self.call(word) } else { Ok(Expr::symbol(word)) }
    }

    fn call(&mut self, name: &str) -> Result<Expr, String> {
        let mut list = vec![self.sum()?];
        while self.take(",") {
            list.push(self.sum()?);
        }
        if !self.take(")") {
            return Err(self.wrong("`)` is expected"));
        }
        match (name, list.as_slice()) {
            ("Ceiling", [a, b]) => Ok(a.ceiling_div(b)),
            ("Floor", [a, b]) => Ok(a.floor_div(b)),
            ("Mod", [a, b]) => Ok(a.modulo(b)),
            ("Align", [a, to]) => match to.constant() {
                Some(to) if to > 0 => Ok(a.align(to)),
                _ => Err(self.wrong("Align takes a positive constant")),
            },
            ("Max", list) => Ok(Expr::max(list)),
            ("Min", list) => Ok(Expr::min(list)),
            _ => Err(self.wrong(&format!("no function {name} of {}", number(list.len(), "value")))),
        }
    }
}
