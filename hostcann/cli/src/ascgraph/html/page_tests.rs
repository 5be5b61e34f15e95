//! The page of a graph: well formed, complete, the same every time, and nothing of a file's names is taken for HTML.

use ascgraph::build::fmod_example;
use ascgraph::load::load;
use ascgraph::model::FusedGraph;

use super::super::sources::SOURCES;
use super::{CLASSES, layout, page};
use crate::base::page::browser;

fn html(fused: &FusedGraph) -> String {
    page(fused, &SOURCES)
}

/// Graphs that torch_npu built, by name.
fn recorded() -> Vec<(String, FusedGraph)> {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../ascgraph/tests/corpus.json");
    let corpus = std::fs::read_to_string(file).expect("the corpus");
    let corpus: serde_json::Map<String, serde_json::Value> = serde_json::from_str(&corpus).expect("JSON");
    corpus.into_iter().map(|(name, graph)| (name, load(&graph.to_string()).expect("loads").fused)).collect()
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
        let open = ["!doctype", "meta", "th", "td", "path", "rect", "polygon"].contains(&name.as_str());
        if !open
            || name == "path" && !tag.ends_with('/')
            || ["rect", "polygon"].contains(&name.as_str()) && !tag.ends_with('/')
        {
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
        let edges = page.matches(&format!("<g data-n=\"{id}\" class=\"edge\"")).count();
        assert_eq!((marked(id, "tr"), marked(id, "g") - edges), (1, count), "{id}");
    }
    for line in [
        "for z0z1TB in 0 .. Ceiling(",
        "    n8_sub = Sub(",
        "load_x = copy of x",
        "// brc_y: Broadcast of load_y needs no instruction",
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
    // A circle, an operand from nowhere.
    let graph = &mut fused.graphs[0];
    graph.nodes[2].inputs[0].from = Some(8);
    graph.nodes[3].inputs[0].from = Some(99);
    well_formed(&html(&fused));
}

#[test]
fn cases_are_explained_where_they_stand() {
    for (name, fused) in recorded() {
        let page = html(&fused);
        well_formed(&page);
        for case in ["F", "Y1", "Y0", "P"] {
            let heading = page.matches(&format!("<h2>Impl graph, case {case}</h2>\n<p>{case}")).count();
            assert_eq!(heading, page.matches(&format!(">Impl graph, case {case}<")).count(), "{name}");
        }
    }
}

#[test]
fn the_legend_has_every_colour() {
    let page = html(&fmod_example());
    for (_, class, words) in CLASSES {
        assert!(page.contains(&format!("<li><i class=\"{class}\"></i>{words}</li>")), "{class}");
    }
    assert!(page.contains("<code>out = x - trunc(x / y) * y</code>"));
}

/// The points of a path, curves as straight pieces between samples.
fn points(path: &str) -> Vec<(f64, f64)> {
    let (mut all, mut at) = (Vec::new(), (0.0, 0.0));
    let mut words = path.split_whitespace().peekable();
    while let Some(word) = words.next() {
        let (command, first) = word.split_at(1);
        let mut number = |first: Option<&str>| -> f64 {
            first.or_else(|| words.next()).expect("a number").parse().expect("a number")
        };
        let from = at;
        match command {
            "M" => at = (number(Some(first)), number(None)),
            "V" => at.1 = number(Some(first)),
            "v" => at.1 += number(Some(first)),
            "H" => at.0 = number(Some(first)),
            "C" => {
                let mut pair = |first: Option<&str>| (number(first), number(None));
                let (a, b, to) = (pair(Some(first)), pair(None), pair(None));
                for step in 1..50 {
                    let t = f64::from(step) / 50.0;
                    let part = |p: [f64; 4]| {
                        let s = 1.0 - t;
                        p[0] * s * s * s + 3.0 * p[1] * s * s * t + 3.0 * p[2] * s * t * t + p[3] * t * t * t
                    };
                    all.push((part([from.0, a.0, b.0, to.0]), part([from.1, a.1, b.1, to.1])));
                }
                at = to;
            }
            other => panic!("{other} in {path}"),
        }
        for step in 0..=20 {
            let t = f64::from(step) / 20.0;
            if command != "C" && command != "M" {
                all.push((from.0 + (at.0 - from.0) * t, from.1 + (at.1 - from.1) * t));
            }
        }
        all.push(at);
    }
    all
}

#[test]
fn no_edge_runs_behind_a_box() {
    let mut circle = fmod_example();
    circle.graphs[0].nodes[2].inputs[0].from = Some(8);
    let own = [("fmod".to_owned(), fmod_example()), ("circle".to_owned(), circle)];
    for (name, fused) in recorded().into_iter().chain(own) {
        for graph in &fused.graphs {
            let widths = vec![120.0; graph.nodes.len()];
            let layout = layout::of(graph, &widths);
            let operands: usize =
                graph.nodes.iter().flat_map(|node| &node.inputs).filter(|input| input.from.is_some()).count();
            assert_eq!(layout.edges.len(), operands, "{name}");
            for edge in &layout.edges {
                for (x, y) in points(&edge.path) {
                    assert!((0.0..=layout.size.0).contains(&x) && (0.0..=layout.size.1).contains(&y), "{name}");
                    let behind = layout.corners.iter().position(|(left, top)| {
                        x > left - 1.0 && x < left + 121.0 && y > top + 0.1 && y < top + layout::HEIGHT - 0.1
                    });
                    assert_eq!(behind, None, "{name}: {} of {} to {}", edge.operand, edge.from, edge.to);
                }
            }
        }
    }
}

/// In a real browser, where this machine has one: the pointer on a node lights up its row, its box and its bars.
#[test]
fn a_browser_shows_it() {
    let script = "
        const of = (id) => [...document.querySelectorAll(`[data-n~=\"${id}\"]`)];
        of(6)[0].dispatchEvent(new MouseEvent('mouseover', { bubbles: true }));
        const hot = of(6).every((e) => e.classList.contains('hot'));
        of(6)[0].dispatchEvent(new MouseEvent('mouseout', { bubbles: true }));
        const text = (kind) => [...document.querySelectorAll(kind)];
        const outside = text('g:not(.edge) > .box').filter((box) => {
          const [own, room] = [box.getBBox(), box.ownerSVGElement.viewBox.baseVal];
          return own.x < 0 || own.y < 0 || own.x + own.width > room.width || own.y + own.height > room.height;
        });
        const wide = text('g > .box').filter((box) => [...box.parentNode.querySelectorAll('text')]
          .some((line) => line.getAttribute('text-anchor') === 'middle' && line.getBBox().width > box.getBBox().width));
        return { hot, off: text('.hot').length, outside: outside.length, wide: wide.length };";
    for result in browser::opened(&html(&fmod_example()), script) {
        assert_eq!(result, serde_json::json!({"hot": true, "off": 0, "outside": 0, "wide": 0}));
    }
}
