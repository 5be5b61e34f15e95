//! The reader of `hostcann/opapi/operators.txt`, the table of the built-in operators: from it their library, their headers
//! and their documents are made.

pub struct Param {
    pub name: String,
    pub kind: String,
    pub optional: bool,
}

/// A line of the table.
pub struct Operator {
    /// "add" of aclnn_add.h
    pub header: String,
    /// "aclnnAdd"
    pub function: String,
    pub params: Vec<Param>,
    /// "map ADD"
    pub family: String,
    /// A name of [`Table::sets`].
    pub types: String,
}

#[derive(Default)]
pub struct Table {
    /// Names and members, in the order of the file.
    pub sets: Vec<(String, Vec<String>)>,
    pub rows: Vec<Operator>,
}

/// # Errors
/// The line that cannot be read, and what was expected.
pub fn parse(text: &str) -> Result<Table, String> {
    let mut table = Table::default();
    for (number, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let fail = |what: &str| Err(format!("operators.txt:{}: {what}", number + 1));
        if let Some(set) = line.strip_prefix("set ") {
            let Some((name, members)) = set.split_once(" = ") else { return fail("expected `set name = types`") };
            table.sets.push((name.to_owned(), members.split_whitespace().map(str::to_owned).collect()));
            continue;
        }
        let fields: Vec<&str> = line.split(" | ").collect();
        let [header, signature, family, types] = fields[..] else {
            return fail("expected `header | function(parameters) | family | types`");
        };
        let Some((function, params)) = signature.strip_suffix(')').and_then(|s| s.split_once('(')) else {
            return fail("expected `function(name: kind, ...)`");
        };
        if !table.sets.iter().any(|(name, _)| name == types) {
            return fail(&format!("there is no set {types}"));
        }
        let mut row = Operator {
            header: header.to_owned(),
            function: function.to_owned(),
            params: Vec::new(),
            family: family.to_owned(),
            types: types.to_owned(),
        };
        for param in params.split(", ") {
            let Some((name, kind)) = param.split_once(": ") else { return fail("expected `name: kind`") };
            let kind_only = kind.trim_end_matches('?');
            if c_type(kind_only).is_none() {
                return fail(&format!("there is no kind {kind_only}"));
            }
            row.params.push(Param { name: name.to_owned(), kind: kind_only.to_owned(), optional: kind.ends_with('?') });
        }
        table.rows.push(row);
    }
    Ok(table)
}

/// The type of a parameter in C.
pub fn c_type(kind: &str) -> Option<&'static str> {
    Some(match kind {
        "tensor" | "labels" => "const aclTensor*",
        "out" | "ref" => "aclTensor*",
        "tensors" => "const aclTensorList*",
        "outs" => "aclTensorList*",
        "scalar" => "const aclScalar*",
        "ints" => "const aclIntArray*",
        "bools" => "const aclBoolArray*",
        "text" => "char*",
        "type" => "aclDataType",
        "bool" => "bool",
        "int" => "int",
        "int8" => "int8_t",
        "int64" => "int64_t",
        "uint64" => "uint64_t",
        "float" => "float",
        "double" => "double",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_and_its_parts() {
        let table =
            parse("# comment\nset all = F32 F16\nadd | aclnnAdd(self: tensor, alpha: scalar?) | map ADD | all\n");
        let table = table.expect("it is right");
        assert_eq!(table.sets, [("all".to_owned(), vec!["F32".to_owned(), "F16".to_owned()])]);
        let row = &table.rows[0];
        assert_eq!((row.header.as_str(), row.function.as_str(), row.family.as_str()), ("add", "aclnnAdd", "map ADD"));
        let params: Vec<_> = row.params.iter().map(|param| (param.name.as_str(), param.optional)).collect();
        assert_eq!(params, [("self", false), ("alpha", true)]);
    }

    #[test]
    fn a_wrong_line_is_named() {
        for (line, expected) in [
            ("add | aclnnAdd(self: thing) | map ADD | all", "there is no kind thing"),
            ("add | aclnnAdd(self: tensor) | map ADD | some", "there is no set some"),
            ("add | aclnnAdd(self) | map ADD | all", "expected `name: kind`"),
            ("add | aclnnAdd | map ADD | all", "expected `function(name: kind, ...)`"),
            ("add", "expected `header | function(parameters) | family | types`"),
        ] {
            let error = parse(&format!("set all = F32\n\n{line}\n")).err();
            assert_eq!(error, Some(format!("operators.txt:3: {expected}")));
        }
    }
}
