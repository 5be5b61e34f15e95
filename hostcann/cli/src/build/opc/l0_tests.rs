use super::*;
use crate::base::diag;
use crate::base::files::write_if_changed;
use cpptext::Token;

const L0: &str = "
#include \"x.h\"
namespace l0op {
OP_TYPE_REGISTER(Scale);
// Hidden( in a comment
static bool Check(const aclTensor* x) { return Named(\"Quoted(\"); }
const aclTensor* Later(const aclTensor* x);
const aclTensor* Scale(const aclTensor* x, aclOpExecutor* executor)
{
return Check(x) ? Shift(x, executor) : nullptr;
}
} // namespace l0op
int Outside() { return l0op::Other(1); }
";

fn external(tokens: &[Token]) -> Vec<String> {
    defined(tokens, Linkage::External).into_iter().collect()
}

#[test]
fn functions_of_a_source() {
    let tokens = tokens(L0);
    assert_eq!(external(&tokens), ["Scale"]);
    let called = called(&tokens);
    assert!(called["Shift"] == 2 && called["Other"] == 1, "{called:?}");
    // Nor what only this file can call.
    for name in ["Quoted", "Hidden", "Check"] {
        assert!(!called.contains_key(name), "{called:?}");
    }
}

#[test]
fn calls_after_what_looks_like_a_literal() {
    for text in [
        "LIMIT = 1'000; auto x = l0op::Cast(a, b, c);",
        "s = R\"x(\")x\"; auto x = l0op::Cast(a, std::pair<int, int>(1, 2), 'c');",
    ] {
        assert_eq!(called(&tokens(text)), Calls::from([("Cast".to_owned(), 3)]), "{text}");
    }
}

#[test]
fn functions_of_a_library() {
    let library =
        b"\0_ZN4l0op4CastEPK9aclTensor\0_ZN2op4CastE\0_ZN4l0op9SqueezeNdEv\0_ZN4l0op4CastEPK9aclTensor.cold\0";
    assert_eq!(exported(library), Calls::from([("Cast".to_owned(), 1), ("SqueezeNd".to_owned(), 0)]));
}

#[test]
fn sources_of_a_checkout() {
    let temp = tempfile::tempdir().expect("temp dir");
    let write = |file: &str, text: &str| write_if_changed(&temp.path().join(file), text.as_bytes()).expect("write");
    let l0 = |name: &str, calls: &str| format!("namespace l0op {{ int {name}(int x) {{ return {calls}; }} }}");
    write("root/lib64/libnnopbase.so", "\0_ZN4l0op4CastEPK9aclTensor\0_ZN4l0op4CopyEii\0");
    write("tree/math/own/op_api/aclnn_own.cpp", "#include \"common.h\"\nint f() { return l0op::Own(g()); }");
    // Inline functions of headers call, too; a declaration is no call.
    let header = "namespace l0op { int Declared(int x); }\ninline int g() { return l0op::Cast(1) + l0op::Mid(2); }";
    write("tree/math/own/op_api/common.h", header);
    write("tree/math/own/op_api/own.cpp", &l0("Own", "x"));
    write("tree/math/mid/op_api/mid.cpp", &l0("Mid", "Far(x) + Nowhere(x)"));
    write("tree/math/mid/op_api/aclnn_mid.cpp", &l0("Unused", "Near(x)"));
    write("tree/conversion/far/op_host/op_api/far.cpp", &l0("Far", "x"));
    write("tree/conversion/far/op_host/far_def.cpp", "this->AICore().AddConfig(\"ascend910b\");");
    write("tree/conversion/far/op_kernel/far.cpp", "");
    write("tree/conversion/far/CMakeLists.txt", "");
    write("tree/math/mid/op_host/mid_infershape.cpp", "");
    write("tree/experimental/math/mid2/op_api/mid.cpp", &l0("Mid", "x"));
    let tree = temp.path().join("tree");
    let lines = |sources: &[&str], soc: &str| {
        resolve(&L0Args {
            sources: sources.iter().map(|source| tree.join(source)).collect(),
            checkout: tree.clone(),
            beside: vec![temp.path().join("beside")],
            headers: Some(temp.path().join("headers")),
            op_dirs: Vec::new(),
            interfaces: Vec::new(),
            soc: vec![soc.to_owned()],
            root: temp.path().join("root"),
        })
        .expect("resolved")
        .iter()
        .map(|line| line.replace(&tree.display().to_string(), ""))
        .collect::<Vec<_>>()
    };
    write("tree/common/stub/op_api/stub.cpp", &l0("Nowhere", "x"));
    write("tree/math/own/op_api/own.h", "own");
    write("beside/math/mid/op_api/mid.cpp", &l0("Mid", "x"));
    write("beside/math/near/op_api/near.cpp", &l0("Nowhere", "x"));
    write("beside/math/near/op_api/near.h", "near");
    write("beside/math/cast/op_api/cast.h", "another");
    write("root/include/level0/cast.h", "");
    let own = ["math/own/op_api/aclnn_own.cpp", "math/own/op_api/own.cpp"];
    let shapes = "infer /math/mid/op_host/mid_infershape.cpp";
    // What only another checkout has.
    let near = format!("source {}/beside/math/near/op_api/near.cpp", temp.path().display());
    assert_eq!(lines(&own, "ascend910b"), ["dir /conversion/far", shapes, &near, "source /math/mid/op_api/mid.cpp"]);
    let mut headers = files::walk(&temp.path().join("headers")).expect("headers");
    headers.sort();
    let forwarded = ["level0/common.h", "level0/near.h", "level0/own.h"].map(PathBuf::from);
    assert_eq!(headers, forwarded, "cast.h is the toolkit's");
    let text = fs::read_to_string(temp.path().join("headers/level0/near.h")).expect("a header");
    assert_eq!(text, format!("#include \"{}/beside/math/near/op_api/near.h\"\n", temp.path().display()));
    // Without kernels for the SoC its function links all the same.
    let only = lines(&own, "ascend910_93");
    assert_eq!(
        only,
        [shapes, &near, "source /conversion/far/op_host/op_api/far.cpp", "source /math/mid/op_api/mid.cpp"]
    );
    // An overload of the checkout with the name of one of the toolkit's.
    write("tree/math/copy/op_api/copy.cpp", "namespace l0op { int Copy(int a, int b, int c) { return a; } }");
    write("tree/math/two/op_api/aclnn_two.cpp", "int f() { return l0op::Copy(1, {2, 3}) + l0op::Copy(g(1, 2), 3); }");
    write("tree/math/three/op_api/aclnn_three.cpp", "int f() { return l0op::Copy(1, 2, 3) + l0op::Copy(1, 2); }");
    assert_eq!(lines(&["math/two/op_api/aclnn_two.cpp"], "ascend910b"), [""; 0]);
    let three = lines(&["math/three/op_api/aclnn_three.cpp"], "ascend910b");
    assert_eq!(three, ["source /math/copy/op_api/copy.cpp"]);
    // What lies below experimental/ takes its neighbours first.
    write("tree/experimental/math/new/op_api/aclnn_new.cpp", "int f() { return l0op::Mid(2); }");
    let new = lines(&["experimental/math/new/op_api/aclnn_new.cpp"], "ascend910b");
    assert_eq!(new, ["source /experimental/math/mid2/op_api/mid.cpp"]);
}

#[test]
fn shape_functions_of_another_directory() {
    let temp = tempfile::tempdir().expect("temp dir");
    let write = |file: &str, text: &str| write_if_changed(&temp.path().join(file), text.as_bytes()).expect("write");
    write("one/op_host/one_infershape.cpp", "#include \"../../two/op_host/two_infershape.h\"\n");
    write("two/op_host/two_infershape.h", "");
    write(
        "two/op_host/two_infershape.cpp",
        "#include \"two_infershape.h\"\n#include \"two/op_host/none_infershape.h\"\n",
    );
    let found = shape_files(&temp.path().join("one")).expect("found");
    let names: Vec<_> = found.iter().map(|path| path.strip_prefix(temp.path().canonicalize().expect("path"))).collect();
    assert_eq!(
        names,
        ["one/op_host/one_infershape.cpp", "two/op_host/two_infershape.cpp"].map(|name| Ok(Path::new(name)))
    );
}

#[test]
fn interfaces_that_examples_call() {
    let temp = tempfile::tempdir().expect("temp dir");
    let write = |file: &str, text: &str| write_if_changed(&temp.path().join(file), text.as_bytes()).expect("write");
    let includes = "#include \"acl/acl.h\"\n#include \"aclnn_own.h\"\n#include \"aclnnop/aclnn_far.h\"\n\
                    #include \"aclnn_builtin.h\"\n#include \"aclnn_nowhere.h\"\n#include \"aclnn_bare.h\"\n";
    write("root/lib64/libnnopbase.so", "");
    write("root/include/aclnnop/aclnn_builtin.h", "");
    write("tree/experimental/math/own/examples/test_aclnn_own.cpp", includes);
    write("tree/experimental/math/own/examples/test_geir_own.cpp", "#include \"aclnn_graph.h\"\n");
    for name in ["own", "builtin", "graph"] {
        write(&format!("tree/math/{name}/op_api/aclnn_{name}.h"), "");
        write(&format!("tree/math/{name}/op_api/aclnn_{name}.cpp"), "");
    }
    write("tree/math/bare/op_api/aclnn_bare.h", "");
    for place in ["math/far", "experimental/math/far"] {
        write(&format!("tree/{place}/op_api/aclnn_far.h"), "");
        write(&format!("tree/{place}/op_api/aclnn_far.cpp"), "int f() { return l0op::Far(1); }");
        write(&format!("tree/{place}/op_api/far.cpp"), "namespace l0op { int Far(int x) { return x; } }");
        write(&format!("tree/{place}/CMakeLists.txt"), "");
    }
    let tree = temp.path().join("tree");
    let lines = resolve(&L0Args {
        sources: Vec::new(),
        checkout: tree.clone(),
        beside: Vec::new(),
        headers: None,
        op_dirs: vec![tree.join("experimental/math/own"), tree.join("math/far")],
        interfaces: vec![temp.path().join("autogen/aclnn_own.h")],
        soc: vec!["ascend910b".to_owned()],
        root: temp.path().join("root"),
    });
    let lines = lines.expect("resolved");
    let shown: Vec<String> = lines.iter().map(|line| line.replace(&tree.display().to_string(), "")).collect();
    // The standard op's, as in a CANN, and its L0 function with it.
    assert_eq!(shown, ["interface /math/far/op_api/aclnn_far.h", "source /math/far/op_api/far.cpp"]);
}

#[test]
fn headers_of_another_repository() {
    let temp = tempfile::tempdir().expect("temp dir");
    let write = |file: &str, text: &str| write_if_changed(&temp.path().join(file), text.as_bytes()).expect("write");
    write("root/lib64/libnnopbase.so", "");
    write("nn/loss/own/op_api/aclnn_own.cpp", "#include \"level0/realdiv.h\"\n");
    let args = L0Args {
        sources: vec![temp.path().join("nn/loss/own/op_api/aclnn_own.cpp")],
        checkout: temp.path().join("nn"),
        beside: Vec::new(),
        headers: Some(temp.path().join("headers")),
        op_dirs: Vec::new(),
        interfaces: Vec::new(),
        soc: Vec::new(),
        root: temp.path().join("root"),
    };
    let error = resolve(&args).expect_err("nobody has it");
    let what = diag::causes(&error).join(": ");
    assert!(what.contains("includes level0/realdiv.h, which neither the toolkit nor "), "{what}");
    let hint = diag::hint(&error).unwrap_or_default();
    assert!(hint.ends_with(&temp.path().join("ops-math").display().to_string()), "{hint}");
    write("ops-math/math/realdiv/op_api/realdiv.h", "");
    let beside = ["ops-math", "ops-nn"].map(|name| temp.path().join(name)).to_vec();
    let args = L0Args { beside, ..args };
    write("ops-nn/index/gather/op_api/gather.h", "");
    resolve(&args).expect("it is there");
    let gather = temp.path().join("headers/level0/gather.h");
    assert!(!gather.exists(), "ops-math has all that is needed");
    write("nn/loss/own/op_api/aclnn_own.cpp", "#include \"level0/realdiv.h\"\n#include \"level0/gather.h\"\n");
    resolve(&args).expect("both are there");
    assert!(gather.is_file());
}

#[test]
fn kernels_and_interfaces_of_the_checkout() {
    let temp = tempfile::tempdir().expect("temp dir");
    let write = |file: &str, text: &str| write_if_changed(&temp.path().join(file), text.as_bytes()).expect("write");
    write("root/lib64/libnnopbase.so", "");
    let own = "#include \"math/far/op_api/aclnn_far.h\"\n#include \"aclnn_unused.h\"\n#include \"aclnn_cubes.h\"\n\
               #include \"math/shared/op_api/fills.h\"\n#include \"math/shared/op_api/idle.h\"\n\
               #include \"math/shared/op_api/twice.h\"\n\
               namespace l0op { int F() { ADD_TO_LAUNCHER_LIST_AICORE(OwnD, 1); ADD_TO_LAUNCHER_LIST_AICORE(Own, 1); } }\n\
               int f() { return aclnnFar(1) + aclnnCubes(2) + op::Filled(3) + op::Twice(4); }";
    for (name, file) in [("Filled", "fills"), ("Idle", "idle"), ("Twice", "twice")] {
        write(&format!("tree/math/shared/op_api/{file}.h"), &format!("namespace op {{ int {name}(int x); }}"));
        write(&format!("tree/math/shared/op_api/{file}.cpp"), &format!("int op::{name}(int x) {{ return x; }}"));
    }
    write("tree/experimental/math/shared/op_api/twice.cpp", "int op::Twice(int x) { return x; }");
    write("tree/math/own_d/op_api/own.cpp", own);
    for name in ["far", "unused", "cubes"] {
        let call = format!("int {name}() {{ return l0op::L{name}(1); }}");
        write(&format!("tree/math/{name}/op_api/aclnn_{name}.cpp"), &call);
        let l0 = format!("namespace l0op {{ int L{name}(int x) {{ return x; }} }}");
        write(&format!("tree/math/{name}/op_api/{name}.cpp"), &l0);
    }
    write("tree/math/far/op_api/aclnn_far.h", "int aclnnFar(int x);");
    write("tree/math/own_d/op_api/aclnn_far.h", "int aclnnFar(int x);");
    write("tree/math/unused/op_api/aclnn_unused.h", "int aclnnUnused(int x);");
    write("tree/math/cubes/op_api/aclnn_cubes.h", "int aclnnCubes(int x);");
    for name in ["own", "own_d", "cubes"] {
        write(&format!("tree/math/{name}/CMakeLists.txt"), "");
        write(&format!("tree/math/{name}/op_host/{name}_def.cpp"), "this->AICore().AddConfig(\"ascend910b\");");
        write(&format!("tree/math/{name}/op_kernel/{name}.cpp"), "");
    }
    write("tree/math/cubes/op_kernel/cubes.cpp", "void k() { AscendC::Mmad(a, b, c); }");
    let tree = temp.path().join("tree");
    let lines = resolve(&L0Args {
        sources: ["math/own_d/op_api/own.cpp", "experimental/math/shared/op_api/twice.cpp"]
            .map(|source| tree.join(source))
            .to_vec(),
        checkout: tree.clone(),
        beside: Vec::new(),
        headers: None,
        op_dirs: vec![tree.join("math/own_d")],
        interfaces: vec![tree.join("math/own_d/op_api/aclnn_far.h")], // a copy
        soc: vec!["ascend910b".to_owned()],
        root: temp.path().join("root"),
    });
    let lines = lines.expect("resolved");
    let shown: Vec<String> = lines.iter().map(|line| line.replace(&tree.display().to_string(), "")).collect();
    // The kernels that need the cube core are not taken, the functions that launch them link.
    assert_eq!(
        shown,
        [
            "interface /math/cubes/op_api/aclnn_cubes.h",
            "interface /math/far/op_api/aclnn_far.h",
            "kernels /math/own",
            "source /math/cubes/op_api/cubes.cpp",
            "source /math/far/op_api/far.cpp",
            "source /math/shared/op_api/fills.cpp"
        ]
    );
}

/// experimental/math/mod defines aclnnFmodScalar in aclnn_fmod_tensor.cpp; a standard op has both in files of their own.
#[test]
fn an_interface_in_a_source_of_another_name_is_the_ops_own() {
    let temp = tempfile::tempdir().expect("temp dir");
    let write = |file: &str, text: &str| write_if_changed(&temp.path().join(file), text.as_bytes()).expect("write");
    write("root/lib64/libnnopbase.so", "");
    let (one, other) = ("int aclnnOne(int x);\n", "int aclnnOther(int x);\n");
    for place in ["math/mod", "experimental/math/mod"] {
        write(&format!("tree/{place}/op_api/aclnn_one.h"), one);
        write(&format!("tree/{place}/op_api/aclnn_other.h"), other);
        write(&format!("tree/{place}/examples/test_aclnn_other.cpp"), "#include \"aclnn_other.h\"\n");
    }
    write("tree/math/mod/op_api/aclnn_other.cpp", "int aclnnOther(int x) { return x; }\n");
    let tree = temp.path().join("tree");
    let dir = tree.join("experimental/math/mod");
    let found = |source: &str| {
        write("tree/experimental/math/mod/op_api/aclnn_one.cpp", source);
        let args = L0Args {
            sources: vec![dir.join("op_api/aclnn_one.cpp")],
            checkout: tree.clone(),
            beside: Vec::new(),
            headers: None,
            op_dirs: vec![dir.clone()],
            interfaces: ["aclnn_one.h", "aclnn_other.h"].map(|name| dir.join("op_api").join(name)).into(),
            soc: Vec::new(),
            root: temp.path().join("root"),
        };
        resolve(&args).expect("resolved")
    };
    let both = "int aclnnOne(int x) { return x; }\nint aclnnOther(int x)\n{\n    return aclnnOne(x);\n}\n";
    assert_eq!(found(both), [""; 0]);
    // What it only calls is the standard op's.
    let calls = "int aclnnOne(int x) { if (aclnnOther(x)) { return 1; } return x; }\n";
    assert_eq!(found(calls), [format!("interface {}/math/mod/op_api/aclnn_other.h", tree.display())]);
}
