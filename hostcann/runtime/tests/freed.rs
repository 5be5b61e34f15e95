//! Use of freed memory. Another test could be given the same address, so this file has one test.

#![expect(
    clippy::undocumented_unsafe_blocks,
    reason = "the test owns every handle, and every pointer outlives its call"
)]

mod common;
use common::*;
use std::ptr::null_mut;

#[test]
fn freed_memory_is_noticed_and_the_stream_goes_on() {
    let api = ready();
    let mut p = null_mut();
    unsafe {
        assert_eq!((api.aclrtMalloc)(&mut p, 64, 0), 0);
        assert_eq!((api.aclrtFree)(p), 0);
        assert_eq!((api.aclrtFree)(p), 107000);
        assert!(message().contains("already freed"));
        assert_eq!((api.aclrtMemset)(p, 64, 0, 64), 107000);
        assert!(message().contains("freed or never allocated"));
    }

    let stream = Stream::new();
    let (gone, kept) = (DeviceBuffer::new(64), DeviceBuffer::from(&[0u8; 8]));
    unsafe {
        let gate = Gate::close(stream.0);
        assert_eq!((api.aclrtMemsetAsync)(gone.0, 64, 1, 64, stream.0), 0);
        assert_eq!((api.aclrtMemsetAsync)(kept.0, 8, 3, 8, stream.0), 0);
        drop(gone);
        gate.open();
        assert_eq!(stream.sync(), 107000);
        assert!(message().contains("was freed"));
        assert_eq!(stream.sync(), 0);
    }
    assert_eq!(kept.read::<u8>(8), [3; 8]);
}
