//! Copies of matrices by rows.

#![expect(
    clippy::undocumented_unsafe_blocks,
    reason = "the tests own every handle, and every pointer outlives its call"
)]

mod common;
use common::*;

#[test]
fn rows_of_a_matrix() {
    let api = ready();
    let stream = Stream::new();
    let matrix: [u8; 12] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11];
    let (wide, narrow) = (DeviceBuffer::from(&[99u8; 15]), DeviceBuffer::from(&[99u8; 6]));
    unsafe {
        // Three rows of three out of rows of four, into rows of five.
        assert_eq!((api.aclrtMemcpy2d)(wide.0, 5, matrix.as_ptr().cast(), 4, 3, 3, 1), 0);
        let gate = Gate::close(stream.0);
        assert_eq!((api.aclrtMemcpy2dAsync)(narrow.0, 2, wide.0, 5, 2, 3, 3, stream.0), 0);
        assert_eq!(narrow.read::<u8>(6), [99; 6], "it is queued");
        gate.open();
        assert_eq!(stream.sync(), 0);
        assert_eq!((api.aclrtMemcpy2d)(wide.0, 5, matrix.as_ptr().cast(), 2, 3, 3, 1), 107000);
        assert!(message().contains("aclrtMemcpy2d: width 3 is more than spitch 2"), "{}", message());
    }
    assert_eq!(wide.read::<u8>(15), [0, 1, 2, 99, 99, 4, 5, 6, 99, 99, 8, 9, 10, 99, 99]);
    assert_eq!(narrow.read::<u8>(6), [0, 1, 4, 5, 8, 9]);
}

#[test]
fn no_stream_records_a_graph() {
    let api = ready();
    let stream = Stream::new();
    let (mut state, mut model) = (7, stream.0);
    unsafe {
        assert_eq!((api.aclmdlRICaptureGetInfo)(stream.0, &mut state, &mut model), 0);
    }
    assert_eq!((state, model.is_null()), (0, true));
}
