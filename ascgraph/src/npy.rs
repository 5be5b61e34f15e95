//! Tensors in numpy's files, little-endian and in C order.

use crate::dtype::DType;
use crate::interp::Buffer;
use crate::plural::number;

const MAGIC: &[u8] = b"\x93NUMPY";

const TYPES: [(&str, DType); 10] = [
    ("<f4", DType::Float32),
    ("<f2", DType::Float16),
    ("<i4", DType::Int32),
    ("<i2", DType::Int16),
    ("<i8", DType::Int64),
    ("<u2", DType::UInt16),
    ("<u4", DType::UInt32),
    ("<u8", DType::UInt64),
    ("|i1", DType::Int8),
    ("|u1", DType::UInt8),
];

/// Shape and elements.
///
/// # Errors
///
/// `bytes` is no file of numpy or its header cannot be read, its version or element type is not known, it is in Fortran
/// order, or its data has not the length that the shape requires.
pub fn read(bytes: &[u8]) -> Result<(Vec<i64>, Buffer), String> {
    let rest = bytes.strip_prefix(MAGIC).ok_or("no file of numpy: it does not begin with \\x93NUMPY")?;
    let (length, start): (usize, usize) = match rest {
        [1, _, low, high, ..] => (usize::from(*low) | usize::from(*high) << 8, 4),
        [2 | 3, _, a, b, c, d, ..] => (u32::from_le_bytes([*a, *b, *c, *d]) as usize, 6),
        _ => return Err("a version of numpy's format that is not known".to_owned()),
    };
    let header = start.checked_add(length).and_then(|end| rest.get(start..end)).ok_or("the header is cut short")?;
    let header = std::str::from_utf8(header).map_err(|_| "the header is no text")?;
    let value = |key: &str| header.split_once(&format!("'{key}':")).map(|(_, value)| value.trim_start());
    let descr = value("descr").and_then(|text| text.strip_prefix('\'')).and_then(|text| text.split('\'').next());
    let descr = descr.ok_or("the header has no descr")?;
    let dtype =
        if descr == "|b1" { Some(DType::UInt8) } else { TYPES.iter().find(|row| row.0 == descr).map(|row| row.1) };
    let known = || TYPES.map(|row| row.0).join(", ");
    let dtype = dtype.ok_or_else(|| format!("descr {descr}; known are {}, |b1", known()))?;
    if !value("fortran_order").is_some_and(|text| text.starts_with("False")) {
        return Err("fortran_order; numpy.ascontiguousarray makes C order of it".to_owned());
    }
    let shape = value("shape").and_then(|text| text.strip_prefix('(')).and_then(|text| text.split(')').next());
    let dims = shape.ok_or("the header has no shape")?.split(',').map(str::trim).filter(|dim| !dim.is_empty());
    let shape: Vec<i64> = dims.map(str::parse).collect::<Result<_, _>>().map_err(|_| "the shape has no numbers")?;
    let count = shape.iter().try_fold(dtype.size() as i64, |count, dim| count.checked_mul(*dim).filter(|n| *n >= 0));
    let data = rest.get(start + length..).unwrap_or_default();
    if count != i64::try_from(data.len()).ok() {
        return Err(format!("shape {shape:?} of {dtype}, and {}", number(data.len(), "byte")));
    }
    Ok((shape, Buffer { dtype, bytes: data.to_vec() }))
}

/// `None` for a type that numpy does not have.
pub fn write(shape: &[i64], buffer: &Buffer) -> Option<Vec<u8>> {
    let descr = TYPES.iter().find(|row| row.1 == buffer.dtype)?.0;
    let dims: String = shape.iter().map(|dim| format!("{dim}, ")).collect();
    let mut header = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': ({}), }}", dims.trim_end());
    // The elements begin at a multiple of 64 bytes.
    while !(MAGIC.len() + 4 + header.len() + 1).is_multiple_of(64) {
        header.push(' ');
    }
    header.push('\n');
    let mut bytes = MAGIC.to_vec();
    bytes.extend([1, 0]);
    bytes.extend(u16::try_from(header.len()).ok()?.to_le_bytes());
    bytes.extend(header.into_bytes());
    bytes.extend(&buffer.bytes);
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        for shape in [vec![], vec![6], vec![2, 3], vec![0, 4]] {
            let count: i64 = shape.iter().product();
            let buffer = Buffer::of_f32(&vec![1.5; count as usize]);
            let bytes = write(&shape, &buffer).expect("written");
            assert_eq!(bytes.len() - buffer.bytes.len(), 64 * ((bytes.len() - buffer.bytes.len()) / 64));
            assert_eq!(read(&bytes), Ok((shape, buffer)));
        }
        assert!(write(&[1], &Buffer::zeros(DType::BFloat16, 1)).is_none());
    }

    #[test]
    fn what_is_not_read_says_why() {
        let good = write(&[2], &Buffer::of_f32(&[1.0, 2.0])).expect("written");
        let error = |bytes: &[u8]| read(bytes).expect_err("refused");
        assert!(error(b"PK").starts_with("no file of numpy"));
        assert_eq!(error(&good[..good.len() - 1]), "shape [2] of float32, and 7 bytes");
        assert!(error(&good[..20]).starts_with("the header is cut short"));
        let text = |from: &str, to: &str| {
            let at = good.windows(from.len()).position(|window| window == from.as_bytes()).expect("there");
            let mut bytes = good.clone();
            bytes[at..at + from.len()].copy_from_slice(to.as_bytes());
            bytes
        };
        assert!(error(&text("<f4", ">f4")).starts_with("descr >f4; known are <f4"));
        assert!(error(&text("False", "True ")).starts_with("fortran_order"));
    }
}
