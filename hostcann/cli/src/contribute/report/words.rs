//! Words that several parts of the report share.

use super::doc::{Both, both, same};

pub fn item() -> Both {
    both("项目", "item")
}

pub fn value() -> Both {
    both("内容", "value")
}

pub fn overview() -> Both {
    both("总览", "Overview")
}

pub fn part() -> Both {
    both("部分", "part")
}

pub fn state() -> Both {
    both("状态", "state")
}

pub fn result() -> Both {
    both("结果", "result")
}

pub fn scenario() -> Both {
    both("场景", "scenario")
}

pub fn mode() -> Both {
    both("模式", "mode")
}

pub fn dtype() -> Both {
    both("数据类型", "data type")
}

pub fn case() -> Both {
    both("用例", "case")
}

pub fn to_fill() -> Both {
    both("补齐未运行部分的命令", "Commands that fill what was not run")
}

pub fn nothing_open() -> Both {
    both("无：所有部分都在当前提交上运行过。", "None: every part has run on this commit.")
}

/// After how many cases pass.
pub fn beyond(expected: u64) -> Both {
    match expected {
        0 => Both::default(),
        _ => both(format!("，{expected}个按预期超出阈值"), format!(", {expected} beyond the threshold as expected")),
    }
}

/// Attributes of a case as they are passed; none of them means the interface's default.
pub fn mode_name(mode: &str) -> Both {
    if mode.is_empty() { both("默认", "default") } else { same(mode) }
}

/// Chinese for names that runs write into their results: layers of `test`, gates and cases of `bench sim`, what bounds a launch.
const NAMES: [(&str, &str); 45] = [
    ("rustfmt", "Rust代码格式"),
    ("clang-format", "C++代码格式"),
    ("tidy", "仓库规则"),
    ("clippy", "Rust静态检查"),
    ("other architecture", "另一架构的静态检查"),
    ("rust", "Rust测试"),
    ("broken-kernels", "缺陷内核"),
    ("package-rules", "算子包规则"),
    ("device", "设备编译规则"),
    ("cpp", "C++测试"),
    ("ut", "单元测试"),
    ("math_op_host_ut", "op_host单元测试"),
    ("math_op_api_ut", "op_api单元测试"),
    ("math_op_kernel_ut", "op_kernel单元测试"),
    ("math_op_kernel_aicpu_ut", "AI CPU单元测试"),
    ("example", "调用样例"),
    ("rules about the package", "软件包规则"),
    ("acceptance", "验收用例"),
    ("operators", "测试算子"),
    ("templates", "算子模板"),
    ("installed", "安装后的程序"),
    ("templates_host_ut", "算子模板的op_host单元测试"),
    ("templates_api_ut", "算子模板的op_api单元测试"),
    ("templates_kernel_ut", "算子模板的op_kernel单元测试"),
    ("compile_commands", "编译数据库"),
    ("debug build", "调试构建"),
    ("rules of a contribution", "贡献规则"),
    ("docs", "文档命令"),
    ("mutants", "变异测试"),
    ("launch", "启动"),
    ("imbalance", "核间不均衡"),
    ("memory", "内存"),
    ("vector", "向量计算"),
    ("scalar", "标量"),
    ("warm", "热缓存"),
    ("cold", "冷缓存"),
    ("same", "同形状"),
    ("wide", "同形状（全范围整数）"),
    ("row", "行广播"),
    ("column", "列广播"),
    ("both", "双向广播"),
    ("strided", "非连续"),
    ("fmt", "代码格式"),
    ("load", "加载"),
    ("hard", "exact（大商）"),
];

/// Name and requirement of every gate of `bench sim`.
const GATES: [(&str, &str, &str); 7] = [
    ("tbe-chain", "tbe模式对比内置算子指令序列", "tbe模式，f32、f16、bf16、i16：速度不低于内置算子指令序列的0.95倍"),
    ("broadcast", "广播对比同形状", "tbe模式：广播的速度不低于两个操作数均为结果形状时的0.95倍"),
    ("strided", "非连续对比先转连续", "tbe模式，直接读写的非连续行：速度不低于先转连续再计算的1.2倍"),
    (
        "exact-cold-f32",
        "exact模式f32冷缓存",
        "exact模式，f32，同形状，冷缓存，1 Mi及以上：速度不低于内置算子指令序列的0.9倍",
    ),
    (
        "exact-warm-16-bit",
        "exact模式16位浮点热缓存",
        "exact模式，f16与bf16，同形状，热缓存，1 Mi及以上：速度不低于内置算子指令序列的0.9倍",
    ),
    ("integers", "整数对比内置算子指令序列", "i8、u8：速度不低于内置算子指令序列的0.95倍"),
    (
        "exact-i32",
        "i32对比内置算子指令序列",
        "i32（结果精确，内置算子指令序列有舍入）：速度不低于内置算子指令序列的0.9倍",
    ),
];

/// A name out of a result; one that no table has stays as it is.
pub fn named(name: &str) -> Both {
    both(NAMES.iter().find(|(known, _)| *known == name).map_or(name, |(_, zh)| zh), name)
}

/// The name of a gate, which a case may have, too.
pub fn gate(name: &str) -> Both {
    both(GATES.iter().find(|(known, ..)| *known == name).map_or(name, |(_, zh, _)| zh), name)
}

/// What a gate asks for; `text` is the English of its run.
pub fn required(gate: &str, text: &str) -> Both {
    both(GATES.iter().find(|(known, ..)| *known == gate).map_or(text, |(.., zh)| zh), text)
}

/// `f32 same`.
pub fn typed_case(dtype: &str, case: &str) -> Both {
    let case = named(case);
    both(format!("{dtype} {}", case.zh), format!("{dtype} {}", case.en))
}

/// `Ascend910B3 f32 same 1 Mi warm`, the name of a row of `bench sim`.
pub fn row_name(name: &str) -> Both {
    let zh: Vec<String> = name.split(' ').map(|word| named(word).zh).collect();
    both(zh.join(" "), name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::perf::predict::gates;
    use crate::perf::predict::matrix::CASES;
    use crate::test::operators_layers;

    #[test]
    fn every_name_of_a_run_has_a_chinese_word() {
        let layers = operators_layers::all().into_iter().map(|layer| layer.name().to_owned());
        let cases = CASES.into_iter().chain(["warm", "cold"]).map(str::to_owned);
        let bounds = ["launch", "imbalance", "memory", "vector", "scalar"].map(str::to_owned);
        for name in layers.chain(cases).chain(bounds) {
            let Both { zh, en } = named(&name);
            assert!(!zh.is_ascii() && en == name, "{name}: {zh}");
        }
        for gate in &gates::GATES {
            let Both { zh, en } = super::gate(gate.name);
            assert!(!zh.is_ascii() && en == gate.name, "{}: {zh}", gate.name);
            let Both { zh, en } = required(gate.name, gate.text);
            assert!(!zh.is_ascii() && en == gate.text, "{}: {zh}", gate.name);
            // The requirement in both languages.
            let number = |text: &str| {
                text.split(|c: char| c != '.' && !c.is_ascii_digit()).find(|part| part.contains('.')).map(str::to_owned)
            };
            assert_eq!(number(&zh), number(gate.text), "{}", gate.name);
        }
        assert_eq!(named("x"), same("x"));
        assert_eq!(row_name("Ascend910B3 f32 strided 1 Mi warm").zh, "Ascend910B3 f32 非连续 1 Mi 热缓存");
    }
}
