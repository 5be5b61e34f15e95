//! `test --exhaustive`: every pair of the small types and 10^9 hard pairs of the large ones through the installed op.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use clap::Args;
use serde_json::{Number, Value};
use xshell::cmd;

use crate::base::ctx::Ctx;
use crate::base::diag::{HintExt, Kind, failed};
use crate::base::done::Done;
use crate::base::files;
use crate::base::plural;
use crate::base::proc;
use crate::base::report::{Sweep, SweepPiece, SweepResult};
use crate::base::shard::Shard;
use crate::run::companion::{self, Companion};
use crate::toolchain::evidence;
use crate::toolchain::finished::{Finished, Inputs};
use crate::toolchain::plan::Plan;
use crate::toolchain::root;

#[derive(Args)]
pub struct Exhaustive {
    /// Sweep all pairs of 8- and 16-bit operands and 10^9 hard 32-bit pairs instead of the layers
    #[arg(long, conflicts_with_all = ["filter", "only", "args"])]
    exhaustive: bool,
    /// With --exhaustive: run only these classes; `list` prints their names
    #[arg(long = "class", value_delimiter = ',', value_name = "NAME", requires = "exhaustive")]
    classes: Vec<String>,
    /// With --exhaustive: set HOSTCANN_<KEY>=VALUE, for example div_ulp=random,fma=fused
    #[arg(long, value_delimiter = ',', value_name = "KEY=VALUE", requires = "exhaustive")]
    switches: Vec<String>,
}

/// A value of --class that asks for the names.
const LIST: &str = "list";

pub struct Sweeping {
    companion: Companion,
    pub sweep: companion::Sweep,
    shard: Shard,
}

impl Exhaustive {
    pub fn is_wanted(&self) -> bool {
        self.exhaustive
    }

    /// Finds the op's sweep and refuses classes that it does not have, before anything is built.
    pub fn plan(&self, cx: &Ctx, plan: &Plan, shard: Shard) -> Result<Sweeping> {
        let (companion, sweep) = companion::part(cx, plan, "sweep", |companion| companion.sweep.clone())?;
        if let Some(wrong) = self.classes.iter().find(|class| !sweep.classes.contains(class) && *class != LIST) {
            return Err(failed(Kind::Usage, format!("--class {wrong}: {} has no such class", sweep.binary))
                .hint(format!("its classes are {}", sweep.classes.join(", "))));
        }
        Ok(Sweeping { companion, sweep, shard })
    }

    pub fn only_lists(&self) -> bool {
        self.classes == [LIST]
    }

    /// Sweeps the op that is installed already, class by class: what has ended is kept when a later class is stopped.
    pub fn run(&self, cx: &mut Ctx, plan: &Plan, wish: &Sweeping, again: bool) -> Result<Done> {
        let sweep = wish.companion.build(cx, plan, &wish.sweep.binary)?;
        let inputs = Inputs::of(cx, plan, &[wish.companion.file(Path::new("src"))])?;
        let inputs = inputs.with(&format!("{} {:?}", wish.shard, self.switches));
        let kept = Finished::open(&cx.project.work(), "sweep", &inputs, again)?;
        let all = if self.classes.is_empty() { &wish.sweep.classes } else { &self.classes };
        // Every part has its share of every class.
        for class in all {
            for index in 1..=wish.shard.count {
                let part = Shard { index, ..wish.shard };
                cx.run.note_unit(&format!("{class} {part}"), part == wish.shard);
            }
        }
        let known = || all.iter().filter(|class| kept.has(class)).map(String::as_str).collect::<Vec<_>>();
        if !again && !known().is_empty() {
            let known = known().join(", ");
            cx.console
                .say("Fresh", format!("{known}: swept before with the same sources; --again repeats what is known"));
        }
        let ended = kept.each(
            all,
            |document: &Sweep| document.mismatches == 0,
            |_, class| self.sweep(cx, plan, wish, (&sweep, class)),
        );
        let documents = ended.inspect_err(|_| {
            let done = format!("{} of {} classes", known().len(), all.len());
            cx.console.warn(format!(
                "{done} have ended and are kept: the same command, without --again, goes on with the others"
            ));
        })?;
        let result = merged(&documents);
        self.keep(cx, plan, wish.shard, &result);
        self.finish(cx, wish.shard, result)
    }

    /// The documents of all parts as that of one run.
    ///
    /// # Errors
    /// Documents that do not fit together, a file that cannot be written.
    pub fn merge(&self, cx: &mut Ctx, parts: Vec<SweepResult>) -> Result<Done> {
        let mut whole = Value::Null;
        for part in parts {
            join("", &mut whole, serde_json::to_value(part.exhaustive)?);
        }
        whole["shard"] = Shard::WHOLE.to_string().into();
        let result = serde_json::from_value(whole).context("the documents of the parts do not fit together")?;
        self.finish(cx, Shard::WHOLE, result)
    }

    fn finish(&self, cx: &mut Ctx, shard: Shard, result: Sweep) -> Result<Done> {
        let out = cx.project.work().join(self.file_name(shard));
        let text = serde_json::to_string_pretty(&result).context("a sweep is no JSON")?;
        files::write_if_changed(&out, format!("{text}\n").as_bytes())?;
        cx.run.artifact(&out, None);
        let (verdict, judgement) = judge(cx, shard, &result, &out);
        let done = Done::with(&SweepResult { exhaustive: result }).stored_as("exhaustive");
        Ok(done.verdict(verdict).judged(judgement))
    }

    /// The document of one class.
    fn sweep(&self, cx: &mut Ctx, plan: &Plan, wish: &Sweeping, (sweep, class): (&Path, &str)) -> Result<Sweep> {
        let out = cx.project.work().join("exhaustive-class.json");
        // A result of an earlier run must not be taken for this one's.
        files::remove_file_if_there(&out)?;
        let (shard, switches) = (wish.shard.to_string(), self.switches.join(","));
        let mut args = vec!["--shard", &shard, "--class", class];
        args.extend((!switches.is_empty()).then_some(["--switches", &switches]).into_iter().flatten());
        cx.console.say("Sweeping", format!("shard {shard}, {class}"));
        let outcome = cx.step("sweep", |cx| {
            let line = cmd!(cx.run.sh, "{sweep} {args...} --out {out}");
            proc::show_run(cx, "sweep", root::with_root(line, &plan.root).envs(wish.companion.env(plan)))
        })?;
        let failed =
            || proc::tool_failed(cx, "sweep", Kind::Tests, &format!("{} {class}", wish.sweep.binary), &outcome);
        let document = if out.is_file() { read(&out)? } else { return Err(failed()) };
        // A mismatch is a result; a call that failed is none.
        if !outcome.ok && (outcome.timed_out || document.mismatches == 0) {
            return Err(failed());
        }
        Ok(document)
    }

    /// Every class by itself, so that classes may be swept one after the other.
    fn keep(&self, cx: &mut Ctx, plan: &Plan, shard: Shard, result: &Sweep) {
        for class in &result.classes {
            let mut name = format!("sweep.{}", class.name);
            name.extend((shard != Shard::WHOLE).then(|| format!(".{}", shard.file_part())));
            name.extend(self.switches.iter().map(|switch| format!(".{switch}")));
            let (class, shard, switches) = (class.clone(), shard.to_string(), self.switches.clone());
            let data = SweepPiece { class, shard, switches };
            evidence::keep(cx, plan, &name, &data);
        }
    }

    /// A part of the classes and other switches have files of their own.
    fn file_name(&self, shard: Shard) -> PathBuf {
        let mut name = format!("exhaustive-{}", shard.file_part());
        for part in self.classes.iter().chain(&self.switches) {
            name.push('.');
            name.push_str(part);
        }
        (name + ".json").into()
    }
}

fn judge(cx: &Ctx, shard: Shard, result: &Sweep, out: &Path) -> (String, Result<()>) {
    let (Sweep { pairs, mismatches, .. }, file) = (result, cx.project.show(out));
    let verdict = format!(
        "exhaustive {shard}: {}, {}, 0 mismatches ({file})",
        plural::number(result.classes.len(), "class"),
        plural::number(*pairs, "pair")
    );
    let judgement = match mismatches {
        0 => Ok(()),
        _ => Err(failed(Kind::Tests, format!("{mismatches} of {pairs} pairs differ"))
            .hint(format!("the first pairs of each class: {file}; one class: --class NAME"))),
    };
    (verdict, judgement)
}

/// Adds what another part has found to what one has: counts and seconds add up, classes and their parts by name; of anything else
/// the first is kept.
fn join(key: &str, one: &mut Value, other: Value) {
    match (one, other) {
        (one @ Value::Null, other) => *one = other,
        (Value::Number(one), Value::Number(other)) if ["pairs", "mismatches", "seconds"].contains(&key) => {
            let whole = one.as_u64().zip(other.as_u64()).map(|(one, other)| Number::from(one + other));
            let sum = || Number::from_f64(one.as_f64()? + other.as_f64()?);
            if let Some(sum) = whole.or_else(sum) {
                *one = sum;
            }
        }
        (Value::Array(one), Value::Array(other)) => {
            for entry in other {
                let name = entry.get("name").cloned();
                match one.iter_mut().find(|known| name.is_some() && known.get("name") == name.as_ref()) {
                    Some(known) => join(key, known, entry),
                    None => one.push(entry),
                }
            }
        }
        (Value::Object(one), Value::Object(other)) => {
            for (key, value) in other {
                join(&key, one.entry(key.clone()).or_insert(Value::Null), value);
            }
        }
        _ => {}
    }
}

/// The classes' documents as one: the newest says where and when, numbers add up.
fn merged(documents: &[Sweep]) -> Sweep {
    Sweep {
        pairs: documents.iter().map(|one| one.pairs).sum(),
        mismatches: documents.iter().map(|one| one.mismatches).sum(),
        seconds: documents.iter().map(|one| one.seconds).sum(),
        classes: documents.iter().flat_map(|one| one.classes.iter().cloned()).collect(),
        more: documents.last().map(|one| one.more.clone()).unwrap_or_default(),
    }
}

fn read(path: &Path) -> Result<Sweep> {
    let text = fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    serde_json::from_str(&text).with_context(|| format!("{} is no document of a sweep", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn wish(classes: &[&str], switches: &[&str]) -> Exhaustive {
        let own = |list: &[&str]| list.iter().map(|text| (*text).to_owned()).collect();
        Exhaustive { exhaustive: true, classes: own(classes), switches: own(switches) }
    }

    #[test]
    fn results_do_not_overwrite_each_other() {
        let name = |shard, wish: Exhaustive| wish.file_name(shard).display().to_string();
        assert_eq!(name(Shard { index: 2, count: 8 }, wish(&[], &[])), "exhaustive-2-of-8.json");
        assert_eq!(
            name(Shard::WHOLE, wish(&["i16", "u8"], &["div_ulp=random"])),
            "exhaustive-1-of-1.i16.u8.div_ulp=random.json"
        );
    }

    #[test]
    fn documents_of_classes_add_up() {
        let one = |name: &str, pairs: u64, mismatches: u64| -> Sweep {
            let classes = json!([{"name": name}]);
            let document = json!({"schema": 1, "shard": "1/1", "pairs": pairs, "mismatches": mismatches, "seconds": 1.5, "classes": classes});
            serde_json::from_value(document).expect("a document")
        };
        let result = merged(&[one("i8", 10, 0), one("u8", 20, 3)]);
        assert_eq!((result.pairs, result.mismatches, result.seconds), (30, 3, 3.0));
        assert_eq!(result.more["shard"], "1/1");
        let names = |sweep: &Sweep| sweep.classes.iter().map(|class| class.name.clone()).collect::<Vec<_>>();
        assert_eq!(names(&result), ["i8", "u8"]);
        // A class that promises no bits under the switches has an empty document.
        let none = Sweep { classes: Vec::new(), ..one("f16", 0, 0) };
        assert_eq!(names(&merged(&[one("i8", 10, 0), none])), ["i8"]);
    }

    #[test]
    fn parts_of_a_class_add_up() {
        let part = |shard: &str, pairs: u64, mismatches: u64, date: &str, example: &str| {
            json!({"shard": shard, "date": date, "pairs": pairs, "mismatches": mismatches, "seconds": 1.5, "classes": [{
                "name": "i8", "pairs": pairs, "mismatches": mismatches, "all_pairs": true, "seconds": 1.25,
                "parts": [{"name": "V02", "pairs": pairs, "mismatches": mismatches}], "examples": [example],
            }]})
        };
        let mut whole = Value::Null;
        join("", &mut whole, part("1/2", 10, 1, "first", "a"));
        join("", &mut whole, part("2/2", 20, 2, "second", "b"));
        let class = json!({"name": "i8", "pairs": 30, "mismatches": 3, "all_pairs": true, "seconds": 2.5,
            "parts": [{"name": "V02", "pairs": 30, "mismatches": 3}], "examples": ["a", "b"]});
        let all =
            json!({"shard": "1/2", "date": "first", "pairs": 30, "mismatches": 3, "seconds": 3.0, "classes": [class]});
        assert_eq!(whole, all);
    }
}
