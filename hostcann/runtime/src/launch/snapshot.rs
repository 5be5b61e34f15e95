//! Device memory that a launch may change, kept so that the launch can be made again.

use crate::base::dtype::DType;
use crate::launch::shadow::{set_written_map, written_map};

/// Memory a launch may write.
pub struct Region {
    /// "output 0 (y)", "workspace"
    pub name: String,
    pub address: usize,
    pub bytes: usize,
    /// None: bytes without a type.
    pub dtype: Option<DType>,
    /// Whether its contents are a result of the launch.
    pub result: bool,
}

struct Saved {
    data: Vec<u8>,
    written: Vec<u8>,
}

/// Contents of regions at one time.
pub struct Snapshot(Vec<Saved>);

impl Snapshot {
    /// # Safety
    /// The regions are valid memory that nobody writes meanwhile.
    pub unsafe fn take(regions: &[Region]) -> Snapshot {
        let save = |region: &Region| {
            // SAFETY: by this function's contract.
            let data = unsafe { std::slice::from_raw_parts(region.address as *const u8, region.bytes) }.to_vec();
            Saved { data, written: written_map(region.address, region.bytes) }
        };
        Snapshot(regions.iter().map(save).collect())
    }

    /// # Safety
    /// As for `take`, with the same regions; nobody reads them meanwhile.
    pub unsafe fn restore(&self, regions: &[Region]) {
        for (region, saved) in regions.iter().zip(&self.0) {
            // SAFETY: by this function's contract; `data` has the length of the region.
            unsafe {
                std::ptr::copy_nonoverlapping(saved.data.as_ptr(), region.address as *mut u8, saved.data.len());
            }
            set_written_map(region.address, &saved.written);
        }
    }

    /// The first element of a result that is not the same in memory now.
    ///
    /// # Safety
    /// As for `take`, with the same regions.
    pub unsafe fn difference(&self, regions: &[Region]) -> Option<Difference> {
        for (region, saved) in regions.iter().zip(&self.0).filter(|(region, _)| region.result) {
            // SAFETY: by this function's contract.
            let now = unsafe { std::slice::from_raw_parts(region.address as *const u8, region.bytes) };
            let Some(at) = now.iter().zip(&saved.data).position(|(a, b)| a != b) else {
                continue;
            };
            let size = region.dtype.map_or(1, DType::size);
            let from = at / size * size;
            let to = (from + size).min(region.bytes);
            return Some(Difference {
                region: region.name.clone(),
                element: from / size,
                dtype: region.dtype,
                before: saved.data[from..to].to_vec(),
                now: now[from..to].to_vec(),
            });
        }
        None
    }
}

/// Where results of two runs part.
#[derive(Debug, PartialEq, Eq)]
pub struct Difference {
    pub region: String,
    pub element: usize,
    dtype: Option<DType>,
    before: Vec<u8>,
    now: Vec<u8>,
}

impl Difference {
    pub fn place(&self) -> String {
        let unit = if self.dtype.is_some() { "element" } else { "byte" };
        format!("{}, {unit} {}", self.region, self.element)
    }

    pub fn before(&self) -> String {
        value(self.dtype, &self.before)
    }

    pub fn now(&self) -> String {
        value(self.dtype, &self.now)
    }
}

/// A value as a number and as bits, which tell apart what numbers do not: zeros, NaNs.
fn value(dtype: Option<DType>, bytes: &[u8]) -> String {
    let bits = bytes.iter().rev().fold(String::from("0x"), |text, byte| format!("{text}{byte:02x}"));
    let number = dtype.filter(|d| d.size() == bytes.len()).and_then(|dtype| {
        let mut wide = [0u8; 8];
        wide.get_mut(..bytes.len())?.copy_from_slice(bytes);
        let raw = u64::from_le_bytes(wide);
        Some(match dtype {
            DType::F32 => format!("{:?}", f32::from_bits(raw as u32)),
            DType::F16 => format!("{:?}", half::f16::from_bits(raw as u16)),
            DType::Bf16 => format!("{:?}", half::bf16::from_bits(raw as u16)),
            DType::F64 => format!("{:?}", f64::from_bits(raw)),
            DType::I8 => (raw as i8).to_string(),
            DType::I16 => (raw as i16).to_string(),
            DType::I32 => (raw as i32).to_string(),
            DType::I64 => (raw as i64).to_string(),
            DType::U8 | DType::U16 | DType::U32 | DType::U64 => raw.to_string(),
            _ => return None,
        })
    });
    match number {
        Some(number) => format!("{number} ({bits})"),
        None => bits,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn region<T>(name: &str, data: &mut [T], dtype: Option<DType>, result: bool) -> Region {
        let bytes = size_of_val(data);
        Region { name: name.to_owned(), address: data.as_mut_ptr() as usize, bytes, dtype, result }
    }

    #[test]
    fn memory_comes_back_and_the_first_difference_is_named() {
        let (mut y, mut workspace) = ([1.0f32, 2.0, 3.0], [7u8; 4]);
        let regions =
            [region("workspace", &mut workspace, None, false), region("output 0 (y)", &mut y, Some(DType::F32), true)];
        // SAFETY: the regions are the arrays above, which nothing else writes meanwhile.
        unsafe {
            let before = Snapshot::take(&regions);
            assert_eq!(before.difference(&regions), None);
            workspace[0] = 8;
            assert_eq!(before.difference(&regions), None, "the workspace is no result");
            y[1] = -0.0;
            let found = before.difference(&regions).unwrap();
            assert_eq!(found.place(), "output 0 (y), element 1");
            assert_eq!((found.before(), found.now()), ("2.0 (0x40000000)".into(), "-0.0 (0x80000000)".into()));
            before.restore(&regions);
            assert_eq!((y, workspace), ([1.0, 2.0, 3.0], [7; 4]));
        }
    }

    #[test]
    fn values_of_every_kind() {
        for (dtype, bytes, want) in [
            (Some(DType::F16), &[0x00u8, 0x7e][..], "NaN (0x7e00)"),
            (Some(DType::Bf16), &[0x80, 0x3f], "1.0 (0x3f80)"),
            (Some(DType::I16), &[0xfe, 0xff], "-2 (0xfffe)"),
            (Some(DType::U8), &[0xfe], "254 (0xfe)"),
            (Some(DType::I32), &[1, 0], "0x0001"),
            (None, &[9], "0x09"),
        ] {
            assert_eq!(value(dtype, bytes), want);
        }
    }
}
