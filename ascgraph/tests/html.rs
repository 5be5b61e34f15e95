//! The page of a graph: well formed, complete, the same every time, and nothing of a file's names is taken for HTML.

use ascgraph::build::fmod_example;
use ascgraph::dump;
use ascgraph::load::load;
use ascgraph::model::FusedGraph;

mod sources;

fn html(fused: &FusedGraph) -> String {
    dump::html(fused, &sources::sources())
}

fn recorded(name: &str) -> FusedGraph {
    let corpus: serde_json::Value = serde_json::from_str(include_str!("corpus.json")).expect("JSON");
    load(&corpus[name].to_string()).expect("loads").fused
}

/// Tags in their order; those that HTML lets open are left out.
fn tags(page: &str) -> Vec<String> {
    let mut all = Vec::new();
    let mut rest = page;
    while let Some((_, after)) = rest.split_once('<') {
        let end = after.find('>').expect("a tag ends");
        let tag = &after[..end];
        let name: String = tag
            .chars()
            .take_while(|c| c.is_ascii_alphanumeric() || "/!".contains(*c))
            .collect::<String>()
            .to_lowercase();
        let open = ["!doctype", "meta", "th", "td", "path", "rect"].contains(&name.as_str());
        if !open || name == "path" && !tag.ends_with('/') || name == "rect" && !tag.ends_with('/') {
            all.push(name.clone());
        }
        rest = &after[end + 1..];
        // What these hold is no HTML.
        if ["style", "script"].contains(&name.as_str()) {
            let close = format!("</{name}>");
            rest = &rest[rest.find(&close).expect("it ends")..];
        }
    }
    all
}

fn well_formed(page: &str) {
    let mut open: Vec<String> = Vec::new();
    for tag in tags(page) {
        match tag.strip_prefix('/') {
            Some(name) => assert_eq!(open.pop().as_deref(), Some(name), "in {open:?}"),
            None => open.push(tag),
        }
    }
    assert_eq!(open, Vec::<String>::new());
}

#[test]
fn a_page_has_every_node_in_every_part() {
    let page = html(&fmod_example());
    well_formed(&page);
    assert_eq!(page, html(&fmod_example()), "the same bytes");
    for part in ["Hint graph fmod", "Impl graph, case Y1", "Generated code"] {
        assert_eq!(page.matches(&format!(">{part}<")).count(), 1, "{part}");
    }
    // Picture and table of all nodes; those with a tile live in the chart, too.
    let marked = |id: usize, tag: &str| page.matches(&format!("<{tag} data-n=\"{id}\"")).count();
    // brc_y has a tile in the second kernel only.
    for (id, count) in [1, 1, 3, 3, 2, 3, 3, 3, 3, 1, 1].into_iter().enumerate() {
        assert_eq!((marked(id, "tr"), marked(id, "g")), (1, count), "{id}");
    }
    for line in [
        "for z0z1TB in 0 .. Ceiling(",
        "    n8_sub = Sub(",
        "load_x = copy of x",
        "// brc_y: Broadcast of load_y is nothing to do",
        "copy sub to memory",
    ] {
        let line = line.trim_start_matches("    n8_");
        assert!(page.contains(line), "{line}");
    }
    // The generated line of Mul stands for its operands and itself.
    assert!(page.contains("data-n=\"3 6 7\"><i>"), "Mul");
    assert!(page.contains("<details open><summary>op_kernel/my_op.h</summary>"));
    assert!(page.contains("each element of a tile: 28."));
}

#[test]
fn nothing_comes_from_elsewhere() {
    let page = html(&fmod_example());
    for part in ["src=", "href=", "@import", "url(", "fetch(", "https:"] {
        assert!(!page.contains(part), "{part}");
    }
    assert_eq!(page.matches("http:").count(), page.matches("xmlns=\"http://www.w3.org/2000/svg\"").count());
}

#[test]
fn names_are_no_html() {
    let bad = "</title><script>alert('&\"')</script>";
    let mut fused = fmod_example();
    fused.name = bad.to_owned();
    let graph = &mut fused.graphs[0];
    graph.name = bad.to_owned();
    graph.axis[0].name = bad.to_owned();
    let add = graph.node("div").expect("div");
    graph.nodes[add].name = bad.to_owned();
    graph.nodes[add].node_type = bad.to_owned();
    let page = html(&fused);
    well_formed(&page);
    assert!(!page.contains("alert('"), "a script of the file's");
    assert!(page.contains("&lt;/title&gt;&lt;script&gt;alert(&#39;&amp;&quot;&#39;)&lt;/script&gt;"));
    assert_eq!(page.matches("<script>").count(), 1);
}

#[test]
fn what_becomes_no_kernel_says_why() {
    let mut fused = fmod_example();
    let div = fused.graphs[0].node("div").expect("div");
    fused.graphs[0].nodes[div].node_type = "Betrag".to_owned();
    let page = html(&fused);
    well_formed(&page);
    assert!(page.contains("There is none: error AG101: [fmod/div] type Betrag"));
    assert!(!page.contains("Loop nest") && page.contains("Hint graph fmod"));
    for name in ["8__softmax", "13_cat_mul"] {
        let page = html(&recorded(name));
        well_formed(&page);
        assert!(page.contains("Impl graph, case Y0"), "{name}");
    }
    // A circle, an operand from nowhere.
    let graph = &mut fused.graphs[0];
    graph.nodes[2].inputs[0].from = Some(8);
    graph.nodes[3].inputs[0].from = Some(99);
    well_formed(&html(&fused));
}
