//! Every rule: an entry that breaks it and nothing else, and one beside it that keeps it.

use std::collections::BTreeSet;

use opinfo::{Library, Origin, Profile, RULES, Rule};

const GOOD: &str = "[Good]
input0.name=x1
input0.dtype=float16,float32
input0.format=ND,NCHW
input0.unknownshape_format=ND,NULL
input0.shape=all
input0.paramType=required
input1.name=xs
input1.dtype=float16,float
input1.format=ND,ND
input1.paramType=dynamic
output0.name=y
output0.dtype=float16,float32
output0.format=ND,ND
output0.paramType=required
attr.list=mode,dims
attr_mode.type=int
attr_mode.value=0,1
attr_mode.paramType=optional
attr_mode.defaultValue=0
attr_dims.type=listInt
attr_dims.value=all
attr_dims.paramType=required
dynamicFormat.flag=false
heavyOp.flag=false
opFile.value=good
opInterface.value=good
";

/// One change of `GOOD`, or lines behind it.
fn changed(change: &str) -> String {
    match change.split_once(" -> ") {
        None if change.starts_with("= ") => change[2..].to_owned(),
        None => format!("{GOOD}{change}\n"),
        Some((from, to)) => {
            assert_eq!(GOOD.matches(from).count(), 1, "`{from}` is there once");
            GOOD.replace(from, to)
        }
    }
}

fn rules(text: &str, origin: Origin, profile: Profile) -> BTreeSet<Rule> {
    Library::of(text.as_bytes(), origin).check(profile).into_iter().map(|finding| finding.rule).collect()
}

#[test]
fn a_good_entry_breaks_no_rule() {
    assert_eq!(rules(GOOD, Origin::Ini, Profile::Any), BTreeSet::new());
    for (name, profile) in Profile::ALL {
        assert_eq!(rules(GOOD, Origin::Ini, profile), BTreeSet::new(), "{name}");
    }
}

/// Rule, what breaks it, what keeps it; both in the words of `changed`.
#[rustfmt::skip]
const CASES: &[(Rule, &str, &str)] = &[
    (Rule::NotText, "op.pattern=\0", "op.pattern=broadcast"),
    (Rule::Bom, "[Good]\n -> \u{feff}[Good]\n", "[Good]\n -> [Good]\n\n"),
    (Rule::NoOp, "= ", "= [A]\nop.pattern=reduce"),
    (Rule::Stray, "heavyOp.flag", "heavyOp.flag=false\n -> heavyOp.flag=true\n"),
    (Rule::Comment, "# opFile.value=x", "; no key, and # none"),
    (Rule::KeyForm, "heavyOp=true", "softsync.flag=true"),
    (Rule::KeyForm, "a.b.c=true", "softsync.flag=true"),
    (Rule::BeforeOp, "[Good]\n -> op.pattern=reduce\n[Good]\n", "[Good]\n -> [Good]\nop.pattern=reduce\n"),
    (Rule::KeyTwice, "heavyOp.flag=false", "softsync.flag=false"),
    (Rule::OpTwice, "[Good]\nop.pattern=reduce", "[Other]\nop.pattern=reduce"),
    (Rule::KeyBlank, "attr.list=mode,dims\n -> attr.list=mode,dims\nrangeLimit.value =limited\nrangeLimit.value=limited\n", "rangeLimit.value=limited"),
    (Rule::ValueBlank, "rangeLimit.value= limited", "rangeLimit.value=limited   "),
    (Rule::ListBlank, "output0.dtype=float16,float32 -> output0.dtype=float16, float32", "output0.dtype=float16,float32 -> output0.dtype=float16,float"),
    (Rule::OpenSection, "[Other", "[Other]\nop.pattern=reduce"),
    (Rule::OpType, "[Good]\n -> [Go od]\n", "[Good]\n -> [Go_Od]\n"),
    (Rule::OpTypeCase, "[Good]\n -> [good]\n", "[Good]\n -> [G]\n"),
    (Rule::TensorGroup, "inputMemContinues.flag=true", "softsync.flag=true"),
    (Rule::NameMissing, "output0.name=y\n -> ", "output0.name=y\n -> output0.name=z\n"),
    (Rule::ParamTypeMissing, "output0.paramType=required\n -> ", "output0.paramType=required\n -> output0.paramType=dynamic\n"),
    (Rule::ParamType, "output0.paramType=required -> output0.paramType=maybe", "output0.paramType=required -> output0.paramType=optional"),
    (Rule::ParamType, "output0.paramType=required -> output0.paramType=reserved", "output0.paramType=required -> output0.paramType=optional"),
    (Rule::TensorName, "output0.name=y -> output0.name=y-1", "output0.name=y -> output0.name=y_1"),
    (Rule::NameTwice, "input1.name=xs -> input1.name=x1", "output0.name=y -> output0.name=x1"),
    (Rule::DynamicName, "input0.name=x1 -> input0.name=xs0", "input0.name=x1 -> input0.name=xsa"),
    (Rule::DtypeUnknown, "output0.dtype=float16,float32 -> output0.dtype=float16,float33", "output0.dtype=float16,float32 -> output0.dtype=float16,bfloat16"),
    (Rule::DtypeConverter, "output0.dtype=float16,float32 -> output0.dtype=float16,variant", "output0.dtype=float16,float32 -> output0.dtype=float16,int2"),
    (Rule::FormatUnknown, "output0.format=ND,ND -> output0.format=ND,XY", "output0.format=ND,ND -> output0.format=ND,NHWC"),
    (Rule::FormatUnknown, "output0.format=ND,ND -> output0.format=ND,FRACTAL_ZZ", "output0.format=ND,ND -> output0.format=ND,FRACTAL_Z"),
    (Rule::FormatConverter, "output0.format=ND,ND -> output0.format=ND,NCL", "output0.format=ND,ND -> output0.format=ND,FRACTAL_NZ"),
    (Rule::TensorCount, "output0.format=ND,ND -> output0.format=ND", "output0.format=ND,ND -> output0.format=ND,NC"),
    (Rule::UnknownShapeCount, "unknownshape_format=ND,NULL -> unknownshape_format=ND,ND,ND", "unknownshape_format=ND,NULL -> unknownshape_format=ND,ND"),
    (Rule::Lanes, "output0.dtype=float16,float32\noutput0.format=ND,ND -> output0.dtype=float16\noutput0.format=ND", "output0.dtype=float16,float32\noutput0.format=ND,ND -> output0.dtype=int8,bool\noutput0.format=NC,ND"),
    (Rule::Lanes, "output0.dtype=float16,float32\noutput0.format=ND,ND -> output0.dtype=int8,int8,int8\noutput0.format=ND,ND,ND", "op.pattern=reduce"),
    (Rule::DtypeMissing, "output0.dtype=float16,float32\n -> ", "output0.dtype=float16,float32\n -> output0.dtype=int8,int8\n"),
    (Rule::DtypeMissing, "= [A]\noutput0.name=y\noutput0.paramType=required\nop.pattern=broadcast", "= [A]\noutput0.name=y\noutput0.paramType=required\ndynamicFormat.flag=true"),
    (Rule::NoFormat, "= [A]\noutput0.name=y\noutput0.paramType=required\noutput0.dtype=int8", "= [A]\noutput0.name=y\noutput0.paramType=required\noutput0.dtype=int8\nop.pattern=reduce"),
    (Rule::EmptyList, "output0.for_bin_dtype=", "output0.for_bin_dtype=int8"),
    (Rule::ReshapeType, "input0.reshapeType=CN1", "input0.reshapeType=NCH"),
    (Rule::ReshapeType, "input0.reshapeType=WCH", "input0.reshapeType=FORBIDDEN"),
    (Rule::Shape, "input0.shape=all -> input0.shape=1", "input0.shape=all\n -> "),
    (Rule::ValueDepend, "input0.valueDepend=yes", "input0.valueDepend=optional"),
    (Rule::ValueDepend, "output0.valueDepend=required", "input1.valueDepend=required"),
    (Rule::InitValueInput, "input0.initValue=0", "output0.initValue=0"),
    (Rule::InitValue, "output0.initValue=zero", "output0.initValue={ \"is_list\" : false, \"type\": \"float32\", \"value\": 0.000000}"),
    (Rule::InitValue, "output0.initValue={ \"is_list\" : true }", "output0.initValue={ \"is_list\" : true, \"int8\": { \"type\": \"int8\", \"value\": 0 }}"),
    (Rule::ShapeByCompute, "output0.outputShapeDependOnCompute=false", "output0.outputShapeDependOnCompute=true"),
    (Rule::ShapeByCompute, "input0.outputShapeDependOnCompute=true", "output0.outputShapeDependOnCompute=true"),
    (Rule::SubFormat, "input0.sub_format=0,-1", "input0.sub_format=0,65535"),
    (Rule::TuneFormat, "input0.tuneformatSwitch=on", "input0.tuneformatSwitch=true"),
    (Rule::TensorFlag, "input0.needCompile=1", "input0.needCompile=True"),
    (Rule::TensorKey, "input0.valuedepend=required", "input0.valueDepend=required"),
    (Rule::ForBin, "output0.for_bin_dtype=int8\noutput0.for_bin_format=ND,ND", "output0.for_bin_dtype=int8\noutput0.for_bin_format=ND"),
    (Rule::AttrList, "attr.list=mode,dims -> attr.names=mode,dims", "softsync.flag=true"),
    (Rule::AttrSection, "attr.list=mode,dims -> attr.list=mode,dims,more", "attr.list=mode,dims -> attr.list=dims,mode"),
    (Rule::AttrTypeValue, "attr_dims.value=all\n -> ", "attr_dims.value=all\n -> attr_dims.value=[1];[2,3]\n"),
    (Rule::AttrTypeValue, "attr_dims.type=listInt\n -> ", "attr_dims.type=listInt\n -> attr_dims.type=listFloat\n"),
    (Rule::AttrType, "attr_dims.type=listInt -> attr_dims.type=ListInt", "attr_dims.type=listInt -> attr_dims.type=listListInt"),
    (Rule::AttrTypeFramework, "attr_dims.type=listInt -> attr_dims.type=tensor", "attr_dims.type=listInt -> attr_dims.type=listStr"),
    (Rule::AttrParamType, "attr_dims.paramType=required -> attr_dims.paramType=dynamic", "attr_dims.paramType=required -> attr_dims.paramType=optional"),
    (Rule::AttrParamTypeMissing, "attr_dims.paramType=required\n -> ", "softsync.flag=true"),
    (Rule::AttrUnlisted, "attr_more.type=int", "softsync.flag=true"),
    (Rule::AttrTwice, "attr.list=mode,dims -> attr.list=mode,dims,mode", "attr.list=mode,dims -> attr.list=dims,mode"),
    (Rule::AttrTwice, "attr.list=mode,dims -> attr.list=mode,dims,", "attr.list=mode,dims -> attr.list=dims,mode"),
    (Rule::NoDefault, "attr_mode.defaultValue=0\n -> ", "attr_mode.defaultValue=0\n -> attr_mode.defaultValue=1\n"),
    (Rule::DefaultOfRequired, "attr_dims.defaultValue=[1]", "softsync.flag=true"),
    (Rule::DefaultScalar, "attr_mode.defaultValue=0 -> attr_mode.defaultValue=zero", "attr_mode.defaultValue=0 -> attr_mode.defaultValue=1"),
    (Rule::ValueLiteral, "attr_mode.value=0,1 -> attr_mode.value=0,one", "attr_mode.value=0,1 -> attr_mode.value=0,-1"),
    (Rule::DefaultOutside, "attr_mode.defaultValue=0 -> attr_mode.defaultValue=2", "attr_mode.value=0,1 -> attr_mode.value=ALL"),
    (Rule::AttrKey, "attr_mode.default=0", "softsync.flag=true"),
    (Rule::NumberPrefix, "attr_mode.defaultValue=0 -> attr_mode.defaultValue=0.5", "attr_mode.defaultValue=0 -> attr_mode.defaultValue=1"),
    (Rule::Flag, "heavyOp.flag=false -> heavyOp.flag=yes", "heavyOp.flag=false -> heavyOp.flag=true"),
    (Rule::Flag, "dynamicRankSupport.flag=upgrade_to_dynamic_rank", "dynamicRankSupport.flag=true"),
    (Rule::FlagCase, "heavyOp.flag=false -> heavyOp.flag=True", "heavyOp.flag=false -> heavyOp.flag=true"),
    (Rule::FlagKey, "precision_reduce.value=true", "precision_reduce.flag=true"),
    (Rule::Choice, "op.pattern=elementwise", "op.pattern=broadcastenhanced"),
    (Rule::Choice, "slicePattern.value=elementwise", "slicePattern.value=elemwise"),
    (Rule::Choice, "jitCompile.flag=static", "jitCompile.flag=static_false,dynamic_false"),
    (Rule::Choice, "dynamicCompileStatic.flag=yes", "dynamicCompileStatic.flag=tune"),
    (Rule::Choice, "aclnnSupport.value=aclnn", "aclnnSupport.value=aclnn_only"),
    (Rule::FormatAgnostic, "op.pattern=formatAgnostic", "op.pattern=reduce"),
    (Rule::PatternIgnored, "= [A]\noutput0.name=y\noutput0.paramType=required\nop.pattern=reduce\ndynamicFormat.flag=true", "= [A]\noutput0.name=y\noutput0.paramType=required\ndynamicFormat.flag=true"),
    (Rule::CoreType, "coreType.value=Vector", "coreType.value=AiCore,VectorCore"),
    (Rule::PromoteType, "promoteType.value=x1,y", "promoteType.value=x1,xs"),
    (Rule::PromoteType, "promoteType.value=x1", "promoteType.value=dynamic"),
    (Rule::SgatKeyAttr, "sgatKeyAttr.list=modes", "sgatKeyAttr.list=mode"),
    (Rule::UnknownKey, "heavyop.flag=true", "softsync.flag=true"),
    (Rule::OpFile, "opFile.value=good -> opFile.value=impl/good.py", "opFile.value=good -> opFile.value=Null"),
    (Rule::Fallback, "fallback.enable=true,no", "fallback.enable=true,false"),
];

/// What is not a change of one line of an ini file.
fn special() -> Vec<(Rule, String, String, Origin, Profile)> {
    let (ini, json, any) = (Origin::Ini, Origin::Json, Profile::Any);
    let attribute = |name: &str| GOOD.replace("mode", name);
    let list = |value: &str| {
        let optional = "attr_dims.paramType=optional\nattr_dims.defaultValue=";
        GOOD.replace("attr_dims.paramType=required\n", &format!("{optional}{value}\n"))
    };
    let gap = "output2.name=z\noutput2.dtype=int8,int8\noutput2.format=ND,ND\noutput2.paramType=required\n";
    let outputs = |number: usize| format!("{GOOD}{}", gap.replace("output2", &format!("output{number}")));
    let no_output: String =
        GOOD.lines().filter(|line| !line.starts_with("output0")).map(|line| format!("{line}\n")).collect();
    vec![
        (
            Rule::Big,
            format!("{GOOD};{}\n", " ".repeat(10 << 20)),
            format!("{GOOD};{}\n", " ".repeat(9 << 20)),
            ini,
            any,
        ),
        (Rule::NotJson, "{\"A\": }".into(), "{\"A\": {\"op\": {\"pattern\": \"reduce\"}}}".into(), json, any),
        (
            Rule::JsonShape,
            "{\"A\": {\"op\": {\"pattern\": \"reduce\"}, \"softsync\": {\"flag\": true}}}".into(),
            "{\"A\": {\"op\": {\"pattern\": \"reduce\"}}}".into(),
            json,
            any,
        ),
        (Rule::TensorGap, outputs(2), outputs(1), ini, any),
        (Rule::NoOutput, no_output, GOOD.into(), ini, Profile::Tbe),
        (Rule::AttrTaken, attribute("src"), attribute("source"), ini, any),
        (Rule::AttrName, attribute("m-x"), attribute("m_x"), ini, any),
        (Rule::DefaultList, list("[1,two]"), list("[1,2]"), ini, any),
        (
            Rule::DtypeConverter,
            GOOD.replace("output0.dtype=float16,", "output0.dtype=hifloat8,"),
            GOOD.replace("output0.dtype=float16,", "output0.dtype=int4,"),
            ini,
            Profile::Ascendc,
        ),
        (
            Rule::FormatConverter,
            GOOD.replace("output0.format=ND,", "output0.format=FRACTAL_NZ_C0_8,"),
            GOOD.replace("output0.format=ND,", "output0.format=FRACTAL_NZ_C0_32,"),
            ini,
            Profile::OpsMath,
        ),
    ]
}

#[test]
fn every_rule_is_broken_by_one_entry_and_kept_by_another() {
    let mut tested: BTreeSet<Rule> = BTreeSet::new();
    for (rule, breaks, keeps) in CASES {
        let broken = rules(&changed(breaks), Origin::Ini, Profile::Any);
        assert!(broken.contains(rule), "{}: {breaks:?} breaks {broken:?}", rule.code());
        let allowed: &[Rule] = match rule {
            Rule::AttrList => &[Rule::AttrUnlisted, Rule::UnknownKey],
            _ => &[],
        };
        let others: Vec<&Rule> = broken.iter().filter(|other| *other != rule && !allowed.contains(other)).collect();
        assert!(others.is_empty(), "{}: {breaks:?} breaks {others:?} too", rule.code());
        let kept = rules(&changed(keeps), Origin::Ini, Profile::Any);
        assert!(!kept.contains(rule), "{}: {keeps:?} breaks {kept:?}", rule.code());
        tested.insert(*rule);
    }
    for (rule, breaks, keeps, origin, profile) in special() {
        assert_eq!(rules(&breaks, origin, profile), [rule].into(), "{}", rule.code());
        assert!(!rules(&keeps, origin, profile).contains(&rule), "{}", rule.code());
        tested.insert(rule);
    }
    // Files, prototypes and op_select_format have tests of their own.
    let here = RULES.iter().filter(|rule| !["OI4", "OI5", "OI6"].iter().any(|start| rule.code().starts_with(start)));
    let missing: Vec<&str> = here.filter(|rule| !tested.contains(rule)).map(|rule| rule.code()).collect();
    assert!(missing.is_empty(), "no case for {missing:?}");
}

#[test]
fn what_only_the_converter_refuses_is_a_warning_in_json() {
    let json = opinfo::write_json(
        &Library::of(changed("heavyOp.flag=false -> heavyOp.flag=True").as_bytes(), Origin::Ini).ops,
    );
    let findings = Library::of(json.as_bytes(), Origin::Json).check(Profile::Any);
    assert_eq!(findings.len(), 1);
    assert_eq!((findings[0].rule, findings[0].severity), (Rule::FlagCase, opinfo::Severity::Warning));
    let ini = Library::of(changed("heavyOp.flag=false -> heavyOp.flag=True").as_bytes(), Origin::Ini);
    assert_eq!(ini.check(Profile::Any)[0].severity, opinfo::Severity::Error);
}

#[test]
fn findings_have_lines() {
    for (change, line) in [
        ("op.pattern=x", 28),
        ("output0.dtype=float16,float32 -> output0.dtype=float16,float33", 13),
        ("output0.name=y\n -> ", 12),
        ("attr_dims.value=all\n -> ", 21),
        ("[Good]\nop.pattern=reduce", 28),
    ] {
        let findings = Library::of(changed(change).as_bytes(), Origin::Ini).check(Profile::Any);
        assert_eq!(findings.iter().map(|finding| finding.line).collect::<Vec<_>>(), [line], "{change:?}: {findings:?}");
    }
    // The same entry as JSON: lines of the JSON file.
    let text = "{\n  \"A\": {\n    \"op\": {\n      \"pattern\": \"x\"\n    }\n  }\n}";
    let findings = Library::of(text.as_bytes(), Origin::Json).check(Profile::Any);
    assert_eq!(
        findings[0].text("a.json"),
        "a.json:4: error OI304: [A] op.pattern is `x`; allowed are formatAgnostic | broadcast | reduce | rangeAgnostic | broadcastEnhanced | dynamic"
    );
}

/// The converter has `name ` and no `name`; the framework takes the blank off.
#[test]
fn a_blank_hides_a_key_from_the_converter() {
    let text = changed("output0.name=y\n -> output0.name =y\n");
    assert_eq!(rules(&text, Origin::Ini, Profile::Any), [Rule::KeyBlank, Rule::NameMissing].into());
    let json = opinfo::write_json(&Library::of(text.as_bytes(), Origin::Ini).ops);
    assert_eq!(rules(&json, Origin::Json, Profile::Any), [Rule::KeyBlank].into());
}

#[test]
fn codes_are_different_and_found() {
    let codes: BTreeSet<&str> = RULES.iter().map(|rule| rule.code()).collect();
    assert_eq!(codes.len(), RULES.len());
    assert!(RULES.iter().all(|rule| Rule::of_code(&rule.code().to_lowercase()) == Some(*rule)));
    assert_eq!(Rule::of_code("OI999"), None);
}
