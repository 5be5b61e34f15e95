//! What a kernel object leaves to be found at load: functions of the core, of the compiler, and nothing of a host.

use anyhow::{Context, Result, ensure};

/// Of the C++ runtime: what entry.h and unwinding need.
const RUNTIME: [&str; 25] = [
    "_Unwind_Resume",
    "__gxx_personality_v0",
    "__cxa_begin_catch",
    "__cxa_end_catch",
    "__cxa_rethrow",
    "__cxa_call_unexpected",
    "__cxa_call_terminate",
    "__cxa_current_exception_type",
    "__cxa_demangle",
    "__cxa_pure_virtual",
    "__cxa_finalize",
    // Of functions of the headers; those of the operator are found in its source.
    "__cxa_guard_abort",
    "__cxa_guard_acquire",
    "__cxa_guard_release",
    "__gmon_start__",
    "__stack_chk_fail",
    "_ITM_deregisterTMCloneTable",
    "_ITM_registerTMCloneTable",
    "_ZSt17current_exceptionv",
    "_ZNSt15__exception_ptr13exception_ptrD1Ev",
    "_ZNSt15__exception_ptr13exception_ptr10_M_releaseEv",
    "_ZNSt15__exception_ptr13exception_ptrD2Ev",
    "_ZSt9terminatev",
    "_ZTISt9exception",
    "_ZSt28__throw_bad_array_new_lengthv",
];

/// The compiler's own calls for copies and comparisons of structs and arrays, and integers that are too wide for it.
const COMPILER: [&str; 8] =
    ["memcpy", "memmove", "memset", "memcmp", "__memcpy_chk", "__memset_chk", "__divti3", "__udivti3"];

/// Of the toolkit's printf and assert, which only exist on a host. `new[]` of the operator's own is found in its source.
const PRINTING: [&str; 6] =
    ["snprintf", "__snprintf_chk", "_Znam", "_ZdaPv", "_ZdaPvm", "__cxa_throw_bad_array_new_length"];

/// Undefined symbols that neither the core nor the compiler has.
pub fn foreign(object: &[u8]) -> Result<Vec<String>> {
    let elf = Elf::read(object)?;
    // Types of exceptions are described by tables of the C++ runtime.
    let is_type = |name: &str| name.starts_with("_ZTVN10__cxxabiv1");
    let is_known = |name: &str| {
        name.starts_with("aic_")
            || is_type(name)
            || [&RUNTIME[..], &COMPILER, &PRINTING].iter().any(|list| list.contains(&name))
    };
    let mut found: Vec<String> =
        elf.undefined()?.into_iter().filter(|name| !is_known(name)).map(|name| described(&name)).collect();
    found.dedup();
    Ok(found)
}

/// Whether something of it runs when it is loaded; the C runtime has one such function of its own (frame_dummy).
pub fn has_initialisers(object: &[u8]) -> Result<bool> {
    Ok(Elf::read(object)?.section(".init_array").is_some_and(|section| section.size > 8))
}

fn described(name: &str) -> String {
    let what = match name {
        "__tls_get_addr" => "thread_local variables",
        "__cxa_throw" | "__cxa_allocate_exception" => "exceptions",
        "__cxa_atexit" => "an object that is destroyed at exit",
        "malloc" | "calloc" | "realloc" | "free" => "the heap",
        _ if name.starts_with("_Zn") || name.starts_with("_Zd") => "the heap (new, delete)",
        _ if name.starts_with("_ZNS") || name.starts_with("_ZS") || name.starts_with("_ZTV") => "the C++ library",
        _ => return name.to_owned(),
    };
    format!("{what} ({name})")
}

struct Section {
    name: u32,
    kind: u32,
    offset: usize,
    size: usize,
    link: usize,
}

struct Elf<'a> {
    bytes: &'a [u8],
    sections: Vec<Section>,
    names: usize,
}

/// ELF64, little endian, as elf(5) lays it out.
impl<'a> Elf<'a> {
    fn read(bytes: &'a [u8]) -> Result<Elf<'a>> {
        ensure!(bytes.starts_with(b"\x7fELF\x02\x01"), "no ELF64 file of this machine");
        let mut elf = Elf { bytes, sections: Vec::new(), names: 0 };
        let (table, step) = (elf.number(0x28, 8)?, elf.number(0x3a, 2)?);
        let (count, names) = (elf.number(0x3c, 2)?, elf.number(0x3e, 2)?);
        for i in 0..count {
            let at = table + i * step;
            elf.sections.push(Section {
                name: u32::try_from(elf.number(at, 4)?)?,
                kind: u32::try_from(elf.number(at + 4, 4)?)?,
                offset: elf.number(at + 0x18, 8)?,
                size: elf.number(at + 0x20, 8)?,
                link: elf.number(at + 0x28, 4)?,
            });
        }
        elf.names = names;
        Ok(elf)
    }

    fn number(&self, at: usize, bytes: usize) -> Result<usize> {
        let slice = self.bytes.get(at..at + bytes).context("the file is cut")?;
        Ok(slice.iter().rev().fold(0, |all, &byte| all << 8 | usize::from(byte)))
    }

    fn text(&self, at: usize) -> Result<String> {
        let rest = self.bytes.get(at..).context("the file is cut")?;
        let end = rest.iter().position(|&byte| byte == 0).context("the file is cut")?;
        Ok(String::from_utf8_lossy(&rest[..end]).into_owned())
    }

    fn section(&self, name: &str) -> Option<&Section> {
        let names = self.sections.get(self.names)?.offset;
        self.sections.iter().find(|s| self.text(names + s.name as usize).is_ok_and(|text| text == name))
    }

    fn undefined(&self) -> Result<Vec<String>> {
        const DYNSYM: u32 = 11;
        let mut found = Vec::new();
        for table in self.sections.iter().filter(|section| section.kind == DYNSYM) {
            let strings = self.sections.get(table.link).context("the file is cut")?.offset;
            for at in (table.offset..table.offset + table.size).step_by(24).skip(1) {
                if self.number(at + 6, 2)? == 0 {
                    found.push(self.text(strings + self.number(at, 4)?)?);
                }
            }
        }
        found.sort();
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    fn object(source: &str) -> Vec<u8> {
        let temp = tempfile::tempdir().expect("temp dir");
        let (file, object) = (temp.path().join("k.cpp"), temp.path().join("k.o"));
        std::fs::write(&file, source).expect("write");
        let mut line = Command::new("g++");
        line.args(["-std=c++17", "-O1", "-fPIC", "-shared", "-o"]).arg(&object).arg(&file);
        assert!(line.status().expect("g++").success());
        std::fs::read(&object).expect("an object")
    }

    fn of(source: &str) -> Vec<String> {
        foreign(&object(source)).expect("symbols")
    }

    #[test]
    fn what_a_device_has_not() {
        assert_eq!(
            of("extern \"C\" int aic_x(int*); struct S { int a[99]; }; int k(S& s) { S t = s; return aic_x(t.a); }"),
            [""; 0]
        );
        let cases = [
            ("int* k() { return new int; }", "the heap (new, delete) (_Znwm)"),
            ("#include <cstdlib>\nvoid k() { std::exit(0); }", "exit"),
            ("#include <cmath>\nfloat k(float x) { return std::sin(x); }", "sinf"),
            ("#include <cstdlib>\nconst char* k() { return std::getenv(\"A\"); }", "getenv"),
            ("void k(int x) { if (x) throw 1; }", "exceptions (__cxa_throw)"),
            (
                "extern thread_local int t; int k() { return t; } thread_local int t = k();",
                "thread_local variables (__tls_get_addr)",
            ),
        ];
        for (source, wanted) in cases {
            let found = of(source);
            assert!(found.iter().any(|one| one == wanted), "{source}: {found:?}");
        }
        assert!(foreign(b"no object").is_err());
    }

    #[test]
    fn what_runs_before_the_kernel() {
        let runs = |source| has_initialisers(&object(source)).expect("an object");
        assert!(runs("int f(); extern int x; int x = f(); int f() { static volatile int v; return v; }"));
        assert!(!runs("int x = 3; int k() { return x; }"));
        assert!(has_initialisers(b"no object").is_err());
    }
}
