//! What the aclnn pages say about types, against the installed operator: their tables, and every sentence about a scalar.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use fmod_tests::data::Data;
use fmod_tests::golden::Mode;
use fmod_tests::host::{Call, Divisor, Operand};
use fmod_tests::{
    Device, DynType, Error, Layout, Number, Scalar, Stream, Tensor, TensorMut, fmod_scalar, fmod_scalar_v2,
    fmod_tensor, fmod_tensor_v2, inplace_fmod_scalar, inplace_fmod_scalar_v2, inplace_fmod_tensor,
    inplace_fmod_tensor_v2,
};
use half::{bf16, f16};
use hostcann_types::status;

/// Computed by the AI CPU, which the host toolkit does not have.
const INNER: i32 = status::NN_NULLPTR;

const TYPES: [(DynType, &str); 14] = [
    (DynType::BF16, "BF16"),
    (DynType::F16, "FLOAT16"),
    (DynType::F32, "FLOAT"),
    (DynType::F64, "DOUBLE"),
    (DynType::I8, "INT8"),
    (DynType::I16, "INT16"),
    (DynType::I32, "INT32"),
    (DynType::I64, "INT64"),
    (DynType::U8, "UINT8"),
    (DynType::U16, "UINT16"),
    (DynType::U32, "UINT32"),
    (DynType::U64, "UINT64"),
    (DynType::Bool, "BOOL"),
    (DynType::C64, "COMPLEX64"),
];

const SCALAR: [[&str; 2]; 2] =
    [["aclnnFmodScalar", "aclnnInplaceFmodScalar"], ["aclnnFmodScalarV2", "aclnnInplaceFmodScalarV2"]];
const TENSOR: [[&str; 2]; 2] =
    [["aclnnFmodTensor", "aclnnInplaceFmodTensor"], ["aclnnFmodTensorV2", "aclnnInplaceFmodTensorV2"]];

/// The section of phase 1 of each interface.
fn sections(pages: [[&'static str; 2]; 2]) -> Result<Vec<(&'static str, String)>> {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../experimental/math/fmod/docs");
    let mut found = Vec::new();
    for names in pages {
        let page = fs::read_to_string(docs.join(format!("{}.md", names.join("&"))))?;
        for name in names {
            let heading = format!("\n## {name}GetWorkspaceSize\n");
            let (_, rest) = page.split_once(&heading).with_context(|| format!("no section of {name}"))?;
            found.push((name, rest.split("\n## ").next().unwrap_or_default().to_owned()));
        }
    }
    Ok(found)
}

/// The types of a parameter's row.
fn listed(section: &str, parameter: &str) -> Result<BTreeSet<String>> {
    let (_, row) =
        section.split_once(&format!("<td>{parameter}</td>")).with_context(|| format!("no row of {parameter}"))?;
    let cell = row.split("<td>").nth(4).and_then(|cell| cell.split("</td>").next()).context("no column of types")?;
    Ok(cell.split('、').map(str::to_owned).collect())
}

/// Whether phase 1 takes the types.
fn takes(device: &Device, name: &str, self_: DynType, other: DynType, out: DynType) -> Result<bool> {
    let layout = Layout::contiguous(&[4]);
    let bytes = || device.upload(&[0_u8; 64]);
    let (a, mut b, c) = (bytes()?, bytes()?, bytes()?);
    let scalar = || Scalar::new(device, Number::new(other, 1.0)?);
    let divisor = Tensor::with_type(&c, other, &layout)?;
    let input = Tensor::with_type(&a, self_, &layout)?;
    let mut result = TensorMut::with_type(&mut b, out, &layout)?;
    let planned = match name {
        "aclnnFmodScalar" => fmod_scalar(&input, &scalar()?, &mut result).map(drop),
        "aclnnInplaceFmodScalar" => inplace_fmod_scalar(&mut result, &scalar()?).map(drop),
        "aclnnFmodScalarV2" => fmod_scalar_v2(&input, &scalar()?, Mode::Exact, &mut result).map(drop),
        "aclnnInplaceFmodScalarV2" => inplace_fmod_scalar_v2(&mut result, &scalar()?, Mode::Exact).map(drop),
        "aclnnFmodTensor" => fmod_tensor(&input, &divisor, &mut result).map(drop),
        "aclnnInplaceFmodTensor" => inplace_fmod_tensor(&mut result, &divisor).map(drop),
        "aclnnFmodTensorV2" => fmod_tensor_v2(&input, &divisor, Mode::Exact, &mut result).map(drop),
        "aclnnInplaceFmodTensorV2" => inplace_fmod_tensor_v2(&mut result, &divisor, Mode::Exact).map(drop),
        _ => bail!("{name} is no interface of the operator"),
    };
    match planned {
        Ok(()) => Ok(true),
        Err(error) if error.code == Some(INNER) => Ok(true),
        Err(error) if error.code == Some(status::NN_PARAM_INVALID) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

#[test]
fn tables_list_what_phase_1_takes() -> Result<()> {
    let device = Device::open(0)?;
    for (name, section) in sections(SCALAR)?.into_iter().chain(sections(TENSOR)?) {
        let in_place = name.contains("Inplace");
        let taken = |judge: &dyn Fn(DynType) -> Result<bool>| -> Result<BTreeSet<String>> {
            let mut found = BTreeSet::new();
            for (dtype, word) in TYPES {
                if judge(dtype)? {
                    found.insert(word.to_owned());
                }
            }
            Ok(found)
        };
        let float = DynType::F32;
        let of_tensor = |dtype| takes(&device, name, if in_place { float } else { dtype }, float, dtype);
        let parameter = if in_place { "selfRef" } else { "self" };
        assert_eq!(listed(&section, parameter)?, taken(&of_tensor)?, "{name}: {parameter}");
        if !in_place {
            assert_eq!(listed(&section, "out")?, taken(&|out| takes(&device, name, float, float, out))?, "{name}: out");
        }
        // acl has no scalars of the others here.
        let is_scalar = name.contains("Scalar");
        let of_divisor = |other| match Number::new(other, 1.0) {
            Err(_) if is_scalar => Ok(false),
            _ => takes(&device, name, float, other, float),
        };
        assert_eq!(listed(&section, "other")?, taken(&of_divisor)?, "{name}: other");
    }
    Ok(())
}

/// `self` by `other` in the type of `self`, by the interface with a result of its own and in place.
fn gives(stream: &Stream, self_: &Data, other: Number, want: &Data) -> Result<()> {
    let call = Call::on(Operand::of(Layout::contiguous(&[self_.len() as i64]), self_), Divisor::Scalar(other));
    for call in [call.clone().out_dtype(self_.dtype), call.in_place()] {
        let got = call.result(stream)?;
        ensure!(got == *want, "{self_:?} by {other:?}: {got:?}, expected {want:?}");
    }
    Ok(())
}

fn floats_keep_their_type(stream: &Stream) -> Result<()> {
    gives(stream, &Data::of(&[7.5_f32, -7.5]), Number::I32(2), &Data::of(&[1.5_f32, -1.5]))?;
    // As FLOAT they lie half way between 1 and the next number of half and of bfloat16. Half is rounded once.
    let beyond_a_tie = |bits: i32| Number::F64(1.0 + 2.0_f64.powi(-bits) + 1e-12);
    let half = |values: [f32; 1]| Data::of(&values.map(f16::from_f32));
    gives(stream, &half([3.0]), beyond_a_tie(11), &half([3.0 - 2.0 * (1.0 + 1.0 / 1024.0)]))?;
    let bfloat = |values: [f32; 1]| Data::of(&values.map(bf16::from_f32));
    gives(stream, &bfloat([3.0]), beyond_a_tie(8), &bfloat([0.0]))
}

fn integers_by_a_float(stream: &Stream) -> Result<()> {
    gives(stream, &Data::of(&[7_i32, -7, 100, 5]), Number::F32(2.5), &Data::of(&[2_i32, -2, 0, 0]))?;
    gives(stream, &Data::of(&[7_u8, 200]), Number::F32(2.5), &Data::of(&[2_u8, 0]))
}

fn integers_by_an_integer(stream: &Stream) -> Result<()> {
    gives(stream, &Data::of(&[7_i8, -7, 100]), Number::I32(1000), &Data::of(&[7_i8, -7, 100]))?;
    gives(stream, &Data::of(&[7_i32, -7, 100]), Number::Bool(true), &Data::of(&[0_i32, 0, 0]))?;
    let beyond = gives(stream, &Data::of(&[7_i32]), Number::I64(1 << 40), &Data::of(&[7_i32]));
    match beyond {
        Ok(()) => ensure!(!stream.device().runtime().is_host_toolkit(), "the host toolkit computed in INT64"),
        Err(error) => ensure!(error.downcast::<Error>()?.code == Some(INNER), "INT64 is for the AI CPU"),
    }
    Ok(())
}

fn towards_zero(stream: &Stream) -> Result<()> {
    // 2.2 and -2.2.
    gives(stream, &Data::of(&[7_i32, -7]), Number::F32(2.4), &Data::of(&[2_i32, -2]))
}

type Check = fn(&Stream) -> Result<()>;

/// Every clause about the divisor that a page may have, and what shows that it is true.
const CLAUSES: [(&str, Check); 4] = [
    (
        "计算所用数据类型按[互推导关系](../../../../docs/zh/context/deduction_relationship.md)中的TensorScalar规则确定：\
         self为浮点类型时为self的数据类型，other先舍入为该类型，DOUBLE舍入为BF16时经FLOAT两次舍入",
        floats_keep_their_type,
    ),
    ("self为整数类型而other为浮点类型时为FLOAT", integers_by_a_float),
    (
        "self与other均为整数或BOOL类型时为self的数据类型，other的值可以超出其取值范围，\
         其中self为INT32而other的值超出INT32的取值范围时为INT64",
        integers_by_an_integer,
    ),
    ("结果转换为self的数据类型，浮点结果转换为整数类型时向零截断", towards_zero),
];

#[test]
fn every_sentence_about_the_divisor_is_true() -> Result<()> {
    let stream = Device::open(0)?.stream()?;
    for (name, section) in sections(SCALAR)? {
        let (_, notes) = section.split_once("</table>").context("a table")?;
        let notes = notes.split("- **返回值").next().unwrap_or_default();
        let mut seen = 0;
        for line in notes.lines().filter(|line| line.contains("other")) {
            for clause in line.trim_start_matches([' ', '-']).split(['；', '。']).filter(|clause| !clause.is_empty())
            {
                let clause = clause.replace("selfRef", "self");
                let Some((_, check)) = CLAUSES.iter().find(|(known, _)| *known == clause) else {
                    bail!("{name}: no check of the sentence: {clause}");
                };
                check(&stream).with_context(|| format!("{name}: {clause}"))?;
                seen += 1;
            }
        }
        ensure!(seen >= 3, "{name}: {seen} sentences about the divisor");
    }
    Ok(())
}
