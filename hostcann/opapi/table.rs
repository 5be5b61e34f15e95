//! The reader of `operators.txt`: for build.rs, for the headers and for tests.

pub struct Param {
    pub name: String,
    pub kind: String,
    pub optional: bool,
}

pub struct Row {
    /// "add" of aclnn_add.h
    pub header: String,
    pub function: String,
    pub params: Vec<Param>,
    /// "map ADD"
    pub family: String,
    pub types: String,
}

#[derive(Default)]
pub struct Table {
    /// Names and members, in the order of the file.
    pub sets: Vec<(String, Vec<String>)>,
    pub rows: Vec<Row>,
}

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
        let mut row = Row {
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
