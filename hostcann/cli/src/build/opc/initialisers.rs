//! Initialisers of statics in the optimised program. g++ leaves `const float x = *(float*)&y` to a function that runs
//! at load even where it has folded the value; clang, the device's compiler, makes data of it.

/// Of the functions that run at load, the first statement that does more than store a constant.
pub fn first(dump: &str) -> Option<String> {
    // Declarations stand before the first basic block.
    let (mut runs, mut is_body) = (false, false);
    for line in dump.lines() {
        if line.starts_with(";; Function ") {
            (runs, is_body) = (line.contains("_GLOBAL__sub_I_"), false);
            continue;
        }
        let statement = line.trim();
        is_body |= statement.starts_with("<bb ");
        let is_frame = !line.starts_with(' ') || statement.starts_with("<bb ") || statement == "return;";
        if runs && is_body && !is_frame && !statement.is_empty() && !stores_a_constant(statement) {
            return Some(statement.trim_end_matches(" [tail call]").to_owned());
        }
    }
    None
}

fn stores_a_constant(statement: &str) -> bool {
    let Some((_, value)) = statement.strip_suffix(';').and_then(|rest| rest.split_once(" = ")) else {
        return false;
    };
    let is_number = |text: &str| {
        let text = text.trim().trim_start_matches('-');
        matches!(text, "" | "Inf" | "Nan")
            || text.starts_with(|c: char| c.is_ascii_digit())
                && text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '+' | '-'))
    };
    value.trim().trim_matches(['{', '}']).split(',').all(is_number)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    fn of(source: &str) -> Option<String> {
        let temp = tempfile::tempdir().expect("temp dir");
        let (file, dump) = (temp.path().join("k.cpp"), temp.path().join("dump"));
        std::fs::write(&file, source).expect("write");
        let mut line = Command::new("g++");
        line.args(["-std=c++17", "-O2", "-fno-strict-aliasing", "-S", "-o", "/dev/null"]).arg(&file);
        assert!(line.arg(format!("-fdump-tree-optimized={}", dump.display())).status().expect("g++").success());
        first(&std::fs::read_to_string(&dump).expect("a dump"))
    }

    #[test]
    fn constants_are_folded_and_calls_are_not() {
        let folded = "constexpr unsigned n = 0xff800000, q = 0x7fc00000; const float m = *(float*)&n, l = *(float*)&q; \
                      const float t[4] = {m, 1.5f, -2.f, *(float*)&n}; constexpr int w = 0x3f800000; \
                      const float o = *(float*)&w; float k(int i) { return t[i] + o + l; }";
        assert_eq!(of(folded), None);
        let cases = [
            ("int f(); int x = f();", " = f ();"),
            ("extern volatile int v; int x = v;", " ={v} v;"),
            ("extern int y; extern int x; int x = y + 1;", " = y;"),
            ("struct S { S(); }; S s;", "S::S (&s);"),
        ];
        for (source, wanted) in cases {
            let found = of(source).unwrap_or_else(|| panic!("{source}: nothing"));
            assert!(found.ends_with(wanted), "{source}: {found}");
        }
    }
}
