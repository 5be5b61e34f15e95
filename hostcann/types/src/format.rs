//! The formats of tensors (metadef, graph/c_types.h): numbers, names, and which of them the host works with.

/// How the bytes of a tensor of a format lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// Axis after axis: what the host works with.
    Plain,
    /// In blocks of the cube core, private to the device: opdev's `IsPrivateFormat`.
    Private,
    /// Of the cube core and of other engines: op information names it, and kernels of a vector core do not see it.
    Engine,
    /// No layout of a kernel's tensor: of look-ups, of images, of graphs.
    None,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Format {
    /// Of `ge::Format` and aclFormat.
    pub number: i32,
    /// After `FORMAT_`; converters of op information write it.
    pub name: &'static str,
    /// What the framework writes, for most formats the name.
    pub text: &'static str,
    pub layout: Layout,
}

pub const FORMATS: [Format; 55] = [
    row(0, "NCHW", "NCHW", Layout::Plain),
    row(1, "NHWC", "NHWC", Layout::Plain),
    row(2, "ND", "ND", Layout::Plain),
    row(3, "NC1HWC0", "NC1HWC0", Layout::Private),
    row(4, "FRACTAL_Z", "FRACTAL_Z", Layout::Private),
    row(5, "NC1C0HWPAD", "NC1C0HWPAD", Layout::Engine),
    row(6, "NHWC1C0", "NHWC1C0", Layout::Engine),
    row(7, "FSR_NCHW", "FSR_NCHW", Layout::Engine),
    row(8, "FRACTAL_DECONV", "FRACTAL_DECONV", Layout::Engine),
    row(9, "C1HWNC0", "C1HWNC0", Layout::Engine),
    row(10, "FRACTAL_DECONV_TRANSPOSE", "FRACTAL_DECONV_TRANSPOSE", Layout::Engine),
    row(11, "FRACTAL_DECONV_SP_STRIDE_TRANS", "FRACTAL_DECONV_SP_STRIDE_TRANS", Layout::Engine),
    row(12, "NC1HWC0_C04", "NC1HWC0_C04", Layout::Private),
    row(13, "FRACTAL_Z_C04", "FRACTAL_Z_C04", Layout::Engine),
    row(14, "CHWN", "CHWN", Layout::Engine),
    row(15, "FRACTAL_DECONV_SP_STRIDE8_TRANS", "DECONV_SP_STRIDE8_TRANS", Layout::None),
    row(16, "HWCN", "HWCN", Layout::Plain),
    row(17, "NC1KHKWHWC0", "NC1KHKWHWC0", Layout::Engine),
    row(18, "BN_WEIGHT", "BN_WEIGHT", Layout::Engine),
    row(19, "FILTER_HWCK", "FILTER_HWCK", Layout::Engine),
    row(20, "HASHTABLE_LOOKUP_LOOKUPS", "LOOKUP_LOOKUPS", Layout::None),
    row(21, "HASHTABLE_LOOKUP_KEYS", "LOOKUP_KEYS", Layout::None),
    row(22, "HASHTABLE_LOOKUP_VALUE", "LOOKUP_VALUE", Layout::None),
    row(23, "HASHTABLE_LOOKUP_OUTPUT", "LOOKUP_OUTPUT", Layout::None),
    row(24, "HASHTABLE_LOOKUP_HITS", "LOOKUP_HITS", Layout::None),
    row(25, "C1HWNCoC0", "C1HWNCoC0", Layout::Engine),
    row(26, "MD", "MD", Layout::None),
    row(27, "NDHWC", "NDHWC", Layout::Plain),
    row(28, "FRACTAL_ZZ", "FRACTAL_ZZ", Layout::Engine),
    row(29, "FRACTAL_NZ", "FRACTAL_NZ", Layout::Private),
    row(30, "NCDHW", "NCDHW", Layout::Plain),
    row(31, "DHWCN", "DHWCN", Layout::Engine),
    row(32, "NDC1HWC0", "NDC1HWC0", Layout::Private),
    row(33, "FRACTAL_Z_3D", "FRACTAL_Z_3D", Layout::Private),
    row(34, "CN", "CN", Layout::None),
    row(35, "NC", "NC", Layout::Plain),
    row(36, "DHWNC", "DHWNC", Layout::Engine),
    row(37, "FRACTAL_Z_3D_TRANSPOSE", "FRACTAL_Z_3D_TRANSPOSE", Layout::Engine),
    row(38, "FRACTAL_ZN_LSTM", "FRACTAL_ZN_LSTM", Layout::Engine),
    row(39, "FRACTAL_Z_G", "FRACTAL_Z_G", Layout::Engine),
    row(40, "RESERVED", "FORMAT_RESERVED", Layout::None),
    row(41, "ALL", "ALL", Layout::None),
    row(42, "NULL", "NULL", Layout::None),
    row(43, "ND_RNN_BIAS", "ND_RNN_BIAS", Layout::Engine),
    row(44, "FRACTAL_ZN_RNN", "FRACTAL_ZN_RNN", Layout::Engine),
    row(45, "NYUV", "NYUV", Layout::None),
    row(46, "NYUV_A", "NYUV_A", Layout::None),
    row(47, "NCL", "NCL", Layout::Plain),
    row(48, "FRACTAL_Z_WINO", "FRACTAL_Z_WINO", Layout::Engine),
    row(49, "C1HWC0", "C1HWC0", Layout::Engine),
    row(50, "FRACTAL_NZ_C0_16", "FRACTAL_NZ_C0_16", Layout::Private),
    row(51, "FRACTAL_NZ_C0_32", "FRACTAL_NZ_C0_32", Layout::Private),
    row(52, "FRACTAL_NZ_C0_2", "FRACTAL_NZ_C0_2", Layout::Private),
    row(53, "FRACTAL_NZ_C0_4", "FRACTAL_NZ_C0_4", Layout::Private),
    row(54, "FRACTAL_NZ_C0_8", "FRACTAL_NZ_C0_8", Layout::Private),
];

const fn row(number: i32, name: &'static str, text: &'static str, layout: Layout) -> Format {
    Format { number, name, text, layout }
}

impl Format {
    /// The plain format without names of axes.
    pub const ND: Format = FORMATS[2];

    pub fn of_number(number: i32) -> Option<Format> {
        FORMATS.into_iter().find(|format| format.number == number)
    }

    /// By what converters or the framework write.
    pub fn of_name(name: &str) -> Option<Format> {
        FORMATS.into_iter().find(|format| format.name == name || format.text == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_places_and_names_lead_back() {
        for (at, format) in FORMATS.into_iter().enumerate() {
            assert_eq!(usize::try_from(format.number), Ok(at), "{format:?}");
            assert_eq!(Format::of_number(format.number), Some(format));
            assert_eq!(Format::of_name(format.name), Some(format));
            assert_eq!(Format::of_name(format.text), Some(format));
        }
        assert_eq!((Format::ND.name, Format::of_number(-1), Format::of_name("")), ("ND", None, None));
        assert_eq!(Format::of_name("LOOKUP_KEYS"), Format::of_name("HASHTABLE_LOOKUP_KEYS"));
    }
}
