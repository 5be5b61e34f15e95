//! `aclnnop/aclnn_*.h` of the built-in operators that the host toolkit has, from the table of their library.

use std::path::PathBuf;

use anyhow::Result;
use hostcann_types::operators::{Operator, c_type, parse};

/// Files below `include/` and their contents.
pub fn make(operators: &str) -> Result<Vec<(PathBuf, String)>> {
    let rows = parse(operators).map_err(anyhow::Error::msg)?.rows;
    let mut names: Vec<&str> = rows.iter().map(|row| row.header.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    let file = |name: &str| {
        let declared: String = rows.iter().filter(|row| row.header == name).map(declare).collect();
        (PathBuf::from(format!("aclnnop/aclnn_{name}.h")), header(name, &declared))
    };
    Ok(names.into_iter().map(file).collect())
}

fn header(name: &str, declared: &str) -> String {
    let guard = format!("OP_API_INC_{}_H_", name.to_uppercase());
    format!(
        "// Made from hostcann/opapi/operators.txt, the table of the host's built-in operators.\n\
         #ifndef {guard}\n#define {guard}\n\n\
         #include \"aclnn/aclnn_base.h\"\n#include \"aclnnop/aclnn_util.h\"\n\n\
         #ifdef __cplusplus\nextern \"C\" {{\n#endif\n\n{declared}\
         #ifdef __cplusplus\n}}\n#endif\n\n#endif // {guard}\n"
    )
}

/// Both phases.
fn declare(row: &Operator) -> String {
    let name = &row.function;
    let mut params: Vec<String> =
        row.params.iter().map(|param| format!("{} {}", c_type(&param.kind).unwrap_or("void*"), param.name)).collect();
    params.extend(["uint64_t* workspaceSize".to_owned(), "aclOpExecutor** executor".to_owned()]);
    format!(
        "ACLNN_API aclnnStatus {name}GetWorkspaceSize({});\n\
         ACLNN_API aclnnStatus {name}(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor, \
         aclrtStream stream);\n\n",
        params.join(", ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_has_all_functions_of_its_name() -> Result<()> {
        let table = "set all = F32\n\
                     add | aclnnAdd(self: tensor, alpha: scalar?, out: out) | map ADD | all\n\
                     zero | aclnnInplaceZero(selfRef: ref) | other fill::zero | all\n\
                     add | aclnnAdds(n: int64) | map ADD | all\n";
        let files = make(table)?;
        let names: Vec<_> = files.iter().map(|(path, _)| path.display().to_string()).collect();
        assert_eq!(names, ["aclnnop/aclnn_add.h", "aclnnop/aclnn_zero.h"]);
        let declared = "ACLNN_API aclnnStatus aclnnAddGetWorkspaceSize(const aclTensor* self, const aclScalar* alpha, \
                        aclTensor* out, uint64_t* workspaceSize, aclOpExecutor** executor);\n";
        assert!(files[0].1.contains(declared), "{}", files[0].1);
        assert!(files[0].1.contains(" aclnnAddsGetWorkspaceSize(int64_t n, "), "{}", files[0].1);
        assert!(files[1].1.starts_with("// Made from"), "{}", files[1].1);
        Ok(())
    }
}
