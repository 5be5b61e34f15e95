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
fn golden_json() {
    let json = to_json(&parse(FMOD).expect("ini")).expect("json");
    let want = r#"{
    "Fmod":{
        "attr":{
            "list":"scalar"
        },
        "attr_scalar":{
            "defaultValue":"0.0",
            "paramType":"optional",
            "type":"float",
            "value":"all"
        },
        "coreType":{
            "value":"AiCore"
        },
        "dynamicCompileStatic":{
            "flag":"true"
        },
        "input0":{
            "dtype":"float32,float16",
            "format":"ND,ND",
            "name":"x1",
            "paramType":"required",
            "shape":"all",
            "unknownshape_format":"ND,ND"
        },
        "input1":{
            "dtype":"float32,float16",
            "format":"ND,ND",
            "name":"x2",
            "paramType":"optional",
            "shape":"all",
            "unknownshape_format":"ND,ND"
        },
        "opFile":{
            "value":"fmod"
        },
        "opInterface":{
            "value":"fmod"
        },
        "output0":{
            "dtype":"float32,float16",
            "format":"ND,ND",
            "name":"y",
            "paramType":"required",
            "shape":"all",
            "unknownshape_format":"ND,ND"
        },
        "prebuildPattern":{
            "value":"Opaque"
        }
    }
}"#;
    assert_eq!(json, want);
}

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
    let cases = [
        ("input0.name=x", "before the first [Op]"),
        ("[A]\n[A]", "op A is there twice"),
        ("[A]\nfoo.x=1\nfoo.x=2", "foo.x twice"),
        ("[A]\nrubbish", "neither [Op] nor key=value"),
        ("[A]\ninput0.name=x", "no output0.name"),
        ("[A]\noutput0.name=y\noutput0.dtype=float33", "`float33`"),
        ("[A]\noutput0.name=y\noutput0.dtype=int8\noutput0.format=FRACTAL_NZ", "not modelled: FRACTAL_NZ"),
        ("[A]\noutput0.name=y\noutput0.dtype=int8\noutput0.format=FRACTAL", "`FRACTAL`"),
        ("[A]\noutput0.name=y\noutput0.dtype=int8,int8\noutput0.format=ND", "has 1 format entries"),
        ("[A]\noutput0.name=y\noutput0.dtype=int8\noutput0.paramType=maybe", "`maybe`"),
        ("[A]\noutput0.name=y\noutput0.dtype=int8\nattr.list=a", "attr_a.type is missing"),
        ("[A]\noutput0.name=y\noutput0.dtype=int8\ndynamicFormat.flag=yes", "dynamicFormat.flag is `yes`"),
    ];
    for (text, part) in cases {
        let error = parse(text).expect_err(text).to_string();
        assert!(error.contains(part), "{text}: {error}");
    }
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
