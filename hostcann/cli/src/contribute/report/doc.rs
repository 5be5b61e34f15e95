//! The report as a document in two languages, before it is HTML or Markdown.

/// A text in both languages.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Both {
    pub zh: String,
    pub en: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    Zh,
    En,
}

impl Language {
    /// Of HTML, and in the names of places.
    pub fn code(self) -> &'static str {
        match self {
            Language::Zh => "zh",
            Language::En => "en",
        }
    }
}

pub fn both(zh: impl Into<String>, en: impl Into<String>) -> Both {
    Both { zh: zh.into(), en: en.into() }
}

/// Names and numbers.
pub fn same(text: impl Into<String>) -> Both {
    let text = text.into();
    Both { zh: text.clone(), en: text }
}

impl Both {
    pub fn of(&self, language: Language) -> &str {
        match language {
            Language::Zh => &self.zh,
            Language::En => &self.en,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    Plain,
    Good,
    Bad,
    /// Nothing is known
    Open,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Cell {
    pub text: Both,
    pub tone: Tone,
    /// A name out of a file
    pub code: bool,
    /// Arguments of `cargo xtask` that fill it, of what was not run
    pub fill: Vec<String>,
}

impl Cell {
    pub fn text(text: Both) -> Cell {
        Cell::tinted(text, Tone::Plain)
    }

    pub fn tinted(text: Both, tone: Tone) -> Cell {
        Cell { text, tone, code: false, fill: Vec::new() }
    }

    pub fn plain(text: impl Into<String>) -> Cell {
        Cell::text(same(text))
    }

    pub fn code(text: impl Into<String>) -> Cell {
        Cell { code: true, ..Cell::plain(text) }
    }

    pub fn toned(text: impl Into<String>, tone: Tone) -> Cell {
        Cell::tinted(same(text), tone)
    }

    /// How many of how many.
    pub fn share(passed: u64, all: u64) -> Cell {
        let tone = if passed == all { Tone::Good } else { Tone::Bad };
        Cell::toned(format!("{passed}/{all}"), tone)
    }

    /// As `share`; in brackets those that exceed their threshold as expected.
    pub fn outcomes(passed: u64, expected: u64, all: u64) -> Cell {
        match expected {
            0 => Cell::share(passed, all),
            _ if passed + expected == all => Cell::toned(format!("{passed}/{all} ({expected})"), Tone::Open),
            _ => Cell::toned(format!("{passed}/{all} ({expected})"), Tone::Bad),
        }
    }
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    pub head: Vec<Both>,
    pub rows: Vec<Vec<Cell>>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Block {
    Text(Both),
    /// What was not run, and why
    Open(Both),
    Heading(Both),
    Table(Table),
    /// Long; folded where that is possible
    Folded(Both, Table),
    /// SVG of both languages, side by side as they fit
    Pictures(Vec<[String; 2]>),
    Commands(Vec<String>),
}

/// What became of a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    Good,
    Bad,
    /// Something was not run on this commit
    Open,
    /// The operator has nothing of the kind
    None,
}

impl State {
    pub fn word(self) -> &'static str {
        match self {
            State::Good => "good",
            State::Bad => "failed",
            State::Open => "open",
            State::None => "none",
        }
    }

    pub fn text(self) -> Both {
        match self {
            State::Good => both("通过", "good"),
            State::Bad => both("未通过", "failed"),
            State::Open => both("未运行完", "not all run"),
            State::None => both("无", "none"),
        }
    }

    pub fn tone(self) -> Tone {
        match self {
            State::Good => Tone::Good,
            State::Bad => Tone::Bad,
            State::Open => Tone::Open,
            State::None => Tone::Plain,
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct Section {
    /// For links
    pub id: &'static str,
    pub title: Both,
    pub state: State,
    /// In the overview
    pub brief: Both,
    pub blocks: Vec<Block>,
    /// Arguments of `cargo xtask` that fill what is open
    pub fill: Vec<Vec<String>>,
}

impl Section {
    pub fn new(id: &'static str, title: Both) -> Section {
        Section { id, title, state: State::None, brief: Both::default(), blocks: Vec::new(), fill: Vec::new() }
    }

    /// The worst wins: what failed has failed whatever else was not run.
    pub fn judge(&mut self, state: State) {
        let rank = |state: State| match state {
            State::None => 0,
            State::Good => 1,
            State::Open => 2,
            State::Bad => 3,
        };
        if rank(state) > rank(self.state) {
            self.state = state;
        }
    }

    /// Something is not there: says why, and what would fill it.
    pub fn open(&mut self, what: &Both, why: &Both, fill: &[String]) {
        self.judge(State::Open);
        let command = shown_line(fill);
        let text = both(
            format!("{}：{}。补齐：{command}", what.zh, why.zh),
            format!("{}: {}. To fill it: {command}", what.en, why.en),
        );
        self.blocks.push(Block::Open(text));
        if !self.fill.contains(&fill.to_vec()) {
            self.fill.push(fill.to_vec());
        }
    }
}

/// What is not there, by reason.
#[derive(Default)]
pub struct Gaps(Vec<(Both, Vec<String>)>);

impl Gaps {
    pub fn add(&mut self, name: impl Into<String>, why: Both) {
        let name = name.into();
        match self.0.iter_mut().find(|(known, _)| *known == why) {
            Some((_, names)) => names.push(name),
            None => self.0.push((why, vec![name])),
        }
    }

    /// A line for each reason.
    pub fn tell(self, section: &mut Section, fill: impl Fn(&[String]) -> Vec<String>) {
        for (why, names) in self.0 {
            section.open(&same(names.join(", ")), &why, &fill(&names));
        }
    }
}

pub struct Document {
    pub title: Both,
    /// Facts at the top: a name and a value
    pub facts: Vec<(Both, Cell)>,
    pub sections: Vec<Section>,
}

/// Arguments without paths of the machine that ran them: `/home/me/ops-math` to `<ops-math>`.
pub fn shown_arguments<'a>(arguments: impl Iterator<Item = &'a str>) -> Vec<String> {
    let shown = |word: &str| {
        let (option, value) = match word.split_once('=') {
            Some((option, value)) if option.starts_with('-') => (format!("{option}="), value),
            _ => (String::new(), word),
        };
        match value.starts_with('/') || value.starts_with("~/") {
            true => format!("{option}<{}>", value.trim_end_matches('/').rsplit('/').next().unwrap_or_default()),
            false => word.to_owned(),
        }
    };
    arguments.map(shown).collect()
}

/// The name of the place at the end of a page where a command stands.
pub fn anchor(language: Language, arguments: &[String]) -> String {
    let words: Vec<String> = shown_arguments(arguments.iter().map(String::as_str));
    let plain = |word: &String| {
        word.split(|c: char| !c.is_alphanumeric()).filter(|part| !part.is_empty()).collect::<Vec<_>>().join("-")
    };
    let words: Vec<String> = words.iter().map(plain).collect();
    format!("{}-fill-{}", language.code(), words.join("-"))
}

/// A command of a document, which others read.
pub fn shown_line(arguments: &[String]) -> String {
    line(&shown_arguments(arguments.iter().map(String::as_str)))
}

/// As one would type it.
pub fn line(arguments: &[String]) -> String {
    let plain = |c: char| c.is_alphanumeric() || "_-./=,+:@%<>".contains(c);
    let quoted = |word: &String| {
        if !word.is_empty() && word.chars().all(plain) {
            word.clone()
        } else {
            format!("'{}'", word.replace('\'', "'\\''"))
        }
    };
    let words: Vec<String> = arguments.iter().map(quoted).collect();
    format!("cargo xtask {}", words.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_hold_no_path_of_the_machine() {
        let words = ["pr", "--ops-math", "/home/me/ops-math/", "--out=/tmp/x", "--op-dir", "../mine", "--ops=a,b"];
        let shown = shown_arguments(words.into_iter());
        assert_eq!(shown, ["pr", "--ops-math", "<ops-math>", "--out=<x>", "--op-dir", "../mine", "--ops=a,b"]);
        assert_eq!(line(&shown[..3]), "cargo xtask pr --ops-math <ops-math>");
    }

    #[test]
    fn commands_that_fill_a_part_hold_no_path_of_the_machine() {
        let mut section = Section::new("x", same("x"));
        section.open(&same("test"), &same("y"), &["test", "--op-dir", "/home/me/mine"].map(str::to_owned));
        let want = "test: y. To fill it: cargo xtask test --op-dir <mine>";
        assert_eq!(section.blocks, [Block::Open(both("test：y。补齐：cargo xtask test --op-dir <mine>", want))]);
        // As it runs.
        assert_eq!(section.fill[0][2], "/home/me/mine");
    }

    #[test]
    fn the_worst_state_wins() {
        let mut section = Section::new("x", same("x"));
        for (state, then) in [
            (State::None, State::None),
            (State::Good, State::Good),
            (State::Open, State::Open),
            (State::Good, State::Open),
        ] {
            section.judge(state);
            assert_eq!(section.state, then);
        }
        section.judge(State::Bad);
        section.judge(State::Open);
        assert_eq!(section.state, State::Bad);
    }

    #[test]
    fn commands_are_quoted() {
        let line = |words: &[&str]| line(&words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>());
        assert_eq!(line(&["test", "--op-dir", "a b", "it's"]), "cargo xtask test --op-dir 'a b' 'it'\\''s'");
    }
}
