//! The rules, each with its code, what it weighs in either form of the file, and why it is there.

use crate::{Origin, Severity};

#[derive(Clone, Copy)]
enum Weight {
    Error,
    Warning,
    /// The converter refuses it, the framework does not.
    IniError,
}

use Weight::{Error, IniError, Warning};

macro_rules! rules {
    ($($name:ident = $code:literal, $weight:ident, $title:literal, $why:literal;)*) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Rule { $($name),* }

        pub const ALL: &[Rule] = &[$(Rule::$name),*];

        impl Rule {
            pub fn code(self) -> &'static str {
                match self { $(Rule::$name => $code),* }
            }

            /// What must hold.
            pub fn title(self) -> &'static str {
                match self { $(Rule::$name => $title),* }
            }

            /// Who refuses what breaks it, and what happens else.
            pub fn why(self) -> &'static str {
                match self { $(Rule::$name => $why),* }
            }

            fn weight(self) -> Weight {
                match self { $(Rule::$name => $weight),* }
            }
        }
    };
}

impl Rule {
    pub fn severity(self, origin: Origin) -> Severity {
        match (self.weight(), origin) {
            (Error, _) | (IniError, Origin::Ini) => Severity::Error,
            (Warning, _) | (IniError, Origin::Json) => Severity::Warning,
        }
    }

    pub fn of_code(code: &str) -> Option<Rule> {
        ALL.iter().copied().find(|rule| rule.code().eq_ignore_ascii_case(code))
    }
}

rules! {
    NotText = "OI001", Error, "the file is UTF-8 text",
        "Converters and the framework read text; Python stops with a UnicodeDecodeError at the first other byte.";
    Bom = "OI002", Error, "the file has no byte order mark",
        "The converter takes the mark for a part of the first line: its [OpType] is then no section, and the keys of \
         the first operator are lost without a word. Python's JSON reader refuses the mark. Save the file as UTF-8 \
         without BOM.";
    NoOp = "OI003", Error, "the file has an operator",
        "The converter stops with \"Not find OpType in .ini file\".";
    Stray = "OI004", Warning, "every line is [OpType], group.key=value, empty or a comment",
        "The converter passes over a line without `=` in silence: a key whose `=` was forgotten is missing later.";
    Comment = "OI005", Error, "a comment has no `=`",
        "The format has no comments. A line that starts with `#` or `;` is passed over only because it has no `=`; with \
         one it becomes a key, or stops the converter with a ValueError when it has not exactly one dot.";
    KeyForm = "OI006", Error, "a key is group.key with one dot",
        "The converter splits the key at its dots into exactly two names and stops with a ValueError else.";
    BeforeOp = "OI007", Error, "every key belongs to an [OpType]",
        "The converter puts keys before the first section into an operator that nobody sees.";
    KeyTwice = "OI008", Error, "a key is there once",
        "The converter stops with \"is repeated!\". In a JSON file every reader takes the last one and drops the other.";
    OpTwice = "OI009", Error, "an operator is there once",
        "The converter lets the last section of a name replace the ones before it, without a word.";
    KeyBlank = "OI010", IniError, "no blanks beside `=`",
        "The converter does not take blanks off keys: `input0.name = x` has the key `name ` and no name. The framework \
         takes them off the keys of a JSON file, other readers do not.";
    ValueBlank = "OI011", Warning, "a value has no blanks at its ends",
        "The converter compares paramType and type as they are written, blanks included; the framework takes them off.";
    ListBlank = "OI012", Warning, "lists have no blanks: a,b",
        "Converter and framework take blanks off data types and formats; the scripts that compile kernels from the same \
         list do not.";
    Big = "OI013", Warning, "the file has less than 10 MiB",
        "The converter warns beyond that; the largest public library has 2 MB.";
    OpenSection = "OI014", Error, "a section is [OpType]",
        "The converter passes over a line that starts with `[` and does not end with `]`; the keys below go to the \
         operator before.";
    NotJson = "OI015", Error, "a JSON file is JSON",
        "The framework does not load the library, and with it none of its operators.";
    JsonShape = "OI016", Error, "JSON is {operator: {group: {key: string}}}",
        "The framework refuses any other shape, and with it the whole library.";
    OpType = "OI017", Error, "an OpType is an identifier",
        "It is the name of a C++ class (REG_OP, OpDef), a part of file names and of a kernel's symbols.";
    OpTypeCase = "OI018", Warning, "an OpType starts with a capital",
        "The rule from OpType to file name is made for PascalCase; REG_OP names are written so.";

    TensorGroup = "OI101", IniError, "a group that starts with input or output is inputN or outputN",
        "The converter wants name and paramType of every group that starts so, also of inputMemContinues, which the \
         framework knows: that key cannot come from an ini file.";
    TensorGap = "OI102", Error, "tensors are numbered from 0 without a gap",
        "Kernel and tiling take tensors by position; a gap shifts every tensor behind it.";
    NameMissing = "OI103", Error, "a tensor has a name",
        "Converter and framework refuse an input or output without name.";
    ParamTypeMissing = "OI104", Error, "a tensor has a paramType",
        "Documents call `required` the default; converter and framework refuse a tensor without the key.";
    ParamType = "OI105", Error, "paramType is required, optional or dynamic",
        "One tensor, none or one, one or more. The framework also knows `reserved`, converters do not.";
    TensorName = "OI106", Warning, "a tensor's name is an identifier",
        "It is a parameter of the generated Python and C++ functions.";
    NameTwice = "OI107", Warning, "two inputs have two names, and two outputs too",
        "Names are how REG_OP, op_select_format and aclnn functions address tensors. An output with the name of an \
         input is a reference to it.";
    DynamicName = "OI108", Warning, "no tensor has the name of a dynamic tensor and a number",
        "At run time a dynamic tensor `x` is x0, x1, ...; a tensor `x0` beside it is ambiguous.";
    DtypeUnknown = "OI110", Error, "data types are known to the framework",
        "It refuses the operator, and with it the library.";
    DtypeConverter = "OI111", IniError, "data types are known to the converter",
        "Its table is shorter than the framework's; each toolkit has its own (--profile).";
    FormatUnknown = "OI112", Error, "formats are known to the framework",
        "It refuses the operator, and with it the library.";
    FormatConverter = "OI113", IniError, "formats are known to the converter",
        "Its table is shorter than the framework's; each toolkit has its own (--profile).";
    TensorCount = "OI114", Error, "dtype and format of a tensor are equally long",
        "The n-th entries are one column; converter and framework refuse lists of different length.";
    UnknownShapeCount = "OI119", Warning, "dtype and unknownshape_format of a tensor are equally long",
        "The framework refuses the operator in a graph. The converter does not look at the list and aclnn calls do not \
         read it: operators with such a list run.";
    Lanes = "OI115", Error, "all tensors have the same number of columns",
        "A column is a combination over all tensors: the framework refuses an operator whose tensors differ.";
    DtypeMissing = "OI116", Error, "a tensor with formats, or of an operator with op.pattern, has data types",
        "The framework pairs every format with a data type. Only with op_select_format may both be left out.";
    NoFormat = "OI117", Warning, "formats come from lists, from dynamicFormat or from op.pattern",
        "Without any of them the framework has no format for the operator's tensors and passes on in silence.";
    EmptyList = "OI118", Error, "a list has entries",
        "Leave the key out instead: an empty list has one entry without a name for one reader and none for another.";
    ReshapeType = "OI120", Warning, "reshapeType names axes in the order of a format, or is FORBIDDEN",
        "It says which axes a tensor of fewer dimensions has, for example C, NC, NCH. The framework falls back to its \
         default table when it does not fit.";
    Shape = "OI121", Warning, "shape is all",
        "No other value has a meaning.";
    ValueDepend = "OI122", Warning, "valueDepend is required or optional, and of an input",
        "The framework passes over any other value: the input's value is then not there when it is needed.";
    InitValueInput = "OI123", Error, "only outputs have an initValue",
        "opdesc_parser.py of ops-math raises an exception for an input.";
    InitValue = "OI124", Error, "initValue is an integer or an object of op_build's form",
        "The output is filled with it before the kernel runs; a value that cannot be read leaves what was there.";
    ShapeByCompute = "OI125", Warning, "outputShapeDependOnCompute is true, and of an output",
        "The kernel of such an operator has a parameter more, for the shapes that it computes.";
    SubFormat = "OI126", Error, "sub_format is a list of numbers from 0 to 65535",
        "The framework refuses the operator.";
    TuneFormat = "OI127", Error, "tuneformatSwitch is true or false",
        "The framework refuses the operator.";
    TensorFlag = "OI128", Warning, "needCompile and virtual are true or false",
        "Readers compare them with these words.";
    TensorKey = "OI129", Warning, "keys of a tensor are known",
        "A misspelt key is passed over in silence.";
    NoOutput = "OI130", Error, "profile tbe: there is an output0",
        "Converters of TBE projects demand output0.name; those of newer toolkits do not.";
    ForBin = "OI131", Warning, "for_bin_dtype and for_bin_format are equally long",
        "They name the columns that a binary release compiles.";

    AttrList = "OI201", Error, "a group attr has the key list",
        "The converter refuses the operator, the framework sees no attribute.";
    AttrSection = "OI202", Error, "every attribute of attr.list has a group attr_<name>",
        "Converter and framework refuse the operator.";
    AttrTypeValue = "OI203", Error, "an attribute has type and value",
        "Converter and framework refuse the operator. `value=all` allows every value.";
    AttrType = "OI204", Error, "an attribute's type is known",
        "int, float, bool, str, listInt, listFloat, listBool, listStr, listListInt; converters also take type, \
         listType, tensor and listTensor.";
    AttrTypeFramework = "OI205", Warning, "an attribute's type is known to the framework",
        "Converters take type, listType, tensor and listTensor; the framework passes over attributes of these types.";
    AttrParamType = "OI206", Error, "an attribute's paramType is required or optional",
        "The converter refuses the operator; the framework takes everything else than `required` for optional.";
    AttrParamTypeMissing = "OI207", Warning, "an attribute has a paramType",
        "The framework passes over an attribute without one.";
    AttrUnlisted = "OI208", Warning, "every attr_<name> is in attr.list",
        "The framework reads attributes by the list only.";
    AttrTwice = "OI209", Error, "attr.list names every attribute once, none is empty",
        "Attributes are positional parameters of the generated functions.";
    AttrTaken = "OI210", IniError, "an attribute's name is not taken",
        "The generated Python entry uses the name: keywords, and variables of its own (opdesc_parser.py of ops-math).";
    NoDefault = "OI211", Warning, "an optional attribute has a defaultValue",
        "A graph that leaves the attribute out fails at run time.";
    DefaultOfRequired = "OI212", Warning, "a required attribute has no defaultValue",
        "It is never used.";
    DefaultList = "OI213", Error, "the items of a list's defaultValue have its type",
        "The framework refuses the operator.";
    DefaultScalar = "OI214", Warning, "the defaultValue of an int, float or bool has its type",
        "The framework drops it, and the attribute has no default.";
    ValueLiteral = "OI215", Error, "value is all or values of the attribute's type",
        "The framework refuses the operator. Values are separated by `,`, lists by `;`.";
    DefaultOutside = "OI216", Warning, "the defaultValue is one of the allowed values",
        "An operator that uses its default is refused when it is compiled.";
    AttrKey = "OI217", Warning, "keys of an attribute are known",
        "A misspelt key is passed over in silence.";
    AttrName = "OI218", Warning, "an attribute's name is an identifier",
        "It is a parameter of the generated Python and C++ functions.";

    NumberPrefix = "OI219", Warning, "numbers of attributes are written out",
        "The framework reads a number as far as it goes: `1.f / 4` is 1 to it.";

    Flag = "OI301", Error, "flags are true or false",
        "Converters refuse anything else for dynamicFormat, dynamicShapeSupport, dynamicRankSupport, \
         precision_reduce, heavyOp, needCheckSupport and enableVectorCore.";
    FlagCase = "OI302", IniError, "true and false are in small letters",
        "The converter refuses `True`; the framework does not mind the case.";
    FlagKey = "OI303", Error, "a flag has the key flag",
        "The converter stops with an AttributeError when the group has another key only.";
    Choice = "OI304", Error, "a key with fixed values has one of them",
        "The framework refuses the operator, and with it the library.";
    FormatAgnostic = "OI305", Error, "formatAgnostic operators have one input and one output",
        "The framework refuses others: the pattern says that all formats go, the same for input and output.";
    PatternIgnored = "OI306", Warning, "an operator has op.pattern or dynamicFormat.flag=true, not both",
        "dynamicFormat.flag=true takes the place of the pattern.";
    CoreType = "OI307", Warning, "coreType is of AiCore, VectorCore, AIV, AIC and MIX",
        "The framework takes it as text; other names choose no core.";
    PromoteType = "OI308", Warning, "promoteType names inputs",
        "Two or more inputs, groups separated by `;`, or the word dynamic.";
    SgatKeyAttr = "OI309", Warning, "sgatKeyAttr.list names attributes",
        "A name that is no attribute is never found.";
    UnknownKey = "OI310", Warning, "keys are known",
        "A misspelt key is passed over in silence.";
    OpFile = "OI311", Error, "opFile and opInterface are names",
        "The file name without directory and suffix, the name of a function. Left out, both are the OpType in snake \
         case; opFile=Null is an operator without a kernel.";
    Fallback = "OI312", Error, "fallback lists are of true and false",
        "The framework refuses the operator.";

    ImplMissing = "OI401", Error, "--impl: the operator's file is there",
        "Its name is opFile.value, or the OpType in snake case.";
    InterfaceMissing = "OI402", Error, "--impl: the file has the operator's function",
        "Its name is opInterface.value, or the OpType in snake case.";

    ProtoMissing = "OI501", Error, "--proto: the operator has a prototype",
        "REG_OP(OpType) is how a graph knows the operator.";
    ProtoTensors = "OI502", Error, "--proto: inputs and outputs have the prototype's names and order",
        "The framework finds the entry of a graph's tensor by name, the kernel its parameters by position.";
    ProtoKind = "OI503", Error, "--proto: required, optional and dynamic are the prototype's",
        "INPUT, OPTIONAL_INPUT and DYNAMIC_INPUT; OUTPUT and DYNAMIC_OUTPUT.";
    ProtoAttrs = "OI504", Error, "--proto: attributes have the prototype's names and order",
        "They are positional parameters of the kernel's function.";
    ProtoAttrType = "OI505", Error, "--proto: attributes have the prototype's types",
        "Int is int, Float is float, String is str, ListInt is listInt, ...";
    ProtoRequired = "OI506", Error, "--proto: attributes are required where the prototype says so",
        "REQUIRED_ATTR is paramType=required, ATTR is paramType=optional.";
    ProtoDefault = "OI507", Warning, "--proto: default values are the prototype's",
        "A graph takes the prototype's, a kernel that is compiled without one takes the entry's.";

    SelectShape = "OI601", Error, "op_select_format gives a JSON object of objects of strings",
        "The framework reads nothing else.";
    SelectKey = "OI602", Error, "its keys are inputN, outputN and fallback",
        "Other keys are tensors that the operator does not have.";
    SelectMissing = "OI603", Error, "every tensor has name, dtype, and format or unknownshape_format",
        "The framework refuses the result.";
    SelectCount = "OI604", Error, "dtype and format lists are equally long, over all tensors",
        "The framework refuses the result.";
    SelectName = "OI605", Error, "data types and formats are known to the framework",
        "It refuses the result.";
    SelectTensor = "OI606", Error, "names and tensors are the operator's",
        "The framework looks a tensor up as inputN.<name>; one that is not there has no data types.";
    SelectFallback = "OI607", Error, "fallback has enable or unknownshape_enable, lists of true and false",
        "The framework refuses the result.";
    SelectFallbackCount = "OI608", Warning, "fallback has a flag for every column",
        "The n-th flag belongs to the n-th column.";
    SelectUnused = "OI609", Warning, "op_select_format is asked",
        "It is asked only with dynamicFormat.flag=true and without lists of formats in the entry: lists win \
         (asc-devkit, SetOpSelectFormat).";
}
