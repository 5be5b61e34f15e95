use super::*;

fn keys(decl: &str, sel: &str) -> Result<BTreeMap<u64, Vec<String>>> {
    let column = Column { inputs: vec![27, 0], outputs: vec![27] };
    let text = format!("int a;\n@@HC_TPL_DECL@@ ( Op , {decl} ) @@END@@ ;\n@@HC_TPL_SEL@@ ( {sel} ) @@END@@ ;\nint b;");
    expand(&text, &column).map(Option::unwrap_or_default)
}

fn error(decl: &str, sel: &str) -> String {
    format!("{:#}", keys(decl, sel).expect_err("must be refused"))
}

#[test]
fn no_template() {
    assert!(expand("int a;", &Column { inputs: vec![], outputs: vec![] }).expect("plain").is_none());
}

#[test]
fn a_header_included_twice() {
    let column = Column { inputs: vec![], outputs: vec![] };
    let header =
        "@@HC_TPL_DECL@@ ( Op , {mode,UINT,8,1,0,1} ) @@END@@ ; @@HC_TPL_SEL@@ ( {{mode,UINT,1,0,1}} ) @@END@@ ;";
    let twice = expand(&format!("{header}\n{header}"), &column).expect("the first counts").expect("keys");
    assert_eq!(twice.into_keys().collect::<Vec<_>>(), [0, 1]);
}

#[test]
fn one_list() {
    let keys =
        keys("{ mode , UINT , 8 , 1 , 0 , 1 , 2 , 3 , 4 }", "{ { mode , UINT , 1 , 0 , 1 , 4 } }").expect("keys");
    assert_eq!(keys, BTreeMap::from([(0, vec!["0".into()]), (1, vec!["1".into()]), (4, vec!["4".into()])]));
}

/// As asc-devkit's template_tiling.py; with digits in it, a name that nothing defines is refused here.
#[test]
fn names_that_stand_for_nothing() {
    let decl = "{mode,UINT,1,1,0,1}";
    let keys = keys(decl, "{{mode,UINT,1,0,1,TPL_FLOOR}}").expect("keys");
    assert_eq!(keys.into_keys().collect::<Vec<_>>(), [0, 1]);
    assert!(error(decl, "{{mode,UINT,1,0,MODE_2}}").contains("`MODE_2` is no number literal"));
    assert!(error(decl, "{{mode,UINT,1,TPL_FLOOR}}").contains("`TPL_FLOOR` is no number literal"));
    assert!(error("{T,DATATYPE,8,1,FLOOR}", "{{T,DATATYPE,1,FLOOR}}").contains("`FLOOR` is no number literal"));
}

/// The documentation's example: DTYPE{10,20,30}, FORMAT{15,25}, UINT8 mix of 0-2, 3-5, 7, 6, BOOL.
#[test]
fn documented_keys() {
    let decl = "{X,DTYPE,8,1,10,20,30},{Y,FORMAT,8,1,15,25},{Z,UINT,8,2,2,0,2,3,5,7,6},{S,BOOL,1,1,0,1}";
    let one = |x, y, z, s| {
        let sel = format!("{{ {{X,DTYPE,1,{x}}},{{Y,FORMAT,1,{y}}},{{Z,UINT,1,{z}}},{{S,BOOL,1,{s}}} }}");
        keys(decl, &sel).expect("keys").into_keys().collect::<Vec<_>>()
    };
    assert_eq!(one(10, 15, 7, 1), [17_174_282]);
    assert_eq!(one(20, 25, 4, 0), [268_564]);
}

#[test]
fn raw_type_codes_and_placeholders() {
    let triple = "{A,DTYPE,8,1,10,20},{B,DTYPE,8,1,10,20},{C,DTYPE,8,1,10,20}";
    let sel = "{{A,DTYPE,1,10},{B,DTYPE,1,10},{C,DTYPE,1,10}},{{A,DTYPE,1,20},{B,DTYPE,1,20},{C,DTYPE,1,20}}";
    assert_eq!(keys(triple, sel).expect("keys").into_keys().collect::<Vec<_>>(), [657_930, 1_315_860]);

    let keys = keys(
        "{T,DATATYPE,8,1,(100000000 + (0))},{U,DATATYPE,8,1,C_DT_FLOAT}",
        "{{T,DATATYPE,1,100000000},{U,DATATYPE,1,C_DT_FLOAT}}",
    );
    let want = vec!["TypeFromId<27>::type".to_owned(), "TypeFromId<0>::type".to_owned()];
    assert_eq!(keys.expect("keys"), BTreeMap::from([(27, want)]));
}

/// Input 0 is bfloat16 (27) in this column: the placeholder adds nothing to the list.
#[test]
fn a_placeholder_beside_the_type_it_stands_for() {
    let decl = "{T,DATATYPE,8,1,C_DT_FLOAT,C_DT_BF16,(100000000 + (0))}";
    let both = "{{T,DATATYPE,1,C_DT_FLOAT}},{{T,DATATYPE,1,C_DT_BF16,(100000000 + (0))}}";
    assert_eq!(keys(decl, both).expect("keys").into_keys().collect::<Vec<_>>(), [0, 27]);
    assert!(error("{T,DATATYPE,8,1,C_DT_BF16,C_DT_BF16}", "{{T,DATATYPE,1,C_DT_BF16}}").contains("27 is there twice"));
}

#[test]
fn groups_multiply_and_must_not_meet() {
    let decl = "{M,UINT,2,0,1,0,2},{B,BOOL,1,1,0,1}";
    let sel = "{{M,UINT,0,1,0,1},{B,BOOL,1,0,1}},{{M,UINT,1,2},{B,BOOL,1,1}}";
    assert_eq!(keys(decl, sel).expect("keys").into_keys().collect::<Vec<_>>(), [0, 1, 4, 5, 6]);
    let twice = "{{M,UINT,1,2},{B,BOOL,1,1}},{{M,UINT,1,2},{B,BOOL,1,1}}";
    assert!(error(decl, twice).contains("two ASCENDC_TPL_ARGS_SEL groups select the tiling key 6"));
}

#[test]
fn kernel_types() {
    let decl = "{M,UINT,8,1,0}";
    assert_eq!(keys(decl, "{{KERNEL_TYPE,KERNEL_TYPE,1,0},{M,UINT,1,0}}").expect("keys").len(), 1);
    assert!(error(decl, "{{KERNEL_TYPE,KERNEL_TYPE,1,6},{M,UINT,1,0}}").contains("cube cores"));
}

#[test]
fn a_tiling_struct_is_not_part_of_the_key() {
    let sel = "{{tiling_struct,TILING_STRUCT,1,ns::Data},{M,UINT,1,0}}";
    assert_eq!(keys("{M,UINT,8,1,0}", sel).expect("keys").len(), 1);
}

#[test]
fn refused() {
    let m = "{M,UINT,8,1,0,1}";
    let cases = [
        (m, "{{M,UINT,1,2}}", "which is not declared"),
        (m, "{{N,UINT,1,0}}", "does not declare"),
        (m, "{}", "does not select M"),
        (m, "{{M,BOOL,1,0}}", "declared as Uint and selected as Bool"),
        ("{M,UINT,8,1,0,0}", "{{M,UINT,1,0}}", "twice"),
        ("{M,UINT,1,1,0,1,2}", "{{M,UINT,1,2}}", "does not fit into 1 bit"),
        ("{M,UINT,40,1,0},{N,UINT,40,1,0}", "{{M,UINT,1,0},{N,UINT,1,0}}", "take 80 bits"),
        ("{M,UINT,8,0,3,0,1}", "{{M,UINT,1,0}}", "3 ranges announced, but only 2 bounds follow"),
        ("{M,UINT,8,1,FOO}", "{{M,UINT,1,0}}", "`FOO` is no number literal"),
        ("{M,TILING_STRUCT,8,1,0}", "{{M,UINT,1,0}}", "kind TILING_STRUCT"),
        ("{M,UINT,8,1,0", "{{M,UINT,1,0}}", "unexpected `)`"),
    ];
    for (decl, sel, part) in cases {
        let error = error(decl, sel);
        assert!(error.contains(part), "{decl} {sel}: {error}");
    }
}
