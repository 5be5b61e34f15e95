//! The NPUs of this machine, as npu-smi of their driver tells of them.

use std::process::Command;

#[derive(Debug, PartialEq, Eq)]
pub enum Npus {
    /// There is no npu-smi, and so no driver.
    NoDriver,
    /// npu-smi is there and tells nothing; its own words.
    Silent(String),
    Found {
        driver: String,
        chips: Vec<Chip>,
    },
}

#[derive(Debug, PartialEq, Eq)]
pub struct Chip {
    /// Number of the NPU, as in ASCEND_RT_VISIBLE_DEVICES and npu-smi's first column.
    pub npu: String,
    /// `910B4`
    pub name: String,
    /// `OK`, `Warning`, `Alarm`, …
    pub health: String,
}

impl Npus {
    pub fn look() -> Npus {
        let Ok(output) = Command::new("npu-smi").arg("info").output() else { return Npus::NoDriver };
        let text = String::from_utf8_lossy(&output.stdout);
        let said = String::from_utf8_lossy(&output.stderr);
        let words = || {
            let last = text.lines().chain(said.lines()).rfind(|line| !line.trim().is_empty());
            format!("npu-smi info: {} ({})", last.unwrap_or("no output").trim(), output.status)
        };
        if !output.status.success() {
            return Npus::Silent(words());
        }
        parse(&text).unwrap_or_else(|| Npus::Silent(words()))
    }

    /// One line.
    pub fn describe(&self) -> String {
        match self {
            Npus::NoDriver => "no npu-smi, so no driver".to_owned(),
            Npus::Silent(words) => words.clone(),
            Npus::Found { driver, chips } if chips.is_empty() => format!("driver {driver}, no NPU"),
            Npus::Found { driver, chips } => {
                let mut kinds: Vec<(&str, &str, usize)> = Vec::new();
                for chip in chips {
                    match kinds.iter_mut().find(|kind| (kind.0, kind.1) == (&*chip.name, &*chip.health)) {
                        Some(kind) => kind.2 += 1,
                        None => kinds.push((&chip.name, &chip.health, 1)),
                    }
                }
                let list: Vec<String> =
                    kinds.iter().map(|(name, health, count)| format!("{count} x {name} {health}")).collect();
                format!("{}, driver {driver}", list.join(", "))
            }
        }
    }

    /// At least one chip that can be used.
    pub fn any_healthy(&self) -> bool {
        matches!(self, Npus::Found { chips, .. } if chips.iter().any(|chip| chip.health == "OK"))
    }
}

/// A chip has two lines; the first has its name and its health, the second the address of its bus.
fn parse(text: &str) -> Option<Npus> {
    let driver = text.lines().find_map(|line| {
        let (_, version) = line.split_once(" Version: ")?;
        line.contains("npu-smi").then(|| version.trim_end_matches(['|', ' ']).to_owned())
    })?;
    let chip = |line: &str| {
        let mut cells = line.strip_prefix('|')?.split('|');
        let (mut first, health) = (cells.next()?.split_whitespace(), cells.next()?.trim());
        let (npu, name) = (first.next()?, first.next()?);
        let is_chip = npu.bytes().all(|byte| byte.is_ascii_digit()) && !health.contains(':') && !health.is_empty();
        is_chip.then(|| Chip { npu: npu.to_owned(), name: name.to_owned(), health: health.to_owned() })
    };
    // Another table of processes follows.
    let chips = text.lines().take_while(|line| !line.contains("Process id")).filter_map(chip).collect();
    Some(Npus::Found { driver, chips })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// In the form of drivers 24.1 to 25.5; A3's chips have a physical number, too.
    const TWO: &str = "\
+------------------------------------------------------------------------------------------------+
| npu-smi 24.1.1                   Version: 24.1.1                                               |
+---------------------------+---------------+----------------------------------------------------+
| NPU   Name                | Health        | Power(W)    Temp(C)           Hugepages-Usage(page)|
| Chip  Phy-ID              | Bus-Id        | AICore(%)   Memory-Usage(MB)  HBM-Usage(MB)        |
+===========================+===============+====================================================+
| 0     910B4               | OK            | 88.2        30                0    / 0             |
| 0     0                   | 0000:C1:00.0  | 0           0    / 0          26838/ 32768         |
+===========================+===============+====================================================+
| 1     910B4               | Alarm         | 87.0        30                0    / 0             |
| 0     1                   | 0000:C2:00.0  | 0           0    / 0          29356/ 32768         |
+===========================+===============+====================================================+
| NPU     Chip              | Process id    | Process name             | Process memory(MB)      |
| 1       0                 | 1234          | python3                  | 26000                   |
";

    #[test]
    fn chips_and_their_health() {
        let table = TWO.split("| NPU     Chip").next().expect("the first table");
        let found = parse(table).expect("a table");
        assert_eq!(found.describe(), "1 x 910B4 OK, 1 x 910B4 Alarm, driver 24.1.1");
        assert!(found.any_healthy());
        let Npus::Found { chips, .. } = &found else { panic!("{found:?}") };
        assert_eq!((chips[1].npu.as_str(), chips[1].health.as_str()), ("1", "Alarm"));

        let bad = parse(&table.replace("| OK ", "| Warning ")).expect("a table");
        assert!(!bad.any_healthy());
        assert_eq!(parse(TWO), Some(found), "processes are no chips");
        let none = parse("| npu-smi 24.1.1      Version: 24.1.1   |\n").expect("a version");
        assert_eq!((none.describe().as_str(), none.any_healthy()), ("driver 24.1.1, no NPU", false));
        assert_eq!(parse("DrvMngGetConsoleLogLevel failed. (g_conLogLevel=3)"), None);
    }
}
