//! aclInit and aclFinalize change the state of the process, so this file has one test.

#![expect(
    clippy::undocumented_unsafe_blocks,
    reason = "the test owns every handle, and every pointer outlives its call"
)]

mod common;
use common::*;
use std::ffi::CString;
use std::ptr::{null, null_mut};

#[test]
fn initialise_finalise_and_leak_counters() {
    let api = api();
    unsafe {
        assert_eq!((api.aclFinalize)(), 0, "a first finalize without an init succeeds");
        assert_eq!((api.aclFinalize)(), 100037);

        assert_eq!((api.aclInit)(null()), 0);
        assert_eq!((api.aclInit)(null()), 100002);
        assert_eq!(message(), "", "100002 is not an error");
        let mut count = 9;
        assert_eq!((api.aclFinalizeReference)(&mut count), 0);
        assert_eq!(count, 1);
        assert_eq!((api.aclFinalize)(), 0);
        assert_eq!((api.aclFinalize)(), 100037);

        let dir = tempfile::tempdir().unwrap();
        let config = |name: &str, text: &str| {
            let path = dir.path().join(name);
            std::fs::write(&path, text).unwrap();
            CString::new(path.to_str().unwrap()).unwrap()
        };
        let init = |path: &CString| (api.aclInit)(path.as_ptr());
        assert_eq!(init(&config("empty.json", "")), 0);
        assert_eq!((api.aclFinalize)(), 0);
        assert_eq!(init(&config("broken.json", "{")), 100006);
        assert!(message().contains("broken.json"));
        assert_eq!(init(&CString::new("/nonexistent/acl.json").unwrap()), 100003);
        assert!(message().contains("/nonexistent/acl.json"));
        assert_eq!(init(&config("mode.json", r#"{"err_msg_mode": "7"}"#)), 100000);
        assert!(message().contains("err_msg_mode"));

        // Process level: another thread reads the message.
        let process = config("process.json", r#"{"err_msg_mode": "1"}"#);
        assert_eq!(init(&process), 0);
        assert_eq!(init(&process), 100002);
        assert_eq!(init(&config("other.json", r#"{"x": 1}"#)), 100000);
        let seen = std::thread::spawn(message).join().unwrap();
        assert!(seen.contains("different configuration"), "{seen}");
        assert_eq!((api.aclFinalize)(), 0);

        assert_eq!((api.aclInit)(null()), 0);
        assert_eq!((api.aclrtSetDevice)(0), 0);
        assert_eq!(((api.hc_live_allocations)(), (api.hc_live_bytes)()), (0, 0));
        let (mut device, mut host) = (null_mut(), null_mut());
        assert_eq!((api.aclrtMalloc)(&mut device, 33, 0), 0);
        assert_eq!((api.aclrtMallocHost)(&mut host, 10), 0);
        assert_eq!(((api.hc_live_allocations)(), (api.hc_live_bytes)()), (2, 96), "64 and 32 bytes of padding");
        let (mut free, mut total) = (0, 0);
        assert_eq!((api.aclrtGetMemInfo)(1, &mut free, &mut total), 0);
        assert_eq!((total, total - free), (64 << 30, 96));
        assert_eq!((api.aclrtFree)(device), 0);
        assert_eq!((api.aclrtFreeHost)(host), 0);
        assert_eq!(((api.hc_live_allocations)(), (api.hc_live_bytes)()), (0, 0));

        assert_eq!((api.aclrtResetDevice)(0), 0);
        assert_eq!((api.aclrtGetDevice)(&mut 0), 107002);
        assert_eq!((api.aclrtMalloc)(&mut device, 32, 0), 107002);
        assert_eq!((api.aclrtResetDevice)(0), 107002);
        assert_eq!((api.aclFinalize)(), 0);
    }
}
