//! ONNX models as bytes.

/// Fields of a message in the form of protocol buffers, written here by hand.
pub fn bytes(tag: u8, content: &[u8]) -> Vec<u8> {
    assert!(content.len() < 1 << 14);
    let mut all = varint(u64::from(tag) << 3 | 2);
    all.extend(varint(content.len() as u64));
    all.extend(content);
    all
}

pub fn varint(mut number: u64) -> Vec<u8> {
    let mut all = Vec::new();
    while number >= 0x80 {
        all.push(number as u8 | 0x80);
        number >>= 7;
    }
    all.push(number as u8);
    all
}

pub fn int(tag: u8, number: i64) -> Vec<u8> {
    [varint(u64::from(tag) << 3), varint(number as u64)].concat()
}

pub fn info(name: &str, element: i64, dims: &[&str]) -> Vec<u8> {
    let dim = |text: &&str| text.parse().map_or_else(|_| bytes(2, text.as_bytes()), |size| int(1, size));
    let shape: Vec<u8> = dims.iter().flat_map(|text| bytes(1, &dim(text))).collect();
    let tensor = [int(1, element), bytes(2, &shape)].concat();
    [bytes(1, name.as_bytes()), bytes(2, &bytes(1, &tensor))].concat()
}

pub fn node(kind: &str, name: &str, inputs: &[&str], output: &str, attribute: &[u8]) -> Vec<u8> {
    let mut all: Vec<u8> = inputs.iter().flat_map(|input| bytes(1, input.as_bytes())).collect();
    all.extend([bytes(2, output.as_bytes()), bytes(3, name.as_bytes()), bytes(4, kind.as_bytes())].concat());
    if !attribute.is_empty() {
        all.extend(bytes(5, attribute));
    }
    bytes(1, &all)
}

pub fn tensor(name: &str, dims: &[i64], values: &[f32]) -> Vec<u8> {
    let dims: Vec<u8> = dims.iter().flat_map(|dim| int(1, *dim)).collect();
    let raw: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
    [dims, int(2, 1), bytes(8, name.as_bytes()), bytes(9, &raw)].concat()
}
