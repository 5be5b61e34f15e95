//! Names that converters and the framework know.

/// Whose converter an ini file is written for: their tables of names differ, and one wants more than the others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Profile {
    /// Names that any of them knows.
    #[default]
    Any,
    /// msopgen's TBE projects and op_project_tmpl of CANN 8.1.
    Tbe,
    /// Ascend C projects of CANN 8.1.
    Ascendc,
    /// asc-devkit.
    Devkit,
    /// ops-math.
    OpsMath,
}

impl Profile {
    pub const ALL: [(&'static str, Profile); 5] = [
        ("any", Profile::Any),
        ("tbe", Profile::Tbe),
        ("ascendc", Profile::Ascendc),
        ("devkit", Profile::Devkit),
        ("ops-math", Profile::OpsMath),
    ];

    pub fn name(self) -> &'static str {
        Profile::ALL.iter().find(|entry| entry.1 == self).map_or("any", |entry| entry.0)
    }

    pub fn knows_dtype(self, name: &str) -> bool {
        DTYPES.iter().any(|(known, by)| *known == name && self.is_in(by))
    }

    pub fn knows_format(self, name: &str) -> bool {
        FORMATS.iter().any(|(known, by)| *known == name && self.is_in(by))
    }

    fn is_in(self, by: &str) -> bool {
        let letter = match self {
            Profile::Any => return by.contains(['t', 'a', 'd', 'm', 'n']),
            Profile::Tbe => 't',
            Profile::Ascendc => 'a',
            Profile::Devkit => 'd',
            Profile::OpsMath => 'm',
        };
        by.contains(letter)
    }
}

/// Who knows a data type: converters of TBE projects, of Ascend C projects, of the devkit, of ops-math, of ops-nn; the
/// framework.
const DTYPES: [(&str, &str); 42] = [
    ("float16", "tadmnf"),
    ("float", "tadmnf"),
    ("float32", "tadmnf"),
    ("int8", "tadmnf"),
    ("int16", "tadmnf"),
    ("int32", "tadmnf"),
    ("uint8", "tadmnf"),
    ("uint16", "tadmnf"),
    ("uint32", "tadmnf"),
    ("bool", "tadmnf"),
    ("int64", "tadmnf"),
    ("uint64", "tadmnf"),
    ("qint8", "tadmnf"),
    ("qint16", "tadmnf"),
    ("qint32", "tadmnf"),
    ("quint8", "tadmnf"),
    ("quint16", "tadmnf"),
    ("double", "tadmnf"),
    ("complex64", "tadmnf"),
    ("complex128", "tadmnf"),
    ("string", "tadmnf"),
    ("resource", "tadmnf"),
    ("bfloat16", "tadmnf"),
    ("dual", "admnf"),
    ("dual_sub_int8", "admnf"),
    ("dual_sub_uint8", "admnf"),
    ("string_ref", "admnf"),
    ("int4", "admnf"),
    ("uint1", "admnf"),
    ("complex32", "dmnf"),
    ("hifloat8", "dmnf"),
    ("float8_e4m3fn", "dmnf"),
    ("float8_e5m2", "dmnf"),
    ("float8_e8m0", "dmnf"),
    ("float4_e2m1", "dmnf"),
    ("float4_e1m2", "dmnf"),
    ("int2", "dmf"),
    ("uint2", "f"),
    ("variant", "f"),
    ("float6_e3m2", "f"),
    ("float6_e2m3", "f"),
    ("hifloat4", "f"),
];

const FORMATS: [(&str, &str); 60] = [
    ("NCHW", "tadmnf"),
    ("NHWC", "tadmnf"),
    ("ND", "tadmnf"),
    ("NC1HWC0", "tadmnf"),
    ("FRACTAL_Z", "tadmnf"),
    ("NC1C0HWPAD", "tadmnf"),
    ("NHWC1C0", "tadmnf"),
    ("FSR_NCHW", "tadmnf"),
    ("FRACTAL_DECONV", "tadmnf"),
    ("C1HWNC0", "tadmnf"),
    ("FRACTAL_DECONV_TRANSPOSE", "tadmnf"),
    ("FRACTAL_DECONV_SP_STRIDE_TRANS", "tadmnf"),
    ("NC1HWC0_C04", "tadmnf"),
    ("FRACTAL_Z_C04", "tadmnf"),
    ("CHWN", "tadmnf"),
    ("HWCN", "tadmnf"),
    ("NC1KHKWHWC0", "tadmnf"),
    ("BN_WEIGHT", "tadmnf"),
    ("FILTER_HWCK", "tadmnf"),
    ("C1HWNCoC0", "tadmnf"),
    ("MD", "tadmnf"),
    ("NDHWC", "tadmnf"),
    ("FRACTAL_NZ", "tadmnf"),
    ("NCDHW", "tadmnf"),
    ("DHWCN", "tadmnf"),
    ("NDC1HWC0", "tadmnf"),
    ("FRACTAL_Z_3D", "tadmnf"),
    ("CN", "tadmnf"),
    ("NC", "tadmnf"),
    ("DHWNC", "tadmnf"),
    ("FRACTAL_Z_3D_TRANSPOSE", "tadmnf"),
    ("FRACTAL_ZN_LSTM", "tadmnf"),
    ("FRACTAL_ZN_RNN", "tadmnf"),
    ("FRACTAL_Z_G", "tadmnf"),
    ("NULL", "tadmnf"),
    // Converters have these names, the framework others for the same formats.
    ("FRACTAL_DECONV_SP_STRIDE8_TRANS", "tadmn"),
    ("HASHTABLE_LOOKUP_LOOKUPS", "tadmn"),
    ("HASHTABLE_LOOKUP_KEYS", "tadmn"),
    ("HASHTABLE_LOOKUP_VALUE", "tadmn"),
    ("HASHTABLE_LOOKUP_OUTPUT", "tadmn"),
    ("HASHTABLE_LOOKUP_HITS", "tadmn"),
    ("FRACTAL_ZZ", "tadmn"),
    ("DECONV_SP_STRIDE8_TRANS", "f"),
    ("LOOKUP_LOOKUPS", "f"),
    ("LOOKUP_KEYS", "f"),
    ("LOOKUP_VALUE", "f"),
    ("LOOKUP_OUTPUT", "f"),
    ("LOOKUP_HITS", "f"),
    ("FRACTAL_NZ_C0_2", "dmnf"),
    ("FRACTAL_NZ_C0_4", "dmnf"),
    ("FRACTAL_NZ_C0_8", "dnf"),
    ("FRACTAL_NZ_C0_16", "mf"),
    ("FRACTAL_NZ_C0_32", "mnf"),
    ("ND_RNN_BIAS", "f"),
    ("NYUV", "f"),
    ("NYUV_A", "f"),
    ("NCL", "f"),
    ("FRACTAL_Z_WINO", "f"),
    ("C1HWC0", "f"),
    ("ALL", "f"),
];

/// Known to the framework, whose data types have no case.
pub fn framework_dtype(name: &str) -> bool {
    let low = name.to_ascii_lowercase();
    DTYPES.iter().any(|(known, by)| *known == low && by.contains('f'))
}

pub fn framework_format(name: &str) -> bool {
    FORMATS.iter().any(|(known, by)| *known == name && by.contains('f'))
}

pub fn dtype_names() -> impl Iterator<Item = &'static str> {
    DTYPES.iter().filter(|entry| entry.1.contains('f')).map(|entry| entry.0)
}

pub fn format_names() -> impl Iterator<Item = &'static str> {
    FORMATS.iter().filter(|entry| entry.1.contains('f')).map(|entry| entry.0)
}

/// One data type has several names.
pub fn same_dtype(a: &str, b: &str) -> bool {
    plain_dtype(a) == plain_dtype(b)
}

pub fn plain_dtype(name: &str) -> &str {
    match name {
        "float" => "float32",
        other => other,
    }
}

/// What the framework maps; converters take four more.
pub const ATTR_TYPES: [&str; 9] =
    ["int", "float", "bool", "str", "listInt", "listFloat", "listBool", "listStr", "listListInt"];
pub const MORE_ATTR_TYPES: [&str; 4] = ["type", "listType", "tensor", "listTensor"];

/// Groups whose `.flag` converters want to be true or false.
pub const BOOL_FLAGS: [&str; 7] = [
    "dynamicFormat",
    "dynamicShapeSupport",
    "dynamicRankSupport",
    "precision_reduce",
    "heavyOp",
    "needCheckSupport",
    "enableVectorCore",
];

/// What the framework lets a key say. It does not mind the case.
pub const CHOICES: [(&str, &str, &[&str]); 12] = [
    ("op", "pattern", &["formatAgnostic", "broadcast", "reduce", "rangeAgnostic", "broadcastEnhanced", "dynamic"]),
    (
        "slicePattern",
        "value",
        &[
            "elemwise",
            "elemwiseBroadcast",
            "broadcast",
            "slidingWindow",
            "slidingWindowDeconv",
            "cubeMatmul",
            "reduce",
            "resize",
            "scatter",
            "segment",
        ],
    ),
    (
        "jitCompile",
        "flag",
        &[
            "true",
            "false",
            "static_true",
            "static_false",
            "dynamic_true",
            "dynamic_false",
            "static_true,dynamic_true",
            "static_true,dynamic_false",
            "static_false,dynamic_true",
            "static_false,dynamic_false",
            "dynamic_true,static_true",
            "dynamic_true,static_false",
            "dynamic_false,static_true",
            "dynamic_false,static_false",
        ],
    ),
    ("rangeLimit", "value", &["limited", "unlimited", "dynamic"]),
    ("dynamicRankSupport", "flag", &["true", "false", "upgrade_to_dynamic_rank"]),
    ("dynamicCompileStatic", "flag", &["true", "false", "tune"]),
    ("aclnnSupport", "value", &["default", "support_aclnn", "aclnn_only"]),
    ("multiKernelSupportDynamicGraph", "value", &["default", "multi_kernel", "single_kernel"]),
    ("softsync", "flag", &["true", "false"]),
    ("inputMemContinues", "flag", &["true", "false"]),
    ("outputMemContinues", "flag", &["true", "false"]),
    ("partial", "flag", &["true", "false"]),
];

/// Every other key that is known.
pub const OTHER_KEYS: [(&str, &str); 18] = [
    ("attr", "list"),
    ("async", "flag"),
    ("compute", "cost"),
    ("kernel", "name"),
    ("binfile", "name"),
    ("kernelSrc", "value"),
    ("opFile", "value"),
    ("opInterface", "value"),
    ("prebuildPattern", "value"),
    ("coreType", "value"),
    ("opImplSwitch", "value"),
    ("promoteType", "value"),
    ("sgatKeyAttr", "list"),
    ("imp_path", "path"),
    ("mc2", "ctx"),
    ("fallback", "enable"),
    ("fallback", "unknownshape_enable"),
    ("outputInplaceAbility", "flag"),
];

/// The first of them are those of op_build, in the order in which it writes them.
pub const TENSOR_KEYS: [&str; 17] = [
    "name",
    "dtype",
    "for_bin_dtype",
    "format",
    "for_bin_format",
    "unknownshape_format",
    "shape",
    "paramType",
    "virtual",
    "valueDepend",
    "initValue",
    "outputShapeDependOnCompute",
    "reshapeType",
    "sub_format",
    "needCompile",
    "tuneformatSwitch",
    "shapesType",
];
pub const WRITTEN_TENSOR_KEYS: usize = 12;

pub const ATTR_KEYS: [&str; 4] = ["type", "value", "paramType", "defaultValue"];

/// Axes of the formats that have letters, in their order.
pub const AXES: [&str; 8] = ["NCHW", "NHWC", "HWCN", "CHWN", "NDHWC", "NCDHW", "DHWCN", "DHWNC"];

/// Attribute names that the generated Python entry has taken (opdesc_parser.py of ops-math).
pub const TAKEN_NAMES: [&str; 67] = [
    "and",
    "as",
    "assert",
    "break",
    "class",
    "continue",
    "def",
    "del",
    "elif",
    "else",
    "except",
    "finally",
    "for",
    "from",
    "global",
    "if",
    "import",
    "in",
    "is",
    "lambda",
    "not",
    "or",
    "pass",
    "raise",
    "return",
    "try",
    "while",
    "with",
    "yield",
    "False",
    "None",
    "True",
    "nonlocal",
    "arg",
    "__inputs__",
    "__outputs__",
    "options",
    "bisheng",
    "bisheng_path",
    "tikcpp_path",
    "impl_mode",
    "custom_compile_options",
    "custom_all_compile_options",
    "soc_version",
    "soc_short",
    "custom_compile_options_soc",
    "custom_all_compile_options_soc",
    "origin_func_name",
    "ascendc_src_dir_ex",
    "ascendc_src_dir",
    "ascendc_src_file",
    "src",
    "op_type",
    "code_channel",
    "op_info",
    "compile_op",
    "get_code_channel",
    "result",
    "__attrs__",
    "isinstance",
    "attr",
    "get_current_build_config",
    "_build_args",
    "get_dtype_fmt_options",
    "shutil",
    "os",
    "get_kernel_source",
];

#[cfg(test)]
#[path = "tables_tests.rs"]
mod tests;
