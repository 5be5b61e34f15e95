//! What `HOSTCANN_SIM` asks for: `FILE`, or `cold,sampled,what-if,trace=0-3+7:FILE`.

use aicore::model::Caches;

/// How the timing model looks at launches, and where its predictions go.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sim {
    /// A line of JSON for every launch
    pub file: String,
    /// What the caches hold: a line for each, of one recording. None: warm.
    pub caches: Vec<Caches>,
    /// Only some blocks run; the results of the others are not there.
    pub sampled: bool,
    /// The launch again without some of its costs, and what its lines cost.
    pub what_if: bool,
    /// Timelines of these cores, each range with both ends.
    pub trace: Vec<(u32, u32)>,
}

pub const EXPECTED: &str = "a file, or words and a file such as cold,what-if:FILE; words: warm, eager, cold, full, sampled, what-if, trace \
                            (all cores), trace=0-3+7";

impl Sim {
    /// None: it is not understood. A word in front of a colon is no file unless it looks like one.
    pub fn parse(text: &str) -> Option<Sim> {
        let (words, file) = match text.split_once(':') {
            Some((words, file)) if !words.contains(['/', '.']) => (words, file),
            _ => ("", text),
        };
        let mut sim = Sim { file: file.to_owned(), ..Sim::default() };
        for word in words.split(',').filter(|_| !words.is_empty()) {
            let (name, value) = word.split_once('=').map_or((word, None), |(name, value)| (name, Some(value)));
            match (name, value) {
                ("full", None) => sim.sampled = false,
                ("sampled", None) => sim.sampled = true,
                ("what-if", None) => sim.what_if = true,
                ("trace", None | Some("all")) => sim.trace = vec![(0, u32::MAX)],
                ("trace", Some(cores)) => sim.trace = cores.split('+').map(range).collect::<Option<_>>()?,
                (word, None) => sim.caches.push(Caches::ALL.into_iter().find(|caches| caches.name() == word)?),
                _ => return None,
            }
        }
        (!sim.file.is_empty() && !text.starts_with(':')).then_some(sim)
    }

    /// What the caches hold, for each line of a launch.
    pub fn modes(&self) -> impl Iterator<Item = Caches> {
        let asked = |caches: &Caches| self.caches.contains(caches) || self.caches.is_empty() && *caches == Caches::Warm;
        Caches::ALL.into_iter().filter(asked)
    }

    pub fn traces(&self, core: u32) -> bool {
        self.trace.iter().any(|(from, to)| (*from..=*to).contains(&core))
    }
}

fn range(text: &str) -> Option<(u32, u32)> {
    let (from, to) = text.split_once('-').unwrap_or((text, text));
    let (from, to) = (from.parse().ok()?, to.parse().ok()?);
    (from <= to).then_some((from, to))
}

#[cfg(test)]
mod tests {
    use super::*;
    use Caches::{Cold, Eager, Warm};

    #[test]
    fn words_and_a_file() {
        let file = |file: &str| Sim { file: file.into(), ..Sim::default() };
        assert_eq!(Sim::parse("a.json"), Some(file("a.json")));
        assert_eq!(Sim::parse("/x/a:b,c"), Some(file("/x/a:b,c")));
        assert_eq!(Sim::parse("./cold:x"), Some(file("./cold:x")));
        assert_eq!(Sim::parse("warm:a,b:c"), Some(Sim { caches: vec![Caches::Warm], ..file("a,b:c") }));
        let modes = |text: &str| Sim::parse(text).map(|sim| sim.modes().collect::<Vec<_>>());
        assert_eq!(
            ["x", "warm:x", "cold:x", "eager:x"].map(modes),
            [Warm, Warm, Cold, Eager].map(|one| Some(vec![one]))
        );
        assert_eq!(modes("cold,warm:x"), Some(vec![Warm, Cold]));
        assert_eq!(modes("cold,warm,eager,cold:x"), Some(vec![Warm, Eager, Cold]));
        let cold = Sim { caches: vec![Cold], sampled: true, what_if: true, trace: vec![(0, 3), (7, 7)], ..file("/x") };
        assert_eq!(Sim::parse("cold,sampled,what-if,trace=0-3+7:/x"), Some(cold.clone()));
        assert_eq!([0, 3, 4, 7, 8].map(|core| cold.traces(core)), [true, true, false, true, false]);
        assert!(Sim::parse("trace:x").is_some_and(|sim| sim.traces(0) && sim.traces(99)));
        assert!(Sim::parse("trace=all:x").is_some_and(|sim| sim.traces(99)));
        assert!(!file("x").traces(0));
    }

    #[test]
    fn what_is_no_word() {
        for wrong in
            ["", "clod:x", "cold,:x", "cold:", ":x", "trace=:x", "trace=3-1:x", "trace=a:x", "cold=1:x", "cold cold:x"]
        {
            assert_eq!(Sim::parse(wrong), None, "{wrong}");
        }
    }
}
