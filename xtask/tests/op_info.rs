//! `opinfo` as a user calls it: files, flags, messages, exit codes. `UPDATE_EXPECT=1 cargo test -p xtask --test op_info`
//! takes new snapshots.

mod common;

use common::{Ran, Repo, check};
use expect_test::expect_file;

const ADD: &str = "[AddV2]
input0.name=x1
input0.dtype=float16,float32
input0.format=ND,NCHW
input0.paramType=required
input1.name=x2
input1.dtype=float16,float32
input1.format=ND,NCHW
input1.paramType=optional
output0.name=y
output0.dtype=float16,float32
output0.format=ND,NCHW
output0.paramType=required
attr.list=alpha
attr_alpha.type=float
attr_alpha.value=all
attr_alpha.paramType=optional
attr_alpha.defaultValue=1.0
dynamicFormat.flag=true
opFile.value=add_v2
";

fn repo() -> Repo {
    let repo = Repo::new();
    repo.write("good.ini", ADD);
    let bad =
        ADD.replace("input1.dtype=float16,float32", "input1.dtype=float16,flaot32").replace("output0.name=y\n", "");
    repo.write("bad.ini", &bad.replace("dynamicFormat.flag=true", "dynamicformat.flag=true"));
    repo.write("other.ini", "[Add]\ninput0.name=x1\ninput0.dtype=float,bfloat16\ninput0.paramType=required\noutput0.name=y\noutput0.dtype=float,bfloat16\noutput0.paramType=required\nop.pattern=formatAgnostic\n");
    repo.write("none.ini", "[NoLists]\ninput0.name=x\ninput0.paramType=required\noutput0.name=y\noutput0.paramType=required\nattr.list=mode\nattr_mode.type=int\nattr_mode.value=all\nattr_mode.paramType=required\ndynamicFormat.flag=true\n");
    repo
}

fn opinfo(repo: &Repo, args: &[&str]) -> Ran {
    repo.xtask(&[&["opinfo"], args].concat())
}

#[test]
fn checks() {
    let repo = repo();
    let lines: [&[&str]; 3] =
        [&["check", "good.ini"], &["check", "good.ini", "bad.ini"], &["check", "--explain", "oi113"]];
    check(&repo, &lines.map(|line| opinfo(&repo, line)), expect_file!["snapshots/opinfo_check.txt"]);
    opinfo(&repo, &["check", "--explain", "OI999"]).expect(2, &["no rule has the code OI999", "OI001"]);
    opinfo(&repo, &["check"]).expect(2, &["<FILE>"]);
    opinfo(&repo, &["check", "gone.ini"]).expect(2, &["gone.ini cannot be read"]);
    opinfo(&repo, &["check", "good.ini", "--profile=mine"]).expect(2, &["any, tbe, ascendc, devkit, ops-math"]);
    repo.write("warns.ini", &format!("{ADD}heavyop.flag=true\n"));
    opinfo(&repo, &["check", "warns.ini"]).expect(0, &["1 operator, 0 errors, 1 warning"]);
    opinfo(&repo, &["check", "warns.ini", "--strict"]).expect(32, &["0 errors, 1 warning"]);
}

#[test]
fn prototypes_and_files() {
    let repo = repo();
    repo.write(
        "proto/add_proto.h",
        "REG_OP(AddV2).INPUT(x1, T).INPUT(x2, T).OUTPUT(y, T).ATTR(alpha, Float, 1.0).OP_END_FACTORY_REG(AddV2)",
    );
    let ran = opinfo(&repo, &["check", "good.ini", "--proto", "proto", "--impl", "impl"]);
    assert_eq!(
        ran.out,
        "good.ini:9: error OI503: [AddV2] input1 (x2) is optional, in the prototype required\n\
         good.ini:20: error OI401: [AddV2] neither add_v2.py nor add_v2.cpp is below "
            .to_owned()
            + &format!("{}\n", repo.path("impl").display())
    );
    assert_eq!(ran.code, Some(32));
    opinfo(&repo, &["check", "good.ini", "--proto", "good.ini"]).expect(2, &["there is no REG_OP in these headers"]);
}

#[test]
fn findings_for_programs() {
    let repo = repo();
    let ran = opinfo(&repo, &["check", "--json", "bad.ini"]);
    let report: serde_json::Value = serde_json::from_str(&ran.out).expect("JSON");
    let finding = &report["files"][0]["findings"][0];
    assert_eq!((finding["code"].as_str(), finding["line"].as_u64()), (Some("OI110"), Some(7)));
    assert_eq!((report["exit_code"].as_u64(), report["files"][0]["operators"].as_u64()), (Some(32), Some(1)));
}

#[test]
fn conversions() {
    let repo = repo();
    opinfo(&repo, &["json", "good.ini", "other.ini", "-o", "out/both.json"])
        .expect(0, &["2 operators in out/both.json"]);
    let json = std::fs::read_to_string(repo.path("out/both.json")).expect("JSON");
    assert!(json.starts_with("{\n    \"Add\":{\n") && json.ends_with("    }\n}"), "{json}");
    let mode = std::os::unix::fs::MetadataExt::mode(&std::fs::metadata(repo.path("out/both.json")).expect("file"));
    assert_eq!(mode & 0o777, 0o640);
    let back = opinfo(&repo, &["json", "--ini", "out/both.json"]);
    repo.write("back.ini", &back.out);
    opinfo(&repo, &["json", "back.ini", "-o", "again.json"]).expect(0, &[]);
    assert_eq!(std::fs::read_to_string(repo.path("again.json")).expect("JSON"), json);
    opinfo(&repo, &["json", "bad.ini"]).expect(32, &["bad.ini:7: error OI110", "bad.ini: 2 errors"]);
    opinfo(&repo, &["json", "bad.ini", "--no-check"]).expect(0, &[]);
    opinfo(&repo, &["json", "good.ini", "good.ini"]).expect(32, &["operator AddV2 is in another file already"]);
}

#[test]
fn tables_and_differences() {
    let repo = repo();
    let lines: [&[&str]; 4] = [
        &["json", "other.ini"],
        &["show", "good.ini"],
        &["diff", "good.ini", "other.ini", "AddV2", "Add"],
        &["diff", "good.ini", "other.ini"],
    ];
    check(&repo, &lines.map(|line| opinfo(&repo, line)), expect_file!["snapshots/opinfo_show.txt"]);
    opinfo(&repo, &["diff", "good.ini", "good.ini"]).expect(0, &["0 of 1 differ"]);
    opinfo(&repo, &["show", "good.ini", "addv2"]).expect(15, &["good.ini has no operator addv2", "it has AddV2"]);
    opinfo(&repo, &["diff", "good.ini", "bad.ini"]).expect(32, &["bad.ini: 2 errors"]);
}

const IMPL: &str = "import json
from functools import reduce
from impl.util.platform_adapter import tbe_platform, para_check, register_operator
from impl.util.util_select_op_base import gen_param, get_dynamic_param_in_json


@register_operator('NoLists')
@para_check.check_op_params(para_check.REQUIRED_INPUT, para_check.KERNEL_NAME)
def no_lists(x, y, mode, kernel_name='no_lists'):
    pass


def op_select_format(x, y, mode, kernel_name='no_lists'):
    print('noise')
    dtypes = ['float16', 'float'] if mode == 1 else ['int8']
    if x['shape'][0] % 16 == 0 and tbe_platform.api_check_support('tik.vcopy', 'float16'):
        dtypes.append('bfloat16')
    if len(dtypes) == 1 and tbe_platform.CHIP in ('b', 'c'):
        dtypes.append('uint8')
    formats = ','.join(['ND'] * len(dtypes))
    dtypes = ','.join(dtypes)
    return get_dynamic_param_in_json([
        gen_param(classify='input0', name='x', datatype=dtypes, format=formats, unknownshape_format=formats),
        gen_param(classify='output0', name='y', datatype=dtypes, format=formats)])
";

#[test]
fn formats() {
    let repo = repo();
    let select = |args: &[&str]| opinfo(&repo, &[&["select-format"], args].concat());
    let good = select(&["good.ini", "--input", "float:NHWC:2,3,4,5", "--input", "-"]);
    select(&["good.ini", "--input", "int8:ND:2"]).expect(32, &["[AddV2] no column has the data types int8"]);
    select(&["good.ini", "--input", "-"]).expect(2, &["--input of input0 (`x1`): it is required"]);
    select(&["none.ini"]).expect(2, &["op_select_format says what it supports"]);
    repo.write("result.json", "{\"input0\": {\"name\": \"x\", \"dtype\": \"int8\", \"format\": \"ND,ND\"},\n\"output0\": {\"name\": \"y\", \"dtype\": \"int8\", \"format\": \"ND\"}}");
    let bad = select(&["none.ini", "--result", "result.json"]);
    check(&repo, &[good, bad], expect_file!["snapshots/opinfo_select.txt"]);
    repo.write("unused.json", "{\"input0\": {\"name\": \"x1\", \"dtype\": \"int8\", \"format\": \"ND\"},\n\"output0\": {\"name\": \"y\", \"dtype\": \"int8\", \"format\": \"ND\"}}");
    let ran = select(&["good.ini", "--result", "unused.json"]);
    assert!(ran.out.starts_with("good.ini:1: warning OI609: [AddV2] "), "{}", ran.out);
}

#[test]
fn implementations() {
    let repo = repo();
    // The interpreter itself: what is called python3 may be a script that needs more than this PATH has.
    let output = std::process::Command::new("python3").args(["-c", "import sys; print(sys.executable)"]).output();
    let program = String::from_utf8(output.expect("python3").stdout).expect("UTF-8");
    std::os::unix::fs::symlink(program.trim(), repo.path("bin/python3")).expect("symlink");
    repo.write("no_lists.py", IMPL);
    let select = |args: &[&str]| {
        opinfo(&repo, &[&["select-format", "none.ini", "--impl", "no_lists.py", "--input"], args].concat())
    };
    let ran = select(&["float16:ND:3,4", "--attr", "mode=1"]);
    check(&repo, &[ran], expect_file!["snapshots/opinfo_select_impl.txt"]);
    select(&["int8:ND:3,4", "--attr", "mode=2"])
        .expect(2, &["wants the value of impl.util.platform_adapter.tbe_platform.CHIP"]);
    let ran = select(&["uint8:ND:3,4", "--attr", "mode=2", "--stand-in", "CHIP=b"]);
    assert!(ran.out.contains("chosen: 1: input0.x uint8 ND"), "{}{}", ran.out, ran.err);
    let ran = select(&["int8:ND:3,4", "--attr", "mode=2", "--stand-in", "CHIP=a"]);
    assert!(
        ran.out.contains("1 column\n") && ran.out.contains("chosen: 0: input0.x int8 ND"),
        "{}{}",
        ran.out,
        ran.err
    );
    // What is the toolkit's has no value of ours.
    select(&["float16:ND:16,4", "--attr", "mode=1"]).expect(
        2,
        &["no_lists.py:16: op_select_format wants the value of impl.util.platform_adapter.tbe_platform.api_check_support(tik.vcopy,float16)", "--stand-in 'api_check_support=true'"],
    );
    let ran = select(&["bfloat16:ND:16,4", "--attr", "mode=1", "--stand-in", "api_check_support=true"]);
    assert!(ran.out.contains("chosen: 2: input0.x bfloat16 ND"), "{}{}", ran.out, ran.err);
    let ran =
        select(&["bfloat16:ND:16,4", "--attr", "mode=1", "--stand-in", "api_check_support(tik.vcopy,float16)=false"]);
    ran.expect(32, &["no column has the data types bfloat16"]);
    select(&["float16:ND:3,4"]).expect(2, &["op_select_format wants the required attribute mode", "--attr mode=VALUE"]);
    select(&["float16:ND:3,4", "--attr", "more=1"]).expect(2, &["[NoLists] has no such attribute"]);
    for (text, code, part) in [
        ("def op_select_format(x):\n    pass\n", 30, "does not take the operator's 3 parameters"),
        ("x = 1\n", 30, "it has no function op_select_format"),
        ("def op_select_format(*_):\n    return 1\n", 30, "gives int, a string is expected"),
        ("def op_select_format(*_):\n    return '[]'\n", 32, "error OI601"),
        ("def op_select_format(*_):\n    x = 1\n    raise ValueError('no')\n", 30, "broken.py:3: ValueError: no"),
        ("def op_select_format(*_)\n", 30, "broken.py:1: SyntaxError"),
        ("import nowhere\n", 30, "broken.py:1: ModuleNotFoundError"),
        ("import os\nos._exit(3)\n", 30, "python3 ended with exit status: 3"),
        (
            "import os, sys\ndef op_select_format(*_):\n    raise ValueError(sorted(os.environ), os.listdir('.') == [], sys.flags.isolated)\n",
            30,
            "'request.json'",
        ),
    ] {
        repo.write("broken.py", text);
        let args = ["select-format", "none.ini", "--impl", "broken.py", "--input", "int8:ND:1", "--attr", "mode=1"];
        let ran = opinfo(&repo, &args);
        if part != "'request.json'" {
            ran.expect(code, &[part]);
        } else {
            // Only PATH, and what the C library adds.
            assert!(ran.err.contains("PATH") && !ran.err.contains("HOME") && ran.err.contains(", 1)"), "{}", ran.err);
        }
    }
}

#[test]
fn definitions_need_a_toolkit_of_ours() {
    let repo = repo();
    opinfo(&repo, &["gen"]).expect(10, &["g++"]);
}

/// A definition without lists: which columns there are depends on the first dimension and on an attribute.
const DEFINITION: &str = r#"#include <string>
#include "register/op_def_registry.h"

static ge::graphStatus SelectFormat(const ge::Operator& op, ge::AscendString& result)
{
    std::vector<int64_t> axes;
    if (op.GetAttr("axes", axes) != ge::GRAPH_SUCCESS || axes.size() > 2U) {
        result = "too many axes";
        return ge::GRAPH_FAILED;
    }
    const bool few = op.GetInputDesc(0).GetShape().GetDim(0) <= 8 && op.GetInputsSize() == 1U;
    const std::string types = few ? "float16,float,int32" : "int32";
    const std::string lists = "\"dtype\": \"" + types + "\", \"format\": \"" + (few ? "ND,ND,ND" : "ND") + "\"}";
    const std::string text = "{\"input0\": {\"name\": \"x\", " + lists + ", \"input1\": {\"name\": \"bias\", " + lists +
                             ", \"output0\": {\"name\": \"y\", " + lists + "}";
    result = text.c_str();
    return ge::GRAPH_SUCCESS;
}

namespace ops {
class Callback : public OpDef {
public:
    explicit Callback(const char* name) : OpDef(name)
    {
        this->Input("x").ParamType(REQUIRED);
        this->Input("bias").ParamType(OPTIONAL);
        this->Output("y").ParamType(REQUIRED);
        this->Attr("axes").AttrType(OPTIONAL).ListInt({0});
        this->AICore().SetOpSelectFormat(SelectFormat);
        this->AICore().AddConfig("ascend910b");
    }
};
OP_ADD(Callback);
} // namespace ops
"#;

#[test]
#[ignore = "slow: compiles a definition with the toolkit of this repository"]
fn callbacks_of_definitions() {
    let temp = tempfile::tempdir().expect("temp dir");
    let op = temp.path().join("math/callback");
    for (file, text) in [
        ("CMakeLists.txt", "add_all_modules_sources(OPTYPE callback ACLNNTYPE aclnn_exclude)\n"),
        ("op_host/callback_def.cpp", DEFINITION),
        ("op_host/callback_tiling.cpp", "#include \"register/op_impl_registry.h\"\n"),
        ("op_kernel/callback.cpp", "\n"),
    ] {
        let path = op.join(file);
        std::fs::create_dir_all(path.parent().expect("parent")).expect("mkdir");
        std::fs::write(path, text).expect("write");
    }
    let select = |args: &[&str]| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_xtask"));
        command.args(["opinfo", "select-format", "--op-dir"]).arg(&op).args(args);
        let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("parent");
        let output = command.current_dir(root).output().expect("xtask");
        let text = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
        (output.status.code(), text)
    };
    let has = |ran: (Option<i32>, String), code: i32, parts: &[&str]| {
        let missing: Vec<&&str> = parts.iter().filter(|part| !ran.1.contains(**part)).collect();
        assert!(ran.0 == Some(code) && missing.is_empty(), "{code}, {missing:?}: {ran:?}");
    };
    has(
        select(&["--input", "float:ND:8,4"]),
        0,
        &[
            "Callback: formats ",
            "3 columns\n",
            "chosen: 1: input0.x float ND, input1.bias float ND, output0.y float ND\n",
        ],
    );
    has(select(&["--input", "float:ND:9,4"]), 32, &["1 column\n", "[Callback] no column has the data types float"]);
    has(
        select(&["--input", "int32:ND:8", "--input", "int32:ND:8"]),
        0,
        &["1 column\n", "chosen: 0: input0.x int32 ND"],
    );
    let failed = "[Callback] the function of SetOpSelectFormat returns ";
    has(select(&["--input", "int32:ND:8", "--attr", "axes=[0,1,2]"]), 30, &[failed, "'too many axes'"]);
    has(select(&["--input", "int32:ND:8", "--attr", "axes=2"]), 2, &["--attr axes: 2 is no listInt"]);
    has(select(&["--input", "int33:ND:8"]), 30, &["'input\tx\tint33\tND\t8' is no line of a description"]);
}
