//! Columns of data types and formats: those that an entry lists, those that op_select_format gives, and which of them the
//! framework takes for tensors that are there.

use crate::finding::shown;
use crate::json::{self, Value};
use crate::meaning::{Formats, Operator, tensor_group};
use crate::tables::{framework_dtype, framework_format, same_dtype};
use crate::{Finding, Op, Origin, Rule, list};

/// One combination over all tensors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// (`input0.x`, data type, format); no format where it follows from op.pattern.
    pub tensors: Vec<(String, String, Option<String>)>,
    pub fallback: Option<bool>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lanes {
    pub columns: Vec<Column>,
}

/// An input that is there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Given {
    pub dtype: String,
    pub format: String,
}

impl Lanes {
    /// Of the entry alone. A format NULL takes a column out for dynamic shapes.
    pub fn of_entry(op: &Op, dynamic: bool) -> Lanes {
        let operator = Operator::of(op);
        let tensors: Vec<_> = operator.tensors().collect();
        let count = tensors.iter().map(|tensor| tensor.dtypes.len()).max().unwrap_or(0);
        let listed = operator.formats == Formats::Lists;
        let columns = (0..count).filter_map(|at| {
            let mut column = Column { tensors: Vec::new(), fallback: None };
            for tensor in &tensors {
                let formats = if dynamic { &tensor.unknown_shape_formats } else { &tensor.formats };
                let format = formats.get(at).filter(|_| listed).cloned();
                if dynamic && format.as_deref() == Some("NULL") {
                    return None;
                }
                let dtype = tensor.dtypes.get(at).cloned().unwrap_or_default();
                column.tensors.push((format!("{}.{}", tensor.place, tensor.name), dtype, format));
            }
            Some(column)
        });
        Lanes { columns: columns.collect() }
    }
}

/// The first column whose inputs have these data types; with the same formats, if there is one.
pub fn resolve<'a>(lanes: &'a Lanes, given: &[Option<Given>]) -> Option<(usize, &'a Column)> {
    let inputs = |column: &'a Column| column.tensors.iter().filter(|tensor| tensor.0.starts_with("input"));
    let types = |column: &'a Column| {
        inputs(column)
            .zip(given)
            .all(|(tensor, given)| given.as_ref().is_none_or(|given| same_dtype(&tensor.1, &given.dtype)))
    };
    let formats = |column: &'a Column| {
        let fits = |(tensor, given): (&(String, String, Option<String>), &Option<Given>)| match (&tensor.2, given) {
            (Some(format), Some(given)) => *format == given.format,
            _ => true,
        };
        inputs(column).zip(given).all(fits)
    };
    let mut fitting = lanes.columns.iter().enumerate().filter(|(_, column)| types(column));
    let first = fitting.clone().next();
    fitting.find(|(_, column)| formats(column)).or(first)
}

/// What op_select_format gave, as the framework reads it: the columns, unless something is wrong.
pub fn validate(text: &str, op: Option<&Op>, dynamic: bool) -> (Lanes, Vec<Finding>) {
    let name = op.map(|op| op.name.clone()).unwrap_or_default();
    let mut reading = Selection { name, findings: Vec::new(), lists: Vec::new(), fallback: None, dynamic };
    match json::parse(text) {
        Err((line, message)) => reading.add(Rule::SelectShape, line, message),
        Ok(Value::Object(entries)) => {
            for (key, line, value) in &entries {
                reading.entry(key, *line, value);
            }
        }
        Ok(other) => reading.add(Rule::SelectShape, 1, format!("it is {}, not an object", other.kind())),
    }
    reading.counts();
    if let Some(op) = op {
        reading.against(op);
    }
    reading.findings.sort_by_key(|finding| finding.line);
    let lanes = reading.lanes();
    (lanes, reading.findings)
}

/// Lists of one tensor.
struct Lists {
    key: String,
    name: String,
    line: usize,
    dtypes: Vec<String>,
    formats: Vec<String>,
}

struct Selection {
    name: String,
    findings: Vec<Finding>,
    lists: Vec<Lists>,
    fallback: Option<(usize, Vec<bool>)>,
    dynamic: bool,
}

impl Selection {
    fn add(&mut self, rule: Rule, line: usize, message: String) {
        self.findings.push(Finding::new(rule, Origin::Json, line, &self.name, message));
    }

    fn entry(&mut self, key: &str, line: usize, value: &Value) {
        let Value::Object(fields) = value else {
            self.add(Rule::SelectShape, line, format!("{} is {}, not an object", shown(key), value.kind()));
            return;
        };
        if let Some((field, line, value)) = fields.iter().find(|field| field.2.as_str().is_none()) {
            let place = shown(&format!("{key}.{field}"));
            self.add(Rule::SelectShape, *line, format!("{place} is {}, not a string", value.kind()));
            return;
        }
        let field = |name: &str| value.get(name).and_then(Value::as_str);
        if key == "fallback" {
            let unknown = field("unknownshape_enable").filter(|_| self.dynamic);
            match unknown.or(field("enable")) {
                None => self.add(Rule::SelectFallback, line, "fallback.enable is missing".to_owned()),
                Some(flags) => self.flags(line, flags),
            }
            return;
        }
        if tensor_group(key).is_none() {
            self.add(Rule::SelectKey, line, format!("{} is no inputN, outputN or fallback", shown(key)));
            return;
        }
        if self.lists.iter().any(|lists| lists.key == key) {
            self.add(Rule::SelectKey, line, format!("{key} is there twice"));
            return;
        }
        let formats = match (field("unknownshape_format"), field("format")) {
            (Some(unknown), _) if self.dynamic => Some(unknown),
            (Some(_), None) => Some(""),
            (_, format) => format,
        };
        let mut complete = true;
        for (name, there) in
            [("name", field("name").is_some()), ("dtype", field("dtype").is_some()), ("format", formats.is_some())]
        {
            if !there {
                complete = false;
                self.add(Rule::SelectMissing, line, format!("{key}.{name} is missing"));
            }
        }
        if !complete {
            return;
        }
        let items = |text: Option<&str>| -> Vec<String> {
            text.filter(|text| !text.is_empty())
                .map(|text| list(text).into_iter().map(str::to_owned).collect())
                .unwrap_or_default()
        };
        let lists = Lists {
            key: key.to_owned(),
            name: field("name").unwrap_or_default().to_owned(),
            line,
            dtypes: items(field("dtype")),
            formats: items(formats),
        };
        for (what, known, names) in [
            ("data type", framework_dtype as fn(&str) -> bool, &lists.dtypes),
            ("format", framework_format, &lists.formats),
        ] {
            if let Some(name) = names.iter().find(|name| !known(name)) {
                self.add(Rule::SelectName, line, format!("{key} has the {what} {}, which is not known", shown(name)));
            }
        }
        self.lists.push(lists);
    }

    fn flags(&mut self, line: usize, text: &str) {
        let mut flags = Vec::new();
        for flag in list(text) {
            match flag {
                "true" => flags.push(true),
                "false" => flags.push(false),
                other => {
                    self.add(
                        Rule::SelectFallback,
                        line,
                        format!("fallback has {}, true or false is expected", shown(other)),
                    );
                    return;
                }
            }
        }
        self.fallback = Some((line, flags));
    }

    fn counts(&mut self) {
        let mut wrong = Vec::new();
        for lists in &self.lists {
            let (types, formats) = (lists.dtypes.len(), lists.formats.len());
            if types != formats {
                wrong.push((
                    lists.line,
                    format!("{}.dtype and its formats have {types} and {formats} entries", lists.key),
                ));
            } else if let Some(first) = self.lists.first().filter(|first| first.dtypes.len() != types) {
                let want = first.dtypes.len();
                wrong.push((lists.line, format!("{} and {} have {types} and {want} columns", lists.key, first.key)));
            }
        }
        for (line, message) in wrong {
            self.add(Rule::SelectCount, line, message);
        }
        let count = self.lists.first().map_or(0, |lists| lists.dtypes.len());
        if let Some((line, flags)) = &self.fallback
            && flags.len() != count
        {
            let (line, flags) = (*line, flags.len());
            self.add(Rule::SelectFallbackCount, line, format!("flags of fallback: {flags}, columns: {count}"));
        }
    }

    fn against(&mut self, op: &Op) {
        let operator = Operator::of(op);
        let mut wrong = Vec::new();
        for lists in &self.lists {
            // A dynamic tensor is one for each of its parts.
            let dynamic =
                |tensor: &&crate::Tensor| tensor.param_type == "dynamic" && lists.name.starts_with(&tensor.name);
            match operator.tensors().find(|tensor| tensor.place == lists.key) {
                Some(tensor) if tensor.name == lists.name || dynamic(&tensor) => {}
                _ if operator.tensors().any(|tensor| dynamic(&tensor)) => {}
                Some(tensor) => {
                    let (key, name) = (&lists.key, shown(&lists.name));
                    wrong.push((lists.line, format!("{key}.name is {name}, the operator's is `{}`", tensor.name)));
                }
                None => wrong.push((lists.line, format!("{} is no tensor of the operator", lists.key))),
            }
        }
        for tensor in operator.tensors().filter(|tensor| tensor.param_type == "required") {
            if !self.lists.iter().any(|lists| lists.name == tensor.name && lists.key.starts_with(&tensor.place[..5])) {
                wrong.push((1, format!("{} (`{}`) is missing", tensor.place, tensor.name)));
            }
        }
        for (line, message) in wrong {
            self.add(Rule::SelectTensor, line, message);
        }
    }

    fn lanes(&mut self) -> Lanes {
        if crate::errors(&self.findings).next().is_some() {
            return Lanes::default();
        }
        self.lists.sort_by_key(|lists| tensor_group(&lists.key));
        let count = self.lists.first().map_or(0, |lists| lists.dtypes.len());
        let column = |at: usize| Column {
            tensors: self
                .lists
                .iter()
                .map(|lists| {
                    (format!("{}.{}", lists.key, lists.name), lists.dtypes[at].clone(), Some(lists.formats[at].clone()))
                })
                .collect(),
            fallback: self.fallback.as_ref().and_then(|(_, flags)| flags.get(at).copied()),
        };
        Lanes { columns: (0..count).map(column).collect() }
    }
}
