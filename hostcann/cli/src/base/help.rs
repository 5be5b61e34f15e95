//! The top-level help: verbs in groups, for which clap has headings of flags only.

use std::fmt::{self, Write};

use clap::Command;
use clap::builder::StyledStr;

use crate::base::verb::Group;

/// The command with a help that lists its verbs by group.
pub fn grouped(command: Command, groups: &[Group]) -> Command {
    let mut template = StyledStr::new();
    match write(&mut template, &command, groups) {
        Ok(()) => command.help_template(template),
        // Nothing fails to be written into a string; clap's own list has the verbs, too.
        Err(fmt::Error) => command,
    }
}

fn write(template: &mut StyledStr, command: &Command, groups: &[Group]) -> fmt::Result {
    let (header, literal) = (command.get_styles().get_header(), command.get_styles().get_literal());
    let width = groups.iter().flat_map(|group| &group.verbs).map(String::len).max().unwrap_or_default();
    write!(template, "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n")?;
    for Group { title, verbs } in groups {
        writeln!(template, "{header}{title}:{header:#}")?;
        for verb in verbs {
            let about = command.find_subcommand(verb).and_then(Command::get_about);
            let about = about.map(ToString::to_string).unwrap_or_default();
            writeln!(template, "  {literal}{verb}{literal:#}{:1$}  {about}", "", width - verb.len())?;
        }
        writeln!(template)?;
    }
    let name = command.get_bin_name().unwrap_or_else(|| command.get_name());
    write!(template, "{header}Options:{header:#}\n{{options}}\n\n")?;
    write!(template, "Run `{name} help VERB` for the flags of a verb, with examples.{{after-help}}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Verbs;
    use crate::base::verb::Grouped;
    use clap::Subcommand;

    #[test]
    fn the_verbs_of_a_group_stand_below_its_title() {
        let command = Command::new("x").about("Do it").arg(clap::arg!(--y "Why")).after_help("Codes");
        let command = command.subcommands([Command::new("run").about("Run it"), Command::new("stop").about("Stop it")]);
        let group = |title, verb: &str| Group { title, verbs: vec![verb.to_owned()] };
        let text = grouped(command, &[group("One", "stop"), group("Two", "run")]).render_help().to_string();
        assert_eq!(
            text,
            "Do it\n\nUsage: x [OPTIONS] [COMMAND]\n\nOne:\n  stop  Stop it\n\nTwo:\n  run   Run it\n\nOptions:\n\
             \x20     --y     Why\n  -h, --help  Print help\n\nRun `x help VERB` for the flags of a verb, with examples.\n\nCodes\n"
        );
    }

    #[test]
    fn every_verb_is_one_line_in_the_imperative() {
        let command = Verbs::augment_subcommands(Command::new("hostcann"));
        for verb in command.get_subcommands() {
            let about = verb.get_about().map(ToString::to_string).unwrap_or_default();
            let is_imperative =
                about.split(' ').next().is_some_and(|word| !word.ends_with('s') && !word.ends_with("ing"));
            assert!(is_imperative && about.starts_with(char::is_uppercase), "{}: {about}", verb.get_name());
            let is_line = about.chars().count() <= 85 && !about.ends_with('.') && !about.contains(['\n', '{']);
            assert!(is_line, "{}: {about}", verb.get_name());
        }
    }

    #[test]
    fn every_verb_is_in_one_group() {
        let listed: Vec<String> = Verbs::groups().into_iter().flat_map(|group| group.verbs).collect();
        let command = Verbs::augment_subcommands(Command::new("hostcann"));
        let verbs: Vec<String> = command.get_subcommands().map(|verb| verb.get_name().to_owned()).collect();
        assert_eq!(listed, verbs);
        let text = grouped(command, &Verbs::groups()).render_help().to_string();
        for verb in verbs {
            assert_eq!(text.matches(&format!("\n  {verb} ")).count(), 1, "{verb}: {text}");
        }
    }
}
