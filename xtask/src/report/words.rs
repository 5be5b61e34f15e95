//! Words that several parts of the report share.

use super::doc::{Both, both};

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
    if mode.is_empty() { both("默认", "default") } else { super::doc::same(mode) }
}
