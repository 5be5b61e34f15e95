//! What clang's device mode takes and an AI Core does not: found in the functions that the kernel reaches.

// libclang's names.
#![allow(non_upper_case_globals)]

use std::collections::{HashMap, HashSet};

use anyhow::{Result, ensure};
use clang_sys::*;

use super::clang::{Cursor, Parsed, Place};
use super::finding::Finding;
use super::unit::Unit;

/// Bytes of stack a kernel is linked with (-cce-aicore-stack-size).
const STACK: u64 = 32 * 1024;

/// Functions of libm, also behind clang's `__builtin_`: a call of one needs a library the device does not have.
const LIBM: [&str; 27] = [
    "acos",
    "asin",
    "atan",
    "atan2",
    "cbrt",
    "ceil",
    "cos",
    "cosh",
    "exp",
    "exp2",
    "expm1",
    "floor",
    "fma",
    "fmod",
    "hypot",
    "log",
    "log10",
    "log1p",
    "log2",
    "pow",
    "remainder",
    "round",
    "sin",
    "sinh",
    "sqrt",
    "tan",
    "tanh",
];

#[derive(Clone, Copy, PartialEq, Eq)]
enum Owner {
    Op,
    Toolkit,
    System,
    Compiler,
}

pub struct Walk<'a> {
    unit: &'a Unit,
    findings: Vec<Finding>,
    /// Calls between functions of the op
    calls: HashMap<Cursor, Vec<(Cursor, Option<Place>)>>,
    /// What a system function needs of the host, if anything
    needs: HashMap<Cursor, Option<String>>,
}

pub fn findings(unit: &Unit, parsed: &Parsed) -> Result<Vec<Finding>> {
    let mut walk = Walk { unit, findings: Vec::new(), calls: HashMap::new(), needs: HashMap::new() };
    let mut entries = Vec::new();
    for cursor in parsed.root().children() {
        let inner = if cursor.kind() == CXCursor_LinkageSpec { cursor.children() } else { vec![cursor] };
        entries.extend(inner.into_iter().filter(|c| c.kind() == CXCursor_FunctionDecl && unit.is_entry(&c.name())));
    }
    ensure!(!entries.is_empty(), "libclang shows no entry of {}", unit.name);
    let mut open = entries.clone();
    let mut seen: HashSet<Cursor> = open.iter().copied().collect();
    while let Some(function) = open.pop() {
        let calls = walk.function(function);
        open.extend(calls.iter().map(|(callee, _)| *callee).filter(|callee| seen.insert(*callee)));
        walk.calls.insert(function, calls);
    }
    walk.recursion(&entries);
    Ok(walk.findings)
}

impl Walk<'_> {
    fn owner(&self, cursor: Cursor) -> Owner {
        match cursor.place() {
            None => Owner::Compiler,
            Some(place) if self.unit.is_toolkit(&place.file) => Owner::Toolkit,
            Some(_) if cursor.in_system_header() => Owner::System,
            Some(_) => Owner::Op,
        }
    }

    fn find(&mut self, at: Cursor, what: impl Into<String>, cure: impl Into<String>) {
        self.findings.push(Finding { place: at.place(), what: what.into(), cure: cure.into() });
    }

    /// Checks one function of the op and returns the op's functions it calls.
    fn function(&mut self, function: Cursor) -> Vec<(Cursor, Option<Place>)> {
        let mut calls = Vec::new();
        let frame = self.frame(function, &mut calls);
        if frame > STACK {
            self.find(
                function,
                format!("the variables of {} take {frame} bytes of stack; the device has {STACK}", function.name()),
                "keep data in the unified buffer (TBuf, TQue)",
            );
        }
        calls
    }

    /// Bytes that the variables below a cursor take at a time: scopes next to each other share theirs, and of the branches
    /// over tiling keys a kernel has one.
    fn frame(&mut self, cursor: Cursor, calls: &mut Vec<(Cursor, Option<Place>)>) -> u64 {
        let (mut own, mut widest) = (0, 0);
        for child in cursor.children() {
            self.expression(child, calls);
            let below = self.frame(child, calls);
            match child.kind() {
                CXCursor_CompoundStmt
                | CXCursor_IfStmt
                | CXCursor_ForStmt
                | CXCursor_WhileStmt
                | CXCursor_DoStmt
                | CXCursor_SwitchStmt => widest = below.max(widest),
                CXCursor_VarDecl => own += below + self.variable(child),
                _ => own += below,
            }
        }
        own + widest
    }

    fn expression(&mut self, cursor: Cursor, calls: &mut Vec<(Cursor, Option<Place>)>) {
        match cursor.kind() {
            CXCursor_CallExpr => self.call(cursor, calls),
            _ if is_heap_new(cursor) => {
                self.find(
                    cursor,
                    "device code uses `new`; the device has no heap",
                    "use a TBuf, or an array of fixed size",
                );
            }
            CXCursor_BinaryOperator | CXCursor_CompoundAssignOperator if is_double(cursor) => {
                self.find(
                    cursor,
                    "device code computes with double; the device's cores have no such arithmetic",
                    "compute with float (0.5f, not 0.5)",
                );
            }
            CXCursor_CXXDeleteExpr => {
                self.find(cursor, "device code uses `delete`; the device has no heap", "remove it");
            }
            _ => {}
        }
    }

    fn call(&mut self, call: Cursor, calls: &mut Vec<(Cursor, Option<Place>)>) {
        let Some(callee) = call.referenced() else { return };
        let callee = callee.definition().unwrap_or(callee);
        match self.owner(callee) {
            Owner::Toolkit | Owner::Compiler => {}
            Owner::System => {
                if let Some(need) = self.need(callee) {
                    let name = qualified(callee);
                    let needs = if need == callee.name() { String::new() } else { format!(" (it needs {need})") };
                    self.find(
                        call,
                        format!(
                            "device code calls {name} of the host's library{needs}; the device has no such library"
                        ),
                        "use the AscendC function for it, or scalar arithmetic",
                    );
                }
            }
            Owner::Op => {
                if callee.is_virtual() {
                    self.find(
                        call,
                        format!("device code calls the virtual function {}; the device has none", qualified(callee)),
                        "make the class a template parameter instead",
                    );
                }
                calls.push((callee, call.place()));
            }
        }
    }

    /// What this system function cannot do without: a function that is only declared, or one of libm.
    fn need(&mut self, function: Cursor) -> Option<String> {
        if let Some(known) = self.needs.get(&function) {
            return known.clone();
        }
        self.needs.insert(function, None);
        let found = self.need_of(function);
        self.needs.insert(function, found.clone());
        found
    }

    fn need_of(&mut self, function: Cursor) -> Option<String> {
        let children = function.children();
        let name = function.name();
        if !children.iter().any(|child| child.kind() == CXCursor_CompoundStmt) {
            let plain = name.strip_prefix("__builtin_").unwrap_or(&name);
            if plain.starts_with("operator_new") || plain.starts_with("operator new") {
                return Some("the heap".to_owned());
            }
            let libm =
                LIBM.iter().any(|base| plain.strip_suffix(['f', 'l']).unwrap_or(plain) == *base || plain == *base);
            // Builtins are the compiler's own; implicit and defaulted members have no body either.
            // clang knows std::move and its like, and leaves their bodies alone.
            let known = function.template().is_some_and(|template| template.definition().is_some());
            let library = function.kind() == CXCursor_FunctionDecl && !name.starts_with("__") && !known;
            return (libm || library).then_some(name);
        }
        let mut open = children;
        while let Some(cursor) = open.pop() {
            if is_heap_new(cursor) {
                return Some("the heap".to_owned());
            }
            let callee = (cursor.kind() == CXCursor_CallExpr).then(|| cursor.referenced()).flatten();
            if let Some(need) = callee.and_then(|callee| self.need(callee.definition().unwrap_or(callee))) {
                return Some(need);
            }
            open.extend(cursor.children());
        }
        None
    }

    /// Returns the bytes on the stack.
    fn variable(&mut self, variable: Cursor) -> u64 {
        let ty = variable.ty().canonical();
        let name = variable.name();
        if variable.is_thread_local() {
            self.find(
                variable,
                format!("{name} is thread_local in device code; a core has no threads"),
                format!("make {name} a member of the kernel's class"),
            );
            return 0;
        }
        if variable.is_static_storage() {
            if !ty.is_const() && !ty.element().is_const() {
                self.find(
                    variable,
                    format!("{name} is a static variable of a function in device code: every core has its own memory"),
                    format!("make {name} a member of the kernel's class, or constexpr"),
                );
            }
            return 0;
        }
        ty.size().unwrap_or(0)
    }

    fn recursion(&mut self, entries: &[Cursor]) {
        let mut done: HashSet<Cursor> = HashSet::new();
        let mut found = Vec::new();
        for &entry in entries {
            // Functions on the way from the entry, each with the calls not followed yet.
            let mut way: Vec<(Cursor, usize)> = vec![(entry, 0)];
            let mut on_way: HashSet<Cursor> = HashSet::from([entry]);
            while let Some((function, next)) = way.last_mut() {
                let calls = self.calls.get(function).map_or(&[][..], Vec::as_slice);
                let Some((callee, place)) = calls.get(*next) else {
                    done.insert(*function);
                    on_way.remove(function);
                    way.pop();
                    continue;
                };
                *next += 1;
                if on_way.contains(callee) {
                    found.push(Finding {
                        place: place.clone(),
                        what: format!(
                            "{} calls itself at run time; the device's stack does not grow",
                            qualified(*callee)
                        ),
                        cure: "write it as a loop, or recurse over a template parameter".into(),
                    });
                } else if !done.contains(callee) {
                    on_way.insert(*callee);
                    way.push((*callee, 0));
                }
            }
        }
        self.findings.append(&mut found);
    }
}

/// Arithmetic on double, or a comparison, that is left for run time.
fn is_double(operation: Cursor) -> bool {
    let double = |operand: &Cursor| operand.ty().canonical().kind() == CXType_Double;
    operation.children().iter().any(double) && !is_assignment(operation) && !operation.is_constant()
}

/// `=` and no other operator; copying is no arithmetic.
fn is_assignment(operation: Cursor) -> bool {
    let left = operation.children().first().map_or(0, |left| left.tokens(u32::MAX).len());
    operation.tokens(u32::MAX).get(left).is_some_and(|token| token == "=")
}

/// `new (place) T` makes no memory.
fn is_heap_new(cursor: Cursor) -> bool {
    cursor.kind() == CXCursor_CXXNewExpr
        && cursor.tokens(3).iter().skip_while(|token| *token != "new").nth(1).is_none_or(|token| token != "(")
}

fn qualified(function: Cursor) -> String {
    match function.parent() {
        Some(parent) if !matches!(parent.kind(), CXCursor_TranslationUnit | CXCursor_LinkageSpec) => {
            format!("{}::{}", parent.display(), function.name())
        }
        _ => function.name(),
    }
}
