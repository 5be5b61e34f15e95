//! What entries mean: defaults, prototypes, files, differences, columns.

use opinfo::{
    Difference, Formats, Given, Lanes, Library, Op, Operator, Origin, Rule, Severity, check_files, check_proto,
    check_selection, diff_operators, errors, parse_protos, resolve,
};

fn op(text: &str) -> Op {
    Library::of(text.as_bytes(), Origin::Ini).ops.remove(0)
}

const ADD: &str = "[AddV2]
input0.name=x1
input0.dtype=float16,float32
input0.format=ND,NC1HWC0
input0.unknownshape_format=ND,NULL
input0.paramType=required
input1.name=x2
input1.dtype=float16,float32
input1.format=ND,NC1HWC0
input1.paramType=optional
output0.name=y
output0.dtype=float16,float
output0.format=ND,NC1HWC0
output0.paramType=required
attr.list=alpha,dims,mode
attr_alpha.type=float
attr_alpha.value=all
attr_alpha.paramType=optional
attr_alpha.defaultValue=1.0
attr_dims.type=listInt
attr_dims.value=all
attr_dims.paramType=required
attr_mode.type=str
attr_mode.value=fast,exact
attr_mode.paramType=optional
attr_mode.defaultValue=fast
";

const PROTO: &str = "#define X(a) a
/* REG_OP(NotThis) */ // REG_OP(NorThis)
REG_OP(AddV2)
    .INPUT(x1, TensorType({DT_FLOAT16, DT_FLOAT}))  // the first
    .OPTIONAL_INPUT(x2, TensorType({DT_FLOAT16, DT_FLOAT}))
    .OUTPUT(y, TensorType({DT_FLOAT16, DT_FLOAT}))
    .ATTR(alpha, Float, 1.0f)
    .REQUIRED_ATTR(dims, ListInt)
    .ATTR(mode, String, \"fast\")
    .OP_END_FACTORY_REG(AddV2)
REG_OP(Concat).DYNAMIC_INPUT(x, TensorType::ALL()).OUTPUT(y, \"T\").ATTR(a, ListListInt, {{1, 2}, {}})
    .DATATYPE(T, TensorType({DT_INT8})).OP_END_FACTORY_REG(Concat)
";

#[test]
fn defaults_are_filled_in() {
    let operator = Operator::of(&op(ADD));
    assert_eq!((operator.op_file.as_str(), operator.interface.as_str()), ("add_v2", "add_v2"));
    assert_eq!(operator.formats, Formats::Lists);
    assert_eq!(operator.inputs[0].unknown_shape_formats, ["ND", "NULL"]);
    assert_eq!(operator.inputs[1].unknown_shape_formats, ["ND", "NC1HWC0"]);
    assert_eq!(operator.attributes[2].values.as_deref(), Some(&["fast".to_owned(), "exact".to_owned()][..]));
    assert!(operator.attributes[1].required && operator.attributes[1].default.is_none());
    let sources = [
        ("dynamicFormat.flag=true", Formats::Callback),
        ("op.pattern=broadcast", Formats::Pattern("broadcast".to_owned())),
        ("dynamicFormat.flag=true\nop.pattern=broadcast", Formats::Callback),
        ("op.pattern=Dynamic", Formats::Callback),
        ("heavyOp.flag=true", Formats::Nothing),
        // Lists win: asc-devkit, "SetOpSelectFormat".
        ("dynamicFormat.flag=true\ninput0.unknownshape_format=ND", Formats::Lists),
    ];
    for (text, want) in sources {
        assert_eq!(Operator::of(&op(&format!("[A]\n{text}"))).formats, want, "{text}");
    }
    let named = op("[A]\nopFile.value=b\nopInterface.value=c");
    assert_eq!((Operator::of(&named).op_file, Operator::of(&named).interface), ("b".to_owned(), "c".to_owned()));
}

#[test]
fn prototypes() {
    let protos = parse_protos(PROTO);
    let names: Vec<&str> = protos.iter().map(|proto| proto.name.as_str()).collect();
    assert_eq!(names, ["AddV2", "Concat"]);
    assert_eq!(protos[1].inputs, [("x".to_owned(), "dynamic")]);
    assert_eq!(
        (protos[1].attributes[0].kind.as_str(), protos[1].attributes[0].default.as_deref()),
        ("listListInt", Some("[[1, 2], []]"))
    );
    assert_eq!(check_proto(&op(ADD), &protos), []);
    let cases = [
        ("[AddV2]", "[AddV3]", Rule::ProtoMissing, 1),
        ("input0.name=x1", "input0.name=a", Rule::ProtoTensors, 1),
        ("output0.name=y", "output0.name=z", Rule::ProtoTensors, 1),
        ("input1.paramType=optional", "input1.paramType=required", Rule::ProtoKind, 10),
        ("attr.list=alpha,dims,mode", "attr.list=dims,alpha,mode", Rule::ProtoAttrs, 15),
        ("attr_alpha.type=float", "attr_alpha.type=int", Rule::ProtoAttrType, 16),
        ("attr_dims.paramType=required", "attr_dims.paramType=optional", Rule::ProtoRequired, 20),
        ("attr_alpha.defaultValue=1.0", "attr_alpha.defaultValue=2", Rule::ProtoDefault, 16),
    ];
    for (from, to, rule, line) in cases {
        let findings = check_proto(&op(&ADD.replace(from, to)), &protos);
        let found: Vec<(Rule, usize)> = findings.iter().map(|finding| (finding.rule, finding.line)).collect();
        assert_eq!(found, [(rule, line)], "{to}");
    }
    // Numbers are compared as numbers.
    assert_eq!(check_proto(&op(&ADD.replace("defaultValue=1.0", "defaultValue=1")), &protos), []);
}

#[test]
fn files_of_kernels() {
    let dir = tempfile::tempdir().expect("dir");
    let write = |name: &str, text: &str| {
        let path = dir.path().join(name);
        std::fs::create_dir_all(path.parent().expect("parent")).expect("mkdir");
        std::fs::write(path, text).expect("write");
    };
    let codes = |text: &str| check_files(&op(text), dir.path()).iter().map(|finding| finding.rule).collect::<Vec<_>>();
    assert_eq!(codes(ADD), [Rule::ImplMissing]);
    write("add_v2.py", "def add(x):\n    return add_v2(x)\n");
    assert_eq!(codes(ADD), [Rule::InterfaceMissing]);
    assert_eq!(codes(&format!("{ADD}opInterface.value=add\n")), []);
    write("add_v2.py", "def add_v2(x1, x2, y):\n    pass\n");
    assert_eq!(codes(ADD), []);
    assert_eq!(codes(&format!("{ADD}opFile.value=Null\n")), []);
    write("other/op_kernel/other.cpp", "template <int T>\n__global__ __aicore__ void other (GM_ADDR x) {}\n");
    assert_eq!(codes("[Other]\n"), []);
}

fn differences(a: &str, b: &str) -> Vec<String> {
    let text = |one: Difference| {
        let side = |text: Option<String>| text.unwrap_or("-".to_owned());
        format!("{}: {} | {}", one.place, side(one.a), side(one.b))
    };
    diff_operators(&op(a), &op(b)).into_iter().map(text).collect()
}

#[test]
fn differences_are_of_meaning() {
    // Another spelling of a type, another order of columns, another way to write a default.
    let same = ADD
        .replace("float16,float32", "float,float16")
        .replace("float16,float\n", "float32,float16\n")
        .replace("ND,NC1HWC0", "NC1HWC0,ND")
        .replace("ND,NULL", "NULL,ND")
        .replace("defaultValue=1.0", "defaultValue=1")
        + "opFile.value=add_v2\nheavyOp.flag=False\ninput0.shape=all\n";
    assert_eq!(differences(ADD, &same), Vec::<String>::new());
    let cases = [
        ("[AddV2]", "[Add]", vec!["OpType: AddV2 | Add"]),
        ("input0.name=x1", "input0.name=a", vec!["input0.name: x1 | a"]),
        ("input1.paramType=optional", "input1.paramType=required", vec!["input1.paramType: optional | required"]),
        ("output0.dtype=float16,float", "output0.dtype=float16,int8", vec!["output0.dtype: float32 | int8"]),
        (
            "input1.format=ND,NC1HWC0",
            "input1.format=NC1HWC0,ND",
            vec![
                "columns: float16:ND float16:ND float16:ND | float32:NC1HWC0 float32:NC1HWC0 float32:NC1HWC0 | float16:ND \
                 float16:NC1HWC0 float16:ND | float32:NC1HWC0 float32:ND float32:NC1HWC0",
            ],
        ),
        (
            "attr.list=alpha,dims,mode",
            "attr.list=dims,alpha,mode",
            vec!["order of attributes: alpha,dims,mode | dims,alpha,mode"],
        ),
        ("attr.list=alpha,dims,mode", "attr.list=alpha,dims", vec!["attribute mode: str | -"]),
        ("attr_alpha.type=float", "attr_alpha.type=int", vec!["attribute alpha: type: float | int"]),
        ("defaultValue=1.0", "defaultValue=1.5", vec!["attribute alpha: defaultValue: 1.0 | 1.5"]),
        ("value=fast,exact", "value=all", vec!["attribute mode: value: fast,exact | all"]),
        ("[AddV2]\n", "[AddV2]\nopFile.value=add\n", vec!["opFile: add_v2 | add"]),
        ("[AddV2]\n", "[AddV2]\nheavyOp.flag=true\n", vec!["heavyOp.flag: false | true"]),
        // Absent is a third value: follow the operator before.
        ("[AddV2]\n", "[AddV2]\nprecision_reduce.flag=false\n", vec!["precision_reduce.flag: - | false"]),
        ("[AddV2]\n", "[AddV2]\ninput0.valueDepend=required\n", vec!["input0.valueDepend: - | required"]),
    ];
    for (from, to, want) in cases {
        assert_eq!(differences(ADD, &ADD.replacen(from, to, 1)), want, "{to}");
    }
}

#[test]
fn columns_of_the_entry() {
    let add = op(ADD);
    let known = Lanes::of_entry(&add, false);
    assert_eq!(known.columns.len(), 2);
    // NULL takes a column out for shapes that are not known, and only for them.
    let null = op(&ADD.replace("input0.format=ND,NC1HWC0", "input0.format=ND,NULL"));
    assert_eq!((Lanes::of_entry(&null, false).columns.len(), Lanes::of_entry(&null, true).columns.len()), (2, 1));
    let unknown = Lanes::of_entry(&add, true);
    assert_eq!(unknown.columns, known.columns[..1]);
    let given = |dtype: &str, format: &str| Some(Given { dtype: dtype.to_owned(), format: format.to_owned() });
    let at = |lanes: &Lanes, given: &[Option<Given>]| resolve(lanes, given).map(|found| found.0);
    assert_eq!(at(&known, &[given("float16", "ND"), given("float16", "ND")]), Some(0));
    assert_eq!(at(&known, &[given("float", "NC1HWC0"), None]), Some(1));
    // Another format: the column is chosen all the same, a TransData goes before it.
    assert_eq!(at(&known, &[given("float32", "ND"), None]), Some(1));
    assert_eq!(at(&unknown, &[given("float32", "ND"), None]), None);
    assert_eq!(at(&known, &[given("float16", "ND"), given("float32", "ND")]), None);
    let two = op("[A]\ninput0.name=x\ninput0.dtype=int8,int8\ninput0.format=NC1HWC0,ND\ninput0.paramType=required\n");
    assert_eq!(at(&Lanes::of_entry(&two, false), &[given("int8", "ND")]), Some(1), "the format that is there first");
    let pattern = op("[A]\nop.pattern=broadcast\ninput0.name=x\ninput0.dtype=int8,bool\ninput0.paramType=required\n");
    assert_eq!(Lanes::of_entry(&pattern, false).columns[1].tensors, [("input0.x".to_owned(), "bool".to_owned(), None)]);
}

fn selected(text: &str, dynamic: bool) -> (usize, Vec<Rule>) {
    let entry = op(
        "[A]\ninput0.name=x\ninput0.paramType=required\ninput1.name=z\ninput1.paramType=optional\noutput0.name=y\noutput0.paramType=required\n",
    );
    let (lanes, findings) = check_selection(text, Some(&entry), dynamic);
    (lanes.columns.len(), findings.iter().map(|finding| finding.rule).collect())
}

const RESULT: &str = r#"{
 "input0": {"name": "x", "dtype": "float16,float", "format": "ND,NCHW", "unknownshape_format": "ND,ND"},
 "output0": {"name": "y", "dtype": "float16,float32", "format": "ND,NCHW"},
 "fallback": {"enable": "true,false"}
}"#;

#[test]
fn results_of_op_select_format() {
    assert_eq!(selected(RESULT, false), (2, vec![]));
    let cases = [
        ("{", "[", Rule::SelectShape),
        ("\"name\": \"x\"", "\"name\": 1", Rule::SelectShape),
        ("\"fallback\": {\"enable\": \"true,false\"}", "\"fallback\": true", Rule::SelectShape),
        ("\"fallback\": {", "\"extra\": {", Rule::SelectKey),
        ("\"dtype\": \"float16,float32\", ", "", Rule::SelectMissing),
        (", \"format\": \"ND,NCHW\"}", "}", Rule::SelectMissing),
        ("float16,float32", "float16", Rule::SelectCount),
        ("float16,float32\", \"format\": \"ND,NCHW\"", "float16\", \"format\": \"ND\"", Rule::SelectCount),
        ("float16,float32", "float16,float33", Rule::SelectName),
        ("ND,NCHW\"}", "ND,XY\"}", Rule::SelectName),
        ("\"name\": \"y\"", "\"name\": \"z\"", Rule::SelectTensor),
        ("\"output0\"", "\"output1\"", Rule::SelectTensor),
        ("\"enable\"", "\"enabled\"", Rule::SelectFallback),
        ("true,false", "true,no", Rule::SelectFallback),
        ("true,false", "true", Rule::SelectFallbackCount),
    ];
    for (from, to, rule) in cases {
        assert!(RESULT.contains(from), "{from}");
        let (columns, rules) = selected(&RESULT.replacen(from, to, 1), false);
        assert!(rules.contains(&rule), "{to}: {rules:?}");
        let wrong = rule.severity(Origin::Json) == Severity::Error;
        assert_eq!(columns, if wrong { 0 } else { 2 }, "{to}");
    }
    // A tensor that is required has to be there.
    let alone = r#"{"input0": {"name": "x", "dtype": "int8", "format": "ND"}}"#;
    assert_eq!(selected(alone, false).1, [Rule::SelectTensor]);
}

#[test]
fn formats_for_shapes_that_are_not_known() {
    let (lanes, findings) = check_selection(RESULT, None, true);
    assert_eq!(errors(&findings).count(), 0);
    let format = |at: usize, tensor: usize| lanes.columns[at].tensors[tensor].2.clone();
    assert_eq!((format(1, 0).as_deref(), format(1, 1).as_deref()), (Some("ND"), Some("NCHW")));
    assert_eq!(lanes.columns.iter().map(|column| column.fallback).collect::<Vec<_>>(), [Some(true), Some(false)]);
    let (lanes, _) = check_selection(RESULT, None, false);
    assert_eq!(lanes.columns[1].tensors[0].2.as_deref(), Some("NCHW"));
}
