//! The kernels of a file, and what `ascendc_library` gives a host program for each: the header `aclrtlaunch_<kernel>.h`
//! and the function it declares.

use cpptext::{Kind, Token, closing, split, tokens};

/// What `__global__` expands to when kernels are looked for.
pub const MARK: &str = "HOSTCANN_KERNEL";

/// What a launch of a kernel that could not be compiled returns: ACL_ERROR_RT_FEATURE_NOT_SUPPORT.
pub const LEFT_OUT: u32 = 207_000;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kernel {
    /// With its namespaces.
    pub path: String,
    pub name: String,
    pub parameters: Vec<Parameter>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parameter {
    pub kind: String,
    name: String,
}

/// Definitions of kernels that are no templates, in a preprocessed file or in its plain text.
pub fn find(text: &str) -> Vec<Kernel> {
    let mut found: Vec<Kernel> = Vec::new();
    each(text, |all, head, at, scopes| {
        if !head.iter().any(|token| token.is("template"))
            && let Some(kernel) = definition(all, at, scopes)
            && found.iter().all(|known| known.name != kernel.name)
        {
            found.push(kernel);
        }
    });
    found
}

/// Every `__global__`: all tokens, those of its declaration before it, where it goes on, and the scopes around it.
pub fn each(text: &str, mut meet: impl FnMut(&[Token], &[Token], usize, &[Option<String>])) {
    let all = tokens(text);
    let mut scopes: Vec<Option<String>> = Vec::new();
    let mut start = 0;
    for at in 0..all.len() {
        if all[at].is("{") {
            scopes.push(namespace(&all[start..at]));
        } else if all[at].is("}") {
            scopes.pop();
        } else if all[at].is(MARK) || all[at].is("__global__") {
            meet(&all, &all[start..at], at + 1, &scopes);
        }
        if ["{", "}", ";"].iter().any(|mark| all[at].is(mark)) {
            start = at + 1;
        }
    }
}

/// The name of the namespace that opens after `head`.
fn namespace(head: &[Token]) -> Option<String> {
    let at = head.iter().position(|token| token.is("namespace"))?;
    Some(head[at + 1..].iter().map(|token| token.text).collect())
}

/// `__aicore__ void name(parameters) {` at `at`.
pub fn definition(all: &[Token], mut at: usize, scopes: &[Option<String>]) -> Option<Kernel> {
    let open = loop {
        let token = all.get(at)?;
        if token.is("(") && all[at - 1].kind == Kind::Word && !all[at - 1].text.starts_with("__") {
            break at;
        } else if token.is("(") || token.is("[") {
            at = closing(all, at)? + 1;
        } else if [";", "{", "}", "<"].iter().any(|mark| token.is(mark)) {
            return None;
        } else {
            at += 1;
        }
    };
    let close = closing(all, open)?;
    if !all.get(close + 1)?.is("{") {
        return None;
    }
    let name = all[open - 1].text.to_owned();
    let around: String = scopes.iter().flatten().filter(|scope| !scope.is_empty()).map(|s| format!("{s}::")).collect();
    let parts = split(&all[open + 1..close]);
    let parameters = parts.iter().enumerate().filter_map(|(index, part)| parameter(part, index)).collect();
    Some(Kernel { path: format!("::{around}{name}"), name, parameters })
}

fn parameter(part: &[Token], index: usize) -> Option<Parameter> {
    let end = part.iter().position(|token| token.is("=")).unwrap_or(part.len());
    let part: Vec<&str> = part[..end].iter().map(|token| token.text).collect();
    let (last, kind) = part.split_last()?;
    if *last == "void" && kind.is_empty() {
        return None;
    }
    let is_name = !kind.is_empty() && last.starts_with(|c: char| c.is_alphabetic() || c == '_') && !is_basic(last);
    let (kind, name) = if is_name { (kind, (*last).to_owned()) } else { (&part[..], format!("arg{index}")) };
    Some(Parameter { kind: kind.join(" ").replace(" : : ", "::"), name })
}

fn is_basic(word: &str) -> bool {
    const WORDS: [&str; 15] = [
        "bool",
        "char",
        "short",
        "int",
        "long",
        "float",
        "double",
        "signed",
        "unsigned",
        "size_t",
        "uintptr_t",
        "const",
        "volatile",
        "std",
        "::",
    ];
    WORDS.contains(&word) || word.ends_with("_t") && (word.starts_with("int") || word.starts_with("uint"))
}

impl Parameter {
    fn is_pointer(&self) -> bool {
        self.kind.contains('*') || self.kind.contains("GM_ADDR")
    }

    /// For a program that does not know the device's types: addresses are `void*`.
    pub fn on_host(&self) -> String {
        if self.is_pointer() {
            return "void*".to_owned();
        }
        self.kind.split(' ').filter(|word| *word != "const" && *word != "volatile").collect::<Vec<_>>().join(" ")
    }

    /// A structure of the project that the header declares.
    pub fn structure(&self) -> Option<String> {
        let kind = self.on_host();
        let is_one = kind.chars().all(|c| c.is_alphanumeric() || c == '_') && !is_basic(&kind);
        (!self.is_pointer() && is_one).then_some(kind)
    }
}

/// `aclrtlaunch_<kernel>.h`.
pub fn header(kernel: &Kernel) -> String {
    let structures = kernel.parameters.iter().filter_map(Parameter::structure).collect();
    declaration(kernel, structures, "extern \"C\" ")
}

/// The header with what stands before its function and the structures it declares.
pub fn declaration(kernel: &Kernel, structures: Vec<String>, before: &str) -> String {
    let guard = format!("HEADER_ACLRTLAUNCH_{}_H", kernel.name.to_uppercase());
    let structures: String = structures.iter().map(|name| format!("struct {name};\n")).collect();
    let parameters: String = kernel.parameters.iter().map(|p| format!(", {} {}", p.on_host(), p.name)).collect();
    format!(
        "#ifndef {guard}\n#define {guard}\n#include <cstdint>\n#include \"acl/acl_base.h\"\n\
         #ifndef ACLRT_LAUNCH_KERNEL\n#define ACLRT_LAUNCH_KERNEL(kernel_func) aclrtlaunch_##kernel_func\n#endif\n\
         {structures}{before}uint32_t aclrtlaunch_{}(uint32_t hc_blocks, aclrtStream hc_stream{parameters});\n#endif\n",
        kernel.name
    )
}

/// How a launch reaches a kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// By the function that its header declares.
    Linked,
    /// By `hc_binary_<kernel>`, which acl looks up in a binary that a program loads.
    Binary,
}

/// Which parameters of kernels the system prepares: with a workspace its parameter, the last one or the last but one, arrives
/// after the part that belongs to the system.
#[derive(Debug, Clone, Copy)]
pub struct Prepared {
    pub has_workspace: bool,
    pub has_tiling: bool,
}

/// A launch of a kernel under its full name, and its parameters `hc_0` and so on with their types.
pub fn launcher(kernel: &Kernel, path: &str, prepared: Prepared) -> (String, String) {
    let Kernel { name, parameters, .. } = kernel;
    let list: Vec<String> = parameters.iter().enumerate().map(|(index, p)| format!("{} hc_{index}", p.kind)).collect();
    let (list, given) = (list.join(", "), given(kernel));
    let from_end = if prepared.has_tiling && parameters.len() > 1 { 2 } else { 1 };
    let workspace =
        parameters.len().checked_sub(from_end).filter(|_| prepared.has_workspace).map_or(String::new(), |at| {
            format!(
                "::AscendC::SetSysWorkspaceForce((unsigned char*)hc_{at}); hc_{at} = \
             ({})::AscendC::GetUserWorkspace((unsigned char*)hc_{at}); ",
                parameters[at].kind
            )
        });
    let launcher = format!(
        "::hostcann::Kernel([]({list}) {{ {workspace}{path}({given}); }}, \"{name}\").On(hc_blocks, nullptr, hc_stream)"
    );
    (launcher, list)
}

/// `hc_0, hc_1` and so on.
fn given(kernel: &Kernel) -> String {
    (0..kernel.parameters.len()).map(|index| format!("hc_{index}")).collect::<Vec<_>>().join(", ")
}

/// The functions that the headers declare, for the end of the kernels' own file.
pub fn entries(kernels: &[Kernel], form: Form, prepared: Prepared) -> String {
    let mut text = "\n# 1 \"<kernel launch>\"\n".to_owned();
    for kernel @ Kernel { path, name, parameters } in kernels {
        let ((launcher, list), given) = (launcher(kernel, path, prepared), given(kernel));
        let comma = if parameters.is_empty() { "" } else { ", " };
        let kinds: Vec<&str> = parameters.iter().map(|p| p.kind.as_str()).collect();
        text.push_str("extern \"C\" __attribute__((visibility(\"default\"))) unsigned int ");
        text.push_str(&match form {
            Form::Linked => format!(
                "aclrtlaunch_{name}(unsigned int hc_blocks, void* hc_stream{comma}{list}) {{ return \
                 {launcher}.Launch({given}); }}\n"
            ),
            Form::Binary => format!(
                "hc_binary_{name}(unsigned int hc_blocks, void* hc_stream, const void* const* hc_values, \
                 const size_t* hc_sizes, size_t hc_count) {{ return ::hostcann::LaunchWith<{}>({launcher}, \"{name}\", \
                 hc_values, hc_sizes, hc_count); }}\n",
                kinds.join(", ")
            ),
        });
    }
    text
}

/// A file that stands for kernels that could not be compiled: every launch says why.
pub fn left_out(kernels: &[Kernel], source: &str, why: &str) -> String {
    let mut text = "#include \"hostcann/host_abi.h\"\n".to_owned();
    for Kernel { name, .. } in kernels {
        let report = report(&format!("aclrtlaunch_{name}"), source, why);
        for function in ["aclrtlaunch", "hc_binary"] {
            text.push_str(&format!(
                "extern \"C\" __attribute__((visibility(\"default\"))) uint32_t {function}_{name}(void) {{\n{report}    \
                 return {LEFT_OUT};\n}}\n"
            ));
        }
    }
    text
}

/// What a function does in place of a launch.
pub fn report(function: &str, source: &str, why: &str) -> String {
    let message = format!("{function}: the kernel of {source} is not in the library, it did not compile: {why}");
    let message = message.replace('\\', "\\\\").replace('"', "\\\"");
    format!("    hc_log(HC_LOG_ERROR, \"ASC\", \"{message}\");\n    hc_report_error(\"EZ9999\", \"{message}\");\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernels_of_a_file() {
        let text = "# 3 \"a.h\"\nnamespace a::b { namespace { extern \"C\" HOSTCANN_KERNEL [[bisheng::core_ratio(0, 1)]] void \
                    one( uint8_t* x, const float scale = 1, Tiling t) { f(); } } }\n\
                    HOSTCANN_KERNEL __attribute__((device)) void two(void) {}\n\
                    HOSTCANN_KERNEL void declared(int a);\n\
                    template <typename T> HOSTCANN_KERNEL void generic(T* a) {}\n\
                    template HOSTCANN_KERNEL void generic<int>(int* a);\n\
                    extern \"C\" { HOSTCANN_KERNEL void three(uint32_t, void*) {} }";
        let found = find(text);
        let paths: Vec<_> = found.iter().map(|kernel| kernel.path.as_str()).collect();
        assert_eq!(paths, ["::a::b::one", "::two", "::three"]);
        let header = header(&found[0]);
        assert!(header.contains("struct Tiling;\n"), "{header}");
        assert!(
            header.contains(
                "aclrtlaunch_one(uint32_t hc_blocks, aclrtStream hc_stream, void* x, float scale, Tiling t);"
            ),
            "{header}"
        );
        assert!(super::header(&found[2]).contains("hc_stream, uint32_t arg0, void* arg1);"));
    }

    #[test]
    fn the_workspace_is_last_or_before_the_tiling() {
        let found = find("HOSTCANN_KERNEL void k(uint8_t* x, uint8_t* workspace, uint8_t* tiling) {}");
        let linked = |has_workspace, has_tiling| entries(&found, Form::Linked, Prepared { has_workspace, has_tiling });
        assert!(linked(true, true).contains("SetSysWorkspaceForce((unsigned char*)hc_1)"));
        assert!(linked(true, false).contains("SetSysWorkspaceForce((unsigned char*)hc_2)"));
        assert!(!linked(false, true).contains("SetSysWorkspaceForce"));
        let binary = entries(&found, Form::Binary, Prepared { has_workspace: false, has_tiling: false });
        assert!(
            binary.contains("hc_binary_k(") && binary.contains("LaunchWith<uint8_t *, uint8_t *, uint8_t *>("),
            "{binary}"
        );
    }

    #[test]
    fn a_kernel_that_is_left_out_says_why() {
        let text = left_out(&find("__global__ __aicore__ void k(GM_ADDR x) {}"), "k.cpp", "no \"Mmad\"");
        assert!(text.contains("k.cpp is not in the library, it did not compile: no \\\"Mmad\\\""), "{text}");
        assert!(text.contains("return 207000;"), "{text}");
    }
}
