//! Rows of `result.csv`: one for every output of a case under every standard.

use super::measured::Measured;
use super::standard::Standard;
use crate::base::report::{AcceptanceResult, CaseOutcome};

pub struct ResultRow {
    pub case: String,
    pub interface: String,
    /// Name, type and shape; none when the case did not get as far.
    pub output: Option<(String, &'static str, Vec<u64>)>,
    pub standard: Standard,
    /// The case says that its results exceed the threshold.
    pub must_fail: bool,
    /// Why there is nothing to compare, otherwise.
    pub found: Result<Measured, String>,
}

const HEAD: &str = "case_name,interface,output,data_type,shape,standard,result,elements,bad,max_abs_error,max_rel_error,limits,message";

impl ResultRow {
    /// The outcome is the expected one.
    pub fn passed(&self) -> bool {
        self.found.as_ref().is_ok_and(|measured| measured.passed != self.must_fail)
    }

    pub fn word(&self) -> &'static str {
        match &self.found {
            Ok(measured) => match (measured.passed, self.must_fail) {
                (true, false) => "pass",
                (false, false) => "fail",
                (false, true) => "expected",
                (true, true) => "unexpected",
            },
            Err(_) => "error",
        }
    }

    fn message(&self, measured: &Measured) -> String {
        if self.must_fail && measured.passed {
            return "; the case is within its threshold, but its name says that it fails: take `_expect_fail` off the name, \
                    or operands that exceed the threshold"
                .to_owned();
        }
        match &measured.first_bad {
            Some((index, result, golden)) => format!("; element {index} is {result}, expected {golden}"),
            None => String::new(),
        }
    }

    fn shape(&self) -> String {
        let extents = self.output.iter().flat_map(|(_, _, shape)| shape).map(u64::to_string).collect::<Vec<_>>();
        format!("[{}]", extents.join(", "))
    }

    /// One line for the reader.
    pub fn line(&self) -> String {
        let what = match &self.output {
            Some((name, dtype, _)) => format!("{name} {dtype} {}", self.shape()),
            None => String::new(),
        };
        // The tool's own rule needs no name.
        let by = match self.standard {
            Standard::Ascendoptest => String::new(),
            other => format!(" by {}", other.name()),
        };
        match &self.found {
            Ok(measured) => format!(
                "  {:<10} {:<36} {what}{by}: {} of {} bad, largest error {:.3e}{}",
                self.word(),
                self.case,
                measured.bad,
                measured.elements,
                measured.max_abs,
                self.message(measured)
            ),
            Err(why) => format!("  {:<10} {:<36} {}", self.word(), self.case, why),
        }
    }

    pub fn outcome(&self) -> CaseOutcome {
        let (case, standard) = (self.case.clone(), self.standard.name().to_owned());
        CaseOutcome { case, standard, result: self.word().to_owned() }
    }

    /// For `report`. Numbers are words: an error may be infinite.
    pub fn reported(&self) -> AcceptanceResult {
        let output = self.output.as_ref().map(|(name, ..)| name.clone());
        let result = AcceptanceResult { output, result: self.word().to_owned(), ..AcceptanceResult::default() };
        match &self.found {
            Ok(measured) => AcceptanceResult {
                elements: Some(measured.elements as u64),
                bad: Some(measured.bad as u64),
                max_abs: Some(format!("{:e}", measured.max_abs)),
                max_rel: Some(format!("{:e}", measured.max_rel)),
                message: self.message(measured).trim_start_matches("; ").to_owned(),
                ..result
            },
            Err(why) => AcceptanceResult { message: why.clone(), ..result },
        }
    }

    fn fields(&self) -> Vec<String> {
        let (name, dtype) = self.output.as_ref().map_or(("", ""), |(name, dtype, _)| (name.as_str(), *dtype));
        let shape = if self.output.is_some() { self.shape() } else { String::new() };
        let mut fields = [&self.case, &self.interface, name, dtype, &shape].map(str::to_owned).to_vec();
        fields.extend([self.standard.name(), self.word().to_owned()]);
        match &self.found {
            Ok(measured) => fields.extend([
                measured.elements.to_string(),
                measured.bad.to_string(),
                format!("{:e}", measured.max_abs),
                format!("{:e}", measured.max_rel),
                measured.limits.clone(),
                self.message(measured).trim_start_matches("; ").to_owned(),
            ]),
            Err(why) => fields.extend(["", "", "", "", "", why].map(str::to_owned)),
        }
        fields
    }
}

pub fn csv(rows: &[ResultRow]) -> String {
    let mut text = format!("{HEAD}\n");
    for row in rows {
        text.push_str(&row.fields().iter().map(|field| quoted(field)).collect::<Vec<_>>().join(","));
        text.push('\n');
    }
    text
}

/// RFC 4180.
fn quoted(field: &str) -> String {
    if field.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", field.replace('"', "\"\""))
    } else {
        field.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_results_and_of_failures() {
        let output = Some(("out".to_owned(), "float32", vec![2, 3]));
        let measured = Measured {
            elements: 6,
            bad: 1,
            max_abs: 0.5,
            max_rel: 0.25,
            first_bad: Some((4, "2.5".into(), "2".into())),
            passed: false,
            limits: "error 1e-4, bad ratio 1e-4".into(),
        };
        let row = |output, found| ResultRow {
            case: "a".into(),
            interface: "aclnnX".into(),
            output,
            standard: Standard::Ascendoptest,
            must_fail: false,
            found,
        };
        let rows = [row(output, Ok(measured)), row(None, Err("golden: f: \"no\"\nmore".into()))];
        assert_eq!(
            csv(&rows),
            format!(
                "{HEAD}\na,aclnnX,out,float32,\"[2, 3]\",ascendoptest,fail,6,1,5e-1,2.5e-1,\"error 1e-4, bad ratio 1e-4\",\
                 \"element 4 is 2.5, expected 2\"\na,aclnnX,,,,ascendoptest,error,,,,,,\"golden: f: \"\"no\"\"\nmore\"\n"
            )
        );
        assert!(
            rows[0]
                .line()
                .ends_with("out float32 [2, 3]: 1 of 6 bad, largest error 5.000e-1; element 4 is 2.5, expected 2")
        );
        let [first, second] = rows;
        assert_eq!([first.word(), second.word()], ["fail", "error"]);
        assert_eq!([first.passed(), second.passed()], [false, false]);
        let first = ResultRow { standard: Standard::EcosystemEn, ..first };
        assert!(first.line().contains("out float32 [2, 3] by ecosystem-en: 1 of 6 bad"), "{}", first.line());
    }

    #[test]
    fn a_case_that_must_fail_fails_its_comparison_and_nothing_else() {
        let row = |found| ResultRow {
            case: "a_expect_fail".into(),
            interface: "aclnnX".into(),
            output: None,
            standard: Standard::Ascendoptest,
            must_fail: true,
            found,
        };
        let measured = |passed| Ok(Measured { elements: 6, bad: 3, passed, ..Measured::default() });
        let rows = [row(measured(false)), row(measured(true)), row(Err("golden: f: no".to_owned()))];
        let seen: Vec<(&str, bool)> = rows.iter().map(|row| (row.word(), row.passed())).collect();
        assert_eq!(seen, [("expected", true), ("unexpected", false), ("error", false)]);
        assert!(rows[1].line().ends_with(
            "; the case is within its threshold, but its name says that it fails: take `_expect_fail` off the name, or operands \
             that exceed the threshold"
        ));
    }
}
