//! bisheng's command line, in g++'s words.

/// What the command line asks for.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Options {
    pub inputs: Vec<Input>,
    pub output: Option<String>,
    /// -c, -E or -S: no linking.
    pub stop: Option<String>,
    /// Options of g++, in their order.
    pub flags: Vec<String>,
    /// `--asc-launch-headers=DIR`: kernels are launched by functions whose headers go to DIR.
    pub launch_headers: Option<String>,
    /// `--asc-kernel-binary`: kernels are launched by programs that load them.
    pub kernel_binary: bool,
    /// Libraries and options of the linker, in their order.
    pub link: Vec<String>,
}

#[derive(Debug, PartialEq, Eq)]
pub enum Input {
    /// Ascend C: launches are replaced.
    Asc(String),
    /// What g++ compiles or links as it is, with its -x.
    Other(String, Option<String>),
}

/// The only core that is modelled.
const ARCHITECTURE: &str = "dav-2201";

/// Names of Ascend C after -x.
const ASC: [&str; 2] = ["asc", "cce"];

/// Options with their value in the next word.
const WITH_VALUE: [&str; 12] =
    ["-I", "-D", "-U", "-L", "-isystem", "-iquote", "-include", "-MF", "-MT", "-MQ", "-Xlinker", "-T"];

/// What concerns the device's code generator, or clang, and means nothing for kernels on the host.
const DROPPED: [&str; 9] = [
    "--cce-",
    "-cce-",
    "--gcc-toolchain=",
    "--sanitizer",
    "-dc",
    "-fsplit-dwarf-inlining",
    "-Wno-macro-redefined",
    "-Wno-ignored-attributes",
    "--asc-opt",
];

pub fn parse(args: &[String]) -> Result<Options, String> {
    let mut options = Options::default();
    let mut language: Option<String> = None;
    let mut next_is_asc = false;
    let mut words = args.iter();
    while let Some(word) = words.next() {
        let mut value = |what: &str| words.next().cloned().ok_or(format!("{what} needs a value behind it"));
        if let Some(architecture) = word.strip_prefix("--npu-arch=").or(word.strip_prefix("--cce-aicore-arch=")) {
            check_architecture(architecture)?;
        } else if word == "--npu-arch" {
            check_architecture(&value(word)?)?;
        } else if word == "--enable-simt" {
            return Err(
                "--enable-simt: kernels of threads (SIMT) are not modelled, only SIMD kernels of dav-2201".to_owned()
            );
        } else if let Some(dir) = word.strip_prefix("--asc-launch-headers=") {
            options.launch_headers = Some(dir.to_owned());
        } else if word == "--asc-kernel-binary" {
            options.kernel_binary = true;
        } else if let Some(name) = word.strip_prefix("-x") {
            let name = if name.is_empty() { value("-x")? } else { name.to_owned() };
            language = Some(name).filter(|language| language != "none");
        } else if word == "--asc-aicore-lang" {
            next_is_asc = true;
        } else if word == "-mllvm" {
            value("-mllvm")?;
        } else if DROPPED.iter().any(|dropped| word.starts_with(dropped)) {
        } else if word == "-o" {
            options.output = Some(value("-o")?);
        } else if ["-c", "-E", "-S"].contains(&word.as_str()) {
            options.stop = Some(word.clone());
        } else if word.starts_with("-l") || word.starts_with("-Wl,") || word.starts_with("-L") && word.len() > 2 {
            options.link.push(word.clone());
        } else if word == "-l" || word == "-L" || word == "-Xlinker" {
            options.link.extend([word.clone(), value(word)?]);
        } else if WITH_VALUE.contains(&word.as_str()) {
            options.flags.extend([word.clone(), value(word)?]);
        } else if word.starts_with('-') && word.len() > 1 {
            options.flags.push(word.clone());
        } else {
            let asc = std::mem::take(&mut next_is_asc) || language.as_deref().is_some_and(|name| ASC.contains(&name));
            options.inputs.push(input(word, asc, language.as_deref()));
        }
    }
    Ok(options)
}

fn input(word: &str, asc: bool, language: Option<&str>) -> Input {
    if asc || language.is_none() && word.ends_with(".asc") {
        return Input::Asc(word.to_owned());
    }
    // g++ would take it for C++.
    let language = language.or(word.ends_with(".c").then_some("c"));
    Input::Other(word.to_owned(), language.map(str::to_owned))
}

fn check_architecture(name: &str) -> Result<(), String> {
    if name == ARCHITECTURE || name == "dav-c220" || name == "dav-c220-vec" {
        return Ok(());
    }
    Err(format!("--npu-arch={name}: hostcann models the vector cores of {ARCHITECTURE} (A2 and A3)"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> Result<Options, String> {
        parse(&line.split_whitespace().map(str::to_owned).collect::<Vec<_>>())
    }

    #[test]
    fn what_cmake_asks() {
        let line = "-DN=1 -I /i -std=c++17 --npu-arch=dav-2201 -MD -MT o -MF d -o a.o -c --asc-aicore-lang a.cpp";
        let options = parsed(line).expect("options");
        assert_eq!(options.inputs, [Input::Asc("a.cpp".into())]);
        assert_eq!(options.flags.join(" "), "-DN=1 -I /i -std=c++17 -MD -MT o -MF d");
        assert_eq!((options.output.as_deref(), options.stop.as_deref()), (Some("a.o"), Some("-c")));
        let options =
            parsed("--npu-arch=dav-2201 a.o main.cpp -o demo -L/l -lm -Wl,-rpath,/l libx.so").expect("options");
        let other = |name: &str| Input::Other(name.into(), None);
        assert_eq!(options.inputs, [other("a.o"), other("main.cpp"), other("libx.so")]);
        assert_eq!(options.link, ["-L/l", "-lm", "-Wl,-rpath,/l"]);
        assert_eq!(options.stop, None);
    }

    #[test]
    fn languages() {
        let options = parsed("-x asc a.cpp -x c++ b.x -x none c.asc").expect("options");
        let want =
            [Input::Asc("a.cpp".into()), Input::Other("b.x".into(), Some("c++".into())), Input::Asc("c.asc".into())];
        assert_eq!(options.inputs, want);
        let options = parsed("-xcce a.cpp -xnone b.c").expect("options");
        assert_eq!(options.inputs, [Input::Asc("a.cpp".into()), Input::Other("b.c".into(), Some("c".into()))]);
    }

    #[test]
    fn what_is_not_modelled_is_refused() {
        assert!(
            parsed("--npu-arch=dav-3510 a.asc")
                .expect_err("another core")
                .contains("models the vector cores of dav-2201")
        );
        assert!(parsed("--enable-simt a.asc").expect_err("SIMT").contains("not modelled"));
        assert_eq!(parsed("a.asc -o").expect_err("no name"), "-o needs a value behind it");
        let options = parsed("-dc --sanitizer --cce-auto-sync=off -mllvm -cce-aicore-stack-size=0x8000 -O3 a.asc")
            .expect("options");
        assert_eq!(options.flags, ["-O3"]);
    }
}
