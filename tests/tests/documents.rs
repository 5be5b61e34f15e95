//! The operator's documents: upstream's section order and table heads, and samples that are the shipped examples.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

fn op_dir() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../experimental/math/fmod")
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn files(folder: &str, ending: &str) -> Vec<PathBuf> {
    let folder = op_dir().join(folder);
    let entries = fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut found: Vec<PathBuf> = entries.map(|entry| entry.expect("entry").path()).collect();
    found.retain(|path| path.to_str().is_some_and(|name| name.ends_with(ending)));
    found.sort();
    found
}

/// Those of interfaces.
fn pages() -> Vec<PathBuf> {
    let is_page =
        |path: &PathBuf| path.file_name().and_then(|name| name.to_str()).is_some_and(|name| name.starts_with("aclnn"));
    files("docs", ".md").into_iter().filter(is_page).collect()
}

/// Headings outside of fenced code.
fn headings(text: &str) -> Vec<&str> {
    let mut fenced = false;
    let mut found = Vec::new();
    for line in text.lines() {
        fenced ^= line.trim_start().starts_with("```");
        if !fenced && line.starts_with('#') {
            found.push(line);
        }
    }
    found
}

/// The column heads of every HTML table.
fn table_heads(text: &str) -> Vec<Vec<&str>> {
    text.split("<thead>")
        .skip(1)
        .map(|table| {
            let head = table.split("</thead>").next().unwrap_or_default();
            head.split("<th>").skip(1).filter_map(|cell| cell.split("</th>").next()).collect()
        })
        .collect()
}

#[test]
fn pages_have_upstreams_sections() {
    let pages = pages();
    assert_eq!(pages.len(), 4);
    for page in pages {
        let stem = page.file_stem().and_then(|stem| stem.to_str()).expect("UTF-8 name").to_owned();
        let (api, inplace) = stem.split_once('&').expect("A&InplaceA");
        let expected = [
            format!("# {stem}"),
            "## 产品支持情况".to_owned(),
            "## 功能说明".to_owned(),
            "## 函数原型".to_owned(),
            format!("## {api}GetWorkspaceSize"),
            format!("## {api}"),
            format!("## {inplace}GetWorkspaceSize"),
            format!("## {inplace}"),
            "## 约束说明".to_owned(),
            "## 调用示例".to_owned(),
        ];
        let text = read(&page);
        let found: Vec<&str> = headings(&text).into_iter().filter(|line| !line.starts_with("###")).collect();
        assert_eq!(found, expected, "{stem}");
    }
}

#[test]
fn pages_have_upstreams_tables() {
    const PARAMETERS: [&str; 8] =
        ["参数名", "输入/输出", "描述", "使用说明", "数据类型", "数据格式", "维度(shape)", "非连续Tensor"];
    const CODES: [&str; 3] = ["返回码", "错误码", "描述"];
    const SECOND_PHASE: [&str; 3] = ["参数名", "输入/输出", "描述"];
    for page in pages() {
        let text = read(&page);
        let of_one_api: [&[&str]; 3] = [&PARAMETERS, &CODES, &SECOND_PHASE];
        let expected: Vec<&[&str]> = of_one_api.into_iter().chain(of_one_api).collect();
        assert_eq!(table_heads(&text), expected, "{}", page.display());
        for code in ["161001", "161002"] {
            assert_eq!(text.matches(&format!(">{code}<")).count(), 2, "{code} in {}", page.display());
        }
    }
}

#[test]
fn the_readme_has_upstreams_sections() {
    let text = read(&op_dir().join("README.md"));
    let found: Vec<&str> = headings(&text).into_iter().filter(|line| !line.starts_with("###")).collect();
    assert_eq!(
        found,
        ["# Fmod", "## 产品支持情况", "## 功能说明", "## 参数说明", "## 约束说明", "## 调用说明", "## 贡献说明"]
    );
    assert_eq!(table_heads(&text)[0], ["参数名", "输入/输出/属性", "描述", "数据类型", "数据格式"]);
    for path in files("examples", ".cpp").into_iter().chain(files("docs", ".md")) {
        let name = path.file_name().and_then(|name| name.to_str()).expect("UTF-8 name");
        assert!(text.contains(name), "README does not link {name}");
    }
}

/// A part of a document from its heading to the next one of any rank.
fn part<'a>(text: &'a str, heading: &str) -> &'a str {
    let (_, rest) = text.split_once(&format!("\n{heading}\n")).unwrap_or_else(|| panic!("no `{heading}`"));
    rest.split("\n#").next().unwrap_or_default()
}

/// What the community task asks of a README, item by item.
#[test]
fn the_readme_has_the_eight_items_of_the_task() {
    let text = read(&op_dir().join("README.md"));
    let has = |item: &str, heading: &str, words: &[&str]| {
        let part = part(&text, heading);
        for word in words {
            assert!(part.contains(word), "{item}: no `{word}` in `{heading}`");
        }
    };
    has("1 function", "## 功能说明", &["- 算子功能：逐元素计算x1除以x2的余数"]);
    has("2 formula", "## 功能说明", &["$$\n  y = x1 - trunc(\\frac{x1}{x2}) \\times x2\n  $$"]);
    let definition = read(&op_dir().join("op_host/fmod_def.cpp"));
    let words = definition.split(|c: char| c != '_' && !c.is_alphanumeric());
    let types: BTreeSet<&str> = words.filter_map(|word| word.strip_prefix("DT_")).collect();
    for name in ["x1", "x2", "y"] {
        let row = part(&text, "## 参数说明").split_once(&format!("<td>{name}</td>")).expect(name).1;
        let listed = row.split("<td>").nth(3).and_then(|cell| cell.split("</td>").next()).unwrap_or_default();
        assert_eq!(listed.split('、').collect::<BTreeSet<_>>(), types, "3 types of {name}");
    }
    has("3 formats", "## 参数说明", &["<td>ND</td>"]);
    has("3 shapes", "## 约束说明", &["0-8维", "空Tensor", "广播", "非连续"]);
    has("4 call by a tensor", "## 调用说明", &["test_aclnn_fmod_tensor", "aclnnFmodTensor与aclnnInplaceFmodTensor"]);
    has("5 call by a scalar", "## 调用说明", &["test_aclnn_fmod_scalar", "aclnnFmodScalar与aclnnInplaceFmodScalar"]);
    let build = "bash build.sh --pkg --experimental --soc=ascend910b --ops=fmod\n./build_out/";
    has("6 how to build", "### 编译与安装", &[build]);
    let test = "bash build.sh -u --ophost --opapi --opkernel --experimental --soc=ascend910b --ops=fmod";
    has("7 how to test", "### 运行样例与测试", &["build.sh --run_example fmod eager cust", test]);
    has(
        "8 precision compared",
        "### 精度与性能",
        &["| 对比项 | 内置Mod算子 | tbe | exact |", "| AscendOpTest默认阈值 |"],
    );
    has(
        "8 performance compared",
        "### 精度与性能",
        &["时序模型的预测值", "未经硬件实测", "| FLOAT，4 Mi元素，数据在L2 | 1 |"],
    );
}

/// An example without its notice, as pages show it.
fn code(source: &str) -> &str {
    source.split_once("*/\n\n").map_or(source, |(_, code)| code)
}

#[test]
fn every_page_shows_the_example_of_its_interfaces() {
    const SHOWN: [(&str, &[&str]); 3] = [
        ("test_aclnn_fmod_scalar", &["aclnnFmodScalar&aclnnInplaceFmodScalar"]),
        ("test_aclnn_fmod_tensor", &["aclnnFmodTensor&aclnnInplaceFmodTensor"]),
        (
            "test_aclnn_fmod_v2",
            &["aclnnFmodScalarV2&aclnnInplaceFmodScalarV2", "aclnnFmodTensorV2&aclnnInplaceFmodTensorV2"],
        ),
    ];
    let stem = |path: &Path| path.file_stem().and_then(|stem| stem.to_str()).expect("UTF-8 name").to_owned();
    let pages: Vec<(String, String)> = pages().iter().map(|page| (stem(page), read(page))).collect();
    let found: Vec<(String, Vec<&str>)> = files("examples", ".cpp")
        .iter()
        .map(|example| {
            let source = read(example);
            let sample = format!("```Cpp\n{}```\n", code(&source));
            let holding = pages.iter().filter(|(_, page)| page.ends_with(&sample));
            (stem(example), holding.map(|(name, _)| name.as_str()).collect())
        })
        .collect();
    let expected: Vec<(String, Vec<&str>)> =
        SHOWN.iter().map(|(example, pages)| ((*example).to_owned(), pages.to_vec())).collect();
    assert_eq!(found, expected);
}
