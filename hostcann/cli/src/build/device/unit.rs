//! What a strict device compiler is to read: one dtype column of a kernel with all its tiling keys.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use cpptext::{Include, includes};
use serde::{Deserialize, Serialize};

/// Around functions that both halves of a program may call.
const BOTH: &str = "#pragma clang force_cuda_host_device begin\n";
const END: &str = "#pragma clang force_cuda_host_device end\n";

/// Written by `opc kernel` beside the wrappers it compiles.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Unit {
    /// Name of the kernel's object
    pub name: String,
    /// For messages: `x1 float16, y float16`
    pub dtypes: String,
    pub root: PathBuf,
    pub kernel_dir: PathBuf,
    pub source: PathBuf,
    pub structs: Option<PathBuf>,
    pub includes: Vec<PathBuf>,
    /// -D… of architecture, mode and the op
    pub options: Vec<String>,
    /// DTYPE_X1 and friends
    pub macros: Vec<(String, String)>,
    pub function: String,
    /// GM_ADDR parameters of the kernel function
    pub parameters: usize,
    /// Tiling key and template arguments; None: the kernel is no template, and all keys are one function
    pub keys: Vec<(u64, Option<Vec<String>>)>,
    /// Every file the kernel is made of
    pub files: Vec<PathBuf>,
}

impl Unit {
    pub fn path(&self) -> PathBuf {
        PathBuf::from(format!("{}.cu", self.name))
    }

    /// Names of the functions the device code is reached from.
    pub fn is_entry(&self, name: &str) -> bool {
        name.strip_prefix(&self.name).is_some_and(|rest| rest.starts_with('_'))
    }

    /// Whether the op's authors wrote it.
    pub fn is_own(&self, file: &Path) -> bool {
        // The toolkit may lie in the checkout that the op is in.
        let is_near = self.includes.iter().chain([&self.kernel_dir]).any(|dir| file.starts_with(dir));
        is_near && !file.starts_with(&self.root) || file == self.source
    }

    pub fn is_toolkit(&self, file: &Path) -> bool {
        file.starts_with(self.root.join("include")) || self.structs.as_deref() == Some(file)
    }

    /// What is parsed, and what own files are read as: a constexpr function of the device computes constants outside of
    /// functions, too, which clang allows functions of both halves alone.
    pub fn texts(&self) -> Result<Vec<(PathBuf, String)>> {
        let mut texts = vec![(self.path(), self.text()?)];
        let own: BTreeSet<_> = self.files.iter().filter(|file| self.is_own(file)).chain([&self.source]).collect();
        for file in own {
            let bytes = fs::read(file).with_context(|| format!("cannot read {}", file.display()))?;
            let text = String::from_utf8_lossy(&bytes);
            let of_both = |line: &str| match line.contains("constexpr") {
                true => line.replace("__aicore__", "__host_aicore__"),
                false => line.to_owned(),
            };
            let without = cpptext::key_tests(&cpptext::without_launches(&text));
            let new = without.split('\n').map(of_both).collect::<Vec<_>>().join("\n");
            if new != text {
                texts.push((file.clone(), new));
            }
        }
        Ok(texts)
    }

    /// Toolkit and standard headers may be called from anywhere, so they come first, forced to be both; where the op
    /// includes them, their include guards hold. <new> stays as it is: clang declares those functions itself.
    fn text(&self) -> Result<String> {
        // <cstddef> declares std::terminate, which has to be both, too.
        let mut text = format!("{BOTH}#include <cstddef>\n{END}#include <new>\n{BOTH}");
        for name in self.split_options().0 {
            text.push_str(&format!("#include <{name}>\n"));
        }
        let (toolkit, standard) = self.headers()?;
        for name in standard {
            text.push_str(&format!("#if __has_include(<{name}>)\n#include <{name}>\n#endif\n"));
        }
        // Headers of the host come before those of kernels, whose DT_… are macros, as in the kernels that include both.
        let (host, kernel): (Vec<_>, Vec<_>) = toolkit.iter().partition(|name| is_of_the_host(name));
        for name in host.into_iter().chain(kernel) {
            text.push_str(&format!("#include \"{name}\"\n"));
        }
        if let Some(structs) = &self.structs {
            text.push_str(&format!("#include \"{}\"\n", structs.display()));
        }
        text.push_str("#include \"kernel_operator.h\"\n");
        text.push_str(END);
        text.push_str(
            "__attribute__((device)) inline void* operator new(decltype(sizeof(0)), void* p) noexcept { return p; }\n\
             __attribute__((device)) inline void operator delete(void*, void*) noexcept {}\n",
        );
        for (name, value) in &self.macros {
            text.push_str(&format!("#define {name} {value}\n"));
        }
        text.push_str(&format!("#include \"{}\"\n{BOTH}", self.source.display()));
        let arguments = vec!["(GM_ADDR)0"; self.parameters].join(", ");
        // Kernels that are no templates have one function for all keys.
        let calls =
            if self.keys.iter().any(|(_, template)| template.is_some()) { &self.keys[..] } else { &self.keys[..1] };
        for (key, template) in calls {
            let template = template.as_ref().map(|list| format!("<{}>", list.join(", "))).unwrap_or_default();
            text.push_str(&format!(
                "extern \"C\" void {}_{key}() {{ {}{template}({arguments}); }}\n",
                self.name, self.function
            ));
        }
        text.push_str(END);
        Ok(text)
    }

    /// What the op's own files include and is not theirs: names in the toolkit, and others in `<…>`.
    fn headers(&self) -> Result<(BTreeSet<String>, BTreeSet<String>)> {
        let (mut toolkit, mut standard) = (BTreeSet::new(), BTreeSet::new());
        for file in self.files.iter().filter(|file| self.is_own(file)).chain([&self.source]) {
            let text = fs::read(file).with_context(|| format!("cannot read {}", file.display()))?;
            for Include { path: name, angle: is_angled, .. } in includes(&String::from_utf8_lossy(&text)) {
                // A header of the op has the first right to a quoted name.
                if !is_angled && file.parent().is_some_and(|dir| dir.join(&name).exists()) {
                    continue;
                }
                if self.root.join("include").join(&name).exists() {
                    toolkit.insert(name);
                } else if is_angled && name != "new" {
                    standard.insert(name);
                }
            }
        }
        Ok((toolkit, standard))
    }

    /// CUDA's device half is the strict mode that clang's frontend has: what is marked for the device may call only
    /// what is marked. `system` are the host compiler's own include directories; libclang brings none.
    pub fn arguments(&self, system: &[PathBuf]) -> Vec<String> {
        const MODE: [&str; 18] = [
            "-x",
            "cuda",
            "--cuda-device-only",
            "--cuda-gpu-arch=sm_70",
            "-nocudainc",
            "-nocudalib",
            "-std=c++17",
            "-nostdinc",
            "-nostdinc++",
            "-ferror-limit=0",
            "-fno-rtti",
            "-w",
            // Otherwise every constexpr function may be called from the device.
            "-Xclang",
            "-fno-cuda-host-device-constexpr",
            // libstdc++'s <type_traits> declares some.
            "-Xclang",
            "-fcuda-allow-variadic-functions",
            "-DHOSTCANN_DEVICE_CHECK",
            "-DASCENDC_TPL_KERNEL",
        ];
        let mut arguments: Vec<String> = MODE.map(str::to_owned).to_vec();
        arguments.extend(self.split_options().1);
        arguments.extend(["-I".to_owned(), self.kernel_dir.display().to_string()]);
        let mut add = |flag: &str, dir: &Path| arguments.extend([flag.to_owned(), dir.display().to_string()]);
        add("-isystem", &self.root.join("include"));
        for dir in &self.includes {
            add("-I", dir);
        }
        for dir in system {
            add("-isystem", dir);
        }
        arguments
    }
}

impl Unit {
    /// Headers that the kernel compiler puts before the source (`-include <name>`), and the other options. As options
    /// they would come before the pragma, too.
    fn split_options(&self) -> (Vec<String>, Vec<String>) {
        let (mut headers, mut others) = (Vec::new(), Vec::new());
        let mut options = self.options.iter();
        while let Some(option) = options.next() {
            match (option.as_str(), options.as_slice().first()) {
                ("-include", Some(name)) => {
                    headers.push(name.clone());
                    options.next();
                }
                _ => others.push(option.clone()),
            }
        }
        (headers, others)
    }
}

fn is_of_the_host(name: &str) -> bool {
    ["register/", "graph/", "exe_graph/"].iter().any(|dir| name.starts_with(dir))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_toolkit_inside_of_the_checkout_is_not_the_ops_own() {
        let unit: Unit = serde_json::from_value(serde_json::json!({
            "name": "x", "dtypes": "", "root": "/math/.hostcann/toolkit", "kernel_dir": "/math/x/op_kernel",
            "source": "/math/x/op_kernel/x.cpp", "structs": null, "includes": ["/math", "/math/common/inc"], "options": [],
            "macros": [], "function": "x", "parameters": 1, "keys": [], "files": []
        }))
        .expect("a unit");
        for own in ["/math/x/op_kernel/x.h", "/math/common/inc/y.h", "/math/x/op_kernel/x.cpp"] {
            assert!(unit.is_own(Path::new(own)), "{own}");
        }
        for other in ["/math/.hostcann/toolkit/include/kernel_operator.h", "/usr/include/stdio.h"] {
            assert!(!unit.is_own(Path::new(other)), "{other}");
        }
    }
}
