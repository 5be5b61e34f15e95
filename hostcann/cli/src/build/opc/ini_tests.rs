use super::*;

pub(crate) const FMOD: &str = "[Fmod]
input0.name=x1
input0.dtype=float32,float16
input0.format=ND,ND
input0.unknownshape_format=ND,ND
input0.shape=all
input0.paramType=required
input1.name=x2
input1.dtype=float32,float16
input1.format=ND,ND
input1.unknownshape_format=ND,ND
input1.shape=all
input1.paramType=optional
output0.name=y
output0.dtype=float32,float16
output0.format=ND,ND
output0.unknownshape_format=ND,ND
output0.shape=all
output0.paramType=required
attr.list=scalar
attr_scalar.type=float
attr_scalar.value=all
attr_scalar.paramType=optional
attr_scalar.defaultValue=0.0
dynamicCompileStatic.flag=true
prebuildPattern.value=Opaque
coreType.value=AiCore
kernelSrc.value=fmod
opFile.value=fmod
opInterface.value=fmod
";

#[test]
fn what_the_kernel_compiler_needs() {
    let op = &parse(FMOD).expect("ini")[0];
    assert_eq!(op.columns().expect("columns"), 2);
    assert_eq!(op.parameters().expect("parameters"), 5);
    let computed = format!("{FMOD}output0.outputShapeDependOnCompute=true\n");
    assert_eq!(parse(&computed).expect("ini")[0].parameters().expect("parameters"), 6);
    let inputs = op.inputs().expect("inputs");
    assert_eq!((inputs[1].name.as_str(), inputs[1].param_type.as_str()), ("x2", "optional"));
    assert_eq!(op.outputs().expect("outputs")[0].dtypes, ["float32", "float16"]);
    let attr = Attr { name: "scalar".into(), kind: "float".into(), default: Some("0.0".into()) };
    assert_eq!(op.attrs(), [attr]);
}

#[test]
fn refused() {
    let y = "[A]\noutput0.name=y\noutput0.paramType=required\noutput0.dtype=";
    let cases = [
        ("[A]\nheavyOp.flag=true".to_owned(), "no output0.name"),
        (format!("{y}float33"), "ops-info.ini:4: error OI110: [A] output0.dtype has the data type `float33`"),
        (format!("{y}int8,int8\noutput0.format=ND"), "ops-info.ini:5: error OI114: [A]"),
        (format!("{y}int8\noutput0.format=FRACTAL_NZ"), "not modelled: FRACTAL_NZ"),
        (format!("{y}int8\noutput0.format=MD"), "`MD`"),
        (
            format!("{y}int8,int8\noutput1.name=z\noutput1.paramType=required\noutput1.dtype=int8"),
            "z has 1 dtype entries",
        ),
    ];
    for (text, part) in cases {
        let error = parse(&text).expect_err(&text).to_string();
        assert!(error.contains(part), "{text}: {error}");
    }
}

#[test]
fn every_error_is_told() {
    let error = parse("[A]\noutput0.name=y\nheavyOp.flag=yes\n").expect_err("two").to_string();
    let lines: Vec<&str> = error.lines().collect();
    assert!(lines[0].starts_with("ops-info.ini:2: error OI104: [A] output0.paramType is missing"), "{error}");
    assert!(lines[1].starts_with("ops-info.ini:3: error OI301: [A] heavyOp.flag is `yes`"), "{error}");
}

#[test]
fn columns_of_other_engines_are_left_out() {
    let text = FMOD
        .replace("dtype=float32,float16", "dtype=float32,hifloat8,float16")
        .replace("format=ND,ND", "format=ND,ND,ND")
        .replacen("format=ND,ND,ND", "format=ND,ND,FRACTAL_NZ", 1);
    let op = &parse(&text).expect("ini")[0];
    assert_eq!(op.columns().expect("columns"), 1);
    assert_eq!(op.inputs().expect("inputs")[0].dtypes, ["float32"]);
    assert_eq!(op.get("input1.unknownshape_format"), Some("ND"));
    assert_eq!(op.skipped.iter().collect::<Vec<_>>(), ["FRACTAL_NZ", "hifloat8"]);
    assert!(parse(FMOD).expect("ini")[0].skipped.is_empty());
}

#[test]
fn one_op_type_from_two_directories() {
    let ops = [parse(FMOD).expect("ini"), parse(FMOD).expect("ini")].concat();
    assert!(to_json(&ops).expect_err("twice").to_string().contains("two op directories define the op Fmod"));
}
