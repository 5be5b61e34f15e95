//! The tables of docs/reference/ascgraph.md are made from the registry and the rules. `ASCGRAPH_UPDATE=1` writes them
//! anew.

use std::path::Path;

use ascgraph::check::RULES;
use ascgraph::ir::{self, ComputeType, Inputs};
use ascgraph::lower::types;

fn types() -> String {
    let mut text = String::from(
        "| type | operands | class | data types | may overwrite | in a kernel | follows | upstream |\n|---|---|---|---|---|---|---|---|\n",
    );
    for ir in ir::all() {
        let operands = match ir.inputs {
            Inputs::Named(names) => names.join(", "),
            Inputs::List(name) => format!("{name}, {name}, …"),
        };
        let class = match ir.compute_type {
            ComputeType::Invalid => "end",
            ComputeType::Load => "load",
            ComputeType::Store => "store",
            ComputeType::Elewise => "element-wise",
            ComputeType::Broadcast => "broadcast",
            ComputeType::Reduce => "reduction",
            ComputeType::Concat => "concat",
            ComputeType::Transpose => "transpose",
        };
        let (over, upstream) = (ir.in_place.join(", "), if ir.upstream { "yes" } else { "Ascend 950 only" });
        let kernel = match ir.compute_type {
            ComputeType::Elewise | ComputeType::Reduce => types::dtypes(ir).join(", "),
            _ if ir.name == "Unsupported" => String::new(),
            _ => "all".to_owned(),
        };
        text += &format!(
            "| {} | {operands} | {class} | {} | {over} | {kernel} | {} | {upstream} |\n",
            ir.name,
            ir.dtype_text(),
            types::follows(ir)
        );
    }
    text
}

fn rules() -> String {
    let mut text = String::from("| code | slug | weight | what holds |\n|---|---|---|---|\n");
    for rule in RULES {
        text += &format!("| {} | `{}` | {} | {} |\n", rule.code(), rule.slug(), rule.severity(), rule.title());
    }
    text
}

#[test]
fn the_tables_are_those_of_the_crate() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/reference/ascgraph.md");
    let page = std::fs::read_to_string(&path).expect("the page");
    let mut wanted = page.clone();
    for (name, table) in [("types", types()), ("rules", rules())] {
        let (begin, end) = (format!("<!-- {name}: begin -->\n"), format!("<!-- {name}: end -->"));
        let (before, rest) = wanted.split_once(&begin).expect("where the table begins");
        let (_, after) = rest.split_once(&end).expect("where it ends");
        wanted = format!("{before}{begin}\n{table}\n{end}{after}");
    }
    if std::env::var_os("ASCGRAPH_UPDATE").is_some() {
        std::fs::write(&path, &wanted).expect("written");
    } else {
        assert!(
            page == wanted,
            "docs/reference/ascgraph.md is stale: ASCGRAPH_UPDATE=1 cargo test -p ascgraph --test docs"
        );
    }
}
