//! Kernels that are templates in `ascendc_library`: `aclrtlaunch_<kernel>` is one too, with the instances that its file names.

use cpptext::{Kind, Token, closing, split};

use crate::kernels::{self, Kernel, Parameter, Prepared};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Template {
    pub kernel: Kernel,
    /// Its parameters without defaults, and their names.
    parameters: Vec<String>,
    names: Vec<String>,
    /// Arguments of `template __global__ void kernel<arguments>(...);`.
    instances: Vec<String>,
}

pub fn find(text: &str) -> Vec<Template> {
    let mut found: Vec<Template> = Vec::new();
    kernels::each(text, |all, head, at, scopes| {
        let Some(after) = head.iter().rposition(|token| token.is("template")).map(|at| at + 1) else { return };
        if head.get(after).is_some_and(|token| token.is("<")) {
            let parts = angle(head, after).map(|close| split(&head[after + 1..close]));
            if let (Some(parts), Some(kernel)) = (parts, kernels::definition(all, at, scopes))
                && let Some((parameters, names)) = parts.into_iter().map(named).collect::<Option<(Vec<_>, Vec<_>)>>()
                && found.iter().all(|known| known.kernel.name != kernel.name)
            {
                found.push(Template { kernel, parameters, names, instances: Vec::new() });
            }
        } else if let Some((name, arguments)) = instance(all, at)
            && let Some(template) = found.iter_mut().find(|template| template.kernel.name == name)
        {
            template.instances.push(arguments);
        }
    });
    found
}

/// The `>` that closes the `<` at `open`.
fn angle(all: &[Token], open: usize) -> Option<usize> {
    let mut depth = 0_usize;
    all.iter().enumerate().skip(open).find_map(|(at, token)| {
        depth = if token.is("<") { depth + 1 } else { depth - usize::from(token.is(">")) };
        (depth == 0).then_some(at)
    })
}

/// A parameter without its default, and its name; none if it has no name.
fn named(part: &[Token]) -> Option<(String, String)> {
    let end = part.iter().position(|token| token.is("=")).unwrap_or(part.len());
    let (last, kind) = part[..end].split_last()?;
    let is_name = last.kind == Kind::Word && !kind.is_empty();
    is_name.then(|| (words(&part[..end]), last.text.to_owned()))
}

/// `void name<arguments>(` at `at`: name and arguments.
fn instance<'a>(all: &[Token<'a>], mut at: usize) -> Option<(&'a str, String)> {
    loop {
        let token = all.get(at)?;
        if token.is("<") {
            let close = angle(all, at)?;
            return Some((all[at - 1].text, words(&all[at + 1..close])));
        }
        at = match () {
            () if token.is("(") || token.is("[") => closing(all, at)? + 1,
            () if [";", "{", "}"].iter().any(|mark| token.is(mark)) => return None,
            () => at + 1,
        };
    }
}

fn words(tokens: &[Token]) -> String {
    tokens.iter().map(|token| token.text).collect::<Vec<_>>().join(" ")
}

impl Template {
    /// `aclrtlaunch_<kernel>.h`.
    pub fn header(&self) -> String {
        let structures = self.kernel.parameters.iter().filter_map(Parameter::structure);
        let structures = structures.filter(|name| !self.names.contains(name)).collect();
        kernels::declaration(&self.kernel, structures, &format!("template <{}>\n", self.parameters.join(", ")))
    }
}

/// The functions that the headers declare, for the end of the kernels' own file.
pub fn entries(templates: &[Template], prepared: Prepared) -> String {
    let mut text = String::new();
    for (number, Template { kernel, parameters, names, instances }) in templates.iter().enumerate() {
        let path = format!("{}<{}>", kernel.path, names.join(", "));
        let (launcher, _) = kernels::launcher(kernel, &path, prepared);
        let each = || kernel.parameters.iter().enumerate();
        let list: String = each().map(|(index, p)| format!(", {} hc_{index}", p.on_host())).collect();
        let given: Vec<String> = each().map(|(index, p)| format!("({})hc_{index}", p.kind)).collect();
        let (name, parameters, given) = (&kernel.name, parameters.join(", "), given.join(", "));
        text.push_str(&format!(
            "template <{parameters}> __attribute__((visibility(\"default\"))) unsigned int aclrtlaunch_{name}(unsigned int \
             hc_blocks, void* hc_stream{list}) {{ return {launcher}.Launch({given}); }}\n"
        ));
        for (at, arguments) in instances.iter().enumerate() {
            text.push_str(&format!(
                "__attribute__((used)) static auto* const hc_instance_{number}_{at} = &aclrtlaunch_{name}<{arguments}>;\n"
            ));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn templates_of_a_file() {
        let text = "namespace a { template <typename T, int kLength = 4> HOSTCANN_KERNEL __attribute__((device)) void \
                    scaled(T* x, __gm__ uint8_t* y, T by, Tiling t) { f<T>(); } }\n\
                    template HOSTCANN_KERNEL void a::scaled<float, 8>(float*, __gm__ uint8_t*, float, Tiling);\n\
                    template HOSTCANN_KERNEL void a::scaled<Pair<int, int>, 2>(int*, __gm__ uint8_t*, int, Tiling);\n\
                    HOSTCANN_KERNEL void plain(int a) {}";
        let found = find(text);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].instances, ["float , 8", "Pair < int , int > , 2"]);
        let header = found[0].header();
        assert!(header.contains("struct Tiling;\ntemplate <typename T, int kLength>\nuint32_t"), "{header}");
        assert!(header.contains("hc_stream, void* x, void* y, T by, Tiling t);"), "{header}");
        let entries = entries(&found, Prepared { has_workspace: false, has_tiling: false });
        assert!(entries.contains("::a::scaled<T, kLength>(hc_0, hc_1, hc_2, hc_3)"), "{entries}");
        assert!(entries.contains("= &aclrtlaunch_scaled<Pair < int , int > , 2>;"), "{entries}");
    }

    #[test]
    fn a_parameter_without_a_name_is_no_template_here() {
        assert_eq!(find("template <typename> HOSTCANN_KERNEL void k(int a) {}"), []);
    }
}
