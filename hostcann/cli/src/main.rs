//! `hostcann`: the program is the library's.

fn main() -> std::process::ExitCode {
    hostcann_cli::test::layer::register(hostcann_cli::test::operators_layers::all());
    hostcann_cli::main::<hostcann_cli::Verbs>("hostcann")
}
