//! C++ that generated operators have of others: their caller brings it.

/// What a caller brings. The same sources give the same operators.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sources<'a> {
    /// Headers of the kernel code that computes `Fmod`: name and text, in any order. They are needed for a graph with that node.
    pub kernel_headers: &'a [(&'a str, &'a str)],
    /// What the example of an operator begins with, for `MyOp` in `my_op`: a notice of the licence, includes, `CHECK_STATUS`,
    /// and an open namespace with `Shape`, `CountOf`, `DeviceTensor`, `CreateTensor` and `DestroyTensor`.
    pub example_frame: &'a str,
}

impl<'a> Sources<'a> {
    /// These headers and what they include of the others, each after those that it includes. `Err` is a name that is not there.
    pub(super) fn with_included<'n>(&self, roots: &[&'n str]) -> Result<Vec<(&'a str, &'a str)>, &'n str> {
        let mut found = Vec::new();
        for root in roots {
            let header = self.kernel_headers.iter().find(|(name, _)| name == root).ok_or(*root)?;
            self.visit(*header, &mut found);
        }
        Ok(found)
    }

    fn visit(&self, (name, text): (&'a str, &'a str), found: &mut Vec<(&'a str, &'a str)>) {
        if found.iter().any(|known| known.0 == name) {
            return;
        }
        for line in text.lines() {
            let included = line.strip_prefix("#include \"").and_then(|rest| rest.split('"').next());
            let header = self.kernel_headers.iter().find(|header| included == Some(header.0) && header.0 != name);
            if let Some(header) = header {
                self.visit(*header, found);
            }
        }
        found.push((name, text));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_come_after_what_they_include() {
        let headers =
            [("a.h", "#include \"b.h\"\n#include \"c.h\"\n"), ("b.h", "#include \"c.h\"\n"), ("c.h", ""), ("d.h", "")];
        let sources = Sources { kernel_headers: &headers, example_frame: "" };
        let names = |roots: &[&'static str]| {
            sources.with_included(roots).map(|all| all.iter().map(|header| header.0).collect())
        };
        assert_eq!(names(&["a.h"]), Ok(vec!["c.h", "b.h", "a.h"]));
        assert_eq!(names(&["c.h", "b.h"]), Ok(vec!["c.h", "b.h"]));
        assert_eq!(names(&["b.h", "e.h"]), Err("e.h"));
    }
}
