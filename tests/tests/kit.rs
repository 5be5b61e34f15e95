//! What the aclnn mode of ops-test-kit asks of a toolkit beside libascendcl and libnnopbase: files, the rt functions, the
//! driver's management interface, profiling sessions. Called as the kit does, by name from shared objects.

use std::collections::BTreeMap;
use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::fs;
use std::path::{Path, PathBuf};
use std::ptr::{null, null_mut};

use anyhow::{Context, Result, ensure};
use hostcann_types::install::Install;
use libloading::{Library, Symbol};

/// The host toolkit; a real CANN has all this of its own.
fn home() -> Option<PathBuf> {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).parent()?;
    let home = Install::find(workspace, |name| std::env::var_os(name)).home;
    home.join("hostcann.toml").is_file().then_some(home)
}

fn open(home: &Path, name: &str) -> Result<Library> {
    // SAFETY: the initialisers of the toolkit's libraries only make locks.
    unsafe { Library::new(home.join("lib64").join(name)) }.with_context(|| name.to_owned())
}

fn symbol<'a, T>(library: &'a Library, name: &str) -> Result<Symbol<'a, T>> {
    // SAFETY: the callers give the documented type of the function.
    unsafe { library.get(name.as_bytes()) }.with_context(|| name.to_owned())
}

/// Keys and values by section, as Python's configparser reads them.
fn ini(text: &str) -> BTreeMap<(String, String), String> {
    let mut section = String::new();
    let mut found = BTreeMap::new();
    for line in text.lines() {
        if let Some(name) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
            name.clone_into(&mut section);
        } else if let Some((key, value)) = line.split_once('=') {
            found.insert((section.clone(), key.to_owned()), value.to_owned());
        }
    }
    found
}

#[test]
fn files_tell_scene_and_chips() -> Result<()> {
    let Some(home) = home() else { return Ok(()) };
    let arch = std::env::consts::ARCH;
    ensure!(fs::read_to_string(home.join("opp/scene.info"))? == format!("os=linux\narch={arch}\n"));
    // The kit looks from the opp directory.
    let config = home.join("opp/..").join(format!("{arch}-linux/data/platform_config"));
    for (soc, cores) in [("Ascend910B1", "48"), ("Ascend910B3", "40"), ("Ascend910B4", "40"), ("Ascend910_9391", "48")]
    {
        let ini = ini(&fs::read_to_string(config.join(format!("{soc}.ini")))?);
        let value = |section: &str, key: &str| ini.get(&(section.to_owned(), key.to_owned())).map(String::as_str);
        let family = if soc.contains("910B") { "Ascend910B" } else { "Ascend910_93" };
        assert_eq!(value("version", "Short_SoC_version"), Some(family), "{soc}");
        assert_eq!(value("version", "CCEC_AIC_version"), Some("dav-c220-cube"), "{soc}");
        assert_eq!(value("SoCInfo", "vector_core_cnt"), Some(cores), "{soc}");
        assert_eq!(value("SoCInfo", "core_type_list"), Some("CubeCore,VectorCore"), "{soc}");
        assert_eq!(value("SoCInfo", "support_bf16"), Some("1"), "{soc}");
        ensure!(ini.keys().all(|(section, _)| section != "undocumented"), "{soc}: our switches are no part of an ini");
    }
    ensure!(fs::read_dir(&config)?.count() == 12, "one for each chip");
    Ok(())
}

type Status = u64;

#[test]
fn rt_functions_are_the_acl_ones() -> Result<()> {
    let Some(home) = home() else { return Ok(()) };
    let rt = open(&home, "libruntime.so")?;
    type Make = unsafe extern "C" fn(*mut *mut c_void, i32) -> Status;
    type End = unsafe extern "C" fn(*mut c_void) -> Status;
    let context: Symbol<unsafe extern "C" fn(*mut *mut c_void, u32, i32) -> Status> = symbol(&rt, "rtCtxCreate")?;
    let stream: Symbol<Make> = symbol(&rt, "rtStreamCreate")?;
    let malloc: Symbol<unsafe extern "C" fn(*mut *mut c_void, u64, u32, u16) -> Status> = symbol(&rt, "rtMalloc")?;
    let copy: Symbol<unsafe extern "C" fn(*mut c_void, u64, *const c_void, u64, u32) -> Status> =
        symbol(&rt, "rtMemcpy")?;
    let wait: Symbol<unsafe extern "C" fn(*mut c_void, i32) -> Status> = symbol(&rt, "rtStreamSynchronizeWithTimeout")?;
    let end = |name: &str| symbol::<End>(&rt, name);
    let device = |name: &str| symbol::<unsafe extern "C" fn(i32) -> Status>(&rt, name);
    let (mut made, mut queue, mut memory) = (null_mut(), null_mut(), null_mut());
    let (sent, mut back) = ([7_u8, 0, 255, 1], [0_u8; 4]);
    // SAFETY: pointers are to live variables or null, handles are those that were made and not yet ended.
    unsafe {
        assert_eq!(context(&mut made, 0, 0), 0);
        assert_eq!(stream(&mut queue, 0), 0);
        // 512 more than asked for, and addresses inside, are the kit's way to align.
        assert_eq!(malloc(&mut memory, 4 + 512, 2, 0), 0);
        let inside = memory.byte_add(512);
        assert_eq!(copy(inside, 4, sent.as_ptr().cast(), 4, 1), 0);
        assert_eq!(copy(back.as_mut_ptr().cast(), 4, inside, 4, 2), 0);
        assert_eq!(back, sent);
        assert_eq!(copy(inside, 3, sent.as_ptr().cast(), 4, 1), 107000, "more than there is room for");
        assert_eq!(end("rtStreamSynchronize")?(queue), 0);
        assert_eq!(wait(queue, 1000), 0);
        assert_eq!(end("rtFree")?(memory), 0);
        assert_ne!(end("rtFree")?(memory), 0, "freed twice");
        assert_eq!(end("rtStreamDestroyForce")?(queue), 0);
        assert_eq!(end("rtCtxDestroy")?(made), 0);
        assert_eq!(context(&mut made, 0, 99), 107001, "no such device");
        assert_eq!(device("rtSetDevice")?(0), 0);
        assert_eq!(stream(&mut queue, 0), 0);
        assert_eq!(end("rtStreamDestroy")?(queue), 0);
        // The mode in force is accepted, the other one refused.
        let get: Symbol<unsafe extern "C" fn(*mut i32) -> Status> = symbol(&rt, "rtGetDeviceSatMode")?;
        let (set, mut mode) = (device("rtSetDeviceSatMode")?, -1);
        assert_eq!((get(&mut mode), get(null_mut())), (0, 100000));
        let other = 1 - mode;
        assert_eq!((set(mode), set(other), set(7)), (0, 207000, 107000));
        assert_eq!(device("rtDeviceReset")?(0), 0);
    }
    // The kit asks whether these are there, and does without.
    for absent in ["rtCreateLaunchArgs", "rtKernelLaunchWithFlagV2"] {
        ensure!(symbol::<End>(&rt, absent).is_err(), "{absent}");
    }
    Ok(())
}

#[test]
fn the_driver_names_devices_and_refuses_what_no_chip_measures() -> Result<()> {
    let Some(home) = home() else { return Ok(()) };
    let driver = open(&home, "libdrvdsmi_host.so")?;
    type Ask = unsafe extern "C" fn(c_int, *mut c_uint) -> c_int;
    type AskKind = unsafe extern "C" fn(c_int, c_int, *mut c_uint) -> c_int;
    let count: Symbol<unsafe extern "C" fn(*mut c_int) -> c_int> = symbol(&driver, "dsmi_get_device_count")?;
    let list: Symbol<unsafe extern "C" fn(*mut c_int, c_int) -> c_int> = symbol(&driver, "dsmi_list_device")?;
    let chip: Symbol<unsafe extern "C" fn(c_int, *mut c_char) -> c_int> = symbol(&driver, "dsmi_get_chip_info")?;
    let physical: Symbol<Ask> = symbol(&driver, "dsmi_get_phyid_from_logicid")?;
    let (mut devices, mut ids, mut id, mut info) = (0, [-1; 4], 9, [1 as c_char; 96]);
    // SAFETY: every pointer is to memory of the documented size, or null.
    unsafe {
        assert_eq!((count(&mut devices), count(null_mut()), devices), (0, 8, 1));
        assert_eq!((list(ids.as_mut_ptr(), 4), ids), (0, [0, -1, -1, -1]));
        assert_eq!((physical(0, &mut id), id, physical(1, &mut id)), (0, 0, 2));
        assert_eq!((chip(0, info.as_mut_ptr()), chip(1, info.as_mut_ptr()), chip(0, null_mut())), (0, 2, 8));
        let part = |at: usize| CStr::from_ptr(info[32 * at..].as_ptr()).to_string_lossy().into_owned();
        ensure!(part(0) == "Ascend" && part(1).starts_with("910"), "{} {}", part(0), part(1));
        let config = format!("{}-linux/data/platform_config", std::env::consts::ARCH);
        ensure!(home.join(config).join(format!("Ascend{}.ini", part(1))).is_file());
        let mut number = 77;
        for name in ["dsmi_get_device_health", "dsmi_get_device_temperature"] {
            let ask = symbol::<Ask>(&driver, name)?;
            assert_eq!((ask(0, &mut number), ask(1, &mut number), number), (0xfffe, 2, 77), "{name}");
        }
        for name in ["dsmi_get_device_utilization_rate", "dsmi_get_device_frequency"] {
            let ask = symbol::<AskKind>(&driver, name)?;
            assert_eq!((ask(0, 2, &mut number), number), (0xfffe, 77), "{name}");
        }
    }
    Ok(())
}

#[test]
fn profiling_sessions_record_nothing() -> Result<()> {
    let Some(home) = home() else { return Ok(()) };
    let profiler = open(&home, "libmsprofiler.so")?;
    type Run = unsafe extern "C" fn(*const c_void) -> c_int;
    type Create = unsafe extern "C" fn(*mut u32, u32, c_int, *const c_void, u64) -> *mut c_void;
    let init: Symbol<unsafe extern "C" fn(*const c_char, usize) -> c_int> = symbol(&profiler, "aclprofInit")?;
    let create: Symbol<Create> = symbol(&profiler, "aclprofCreateConfig")?;
    let run = |name: &str| symbol::<Run>(&profiler, name);
    let (start, stop, destroy) = (run("aclprofStart")?, run("aclprofStop")?, run("aclprofDestroyConfig")?);
    let finalize: Symbol<unsafe extern "C" fn() -> c_int> = symbol(&profiler, "aclprofFinalize")?;
    let dir = tempfile::tempdir()?;
    let path = dir.path().join("profile").to_string_lossy().into_owned();
    // SAFETY: every pointer is to live memory or null, configs are those that were created, until they are destroyed.
    unsafe {
        assert_eq!((finalize(), init(null(), 1), init(path.as_ptr().cast(), 0)), (100043, 100000, 100000));
        let config = create(&mut 0, 1, 1, null(), 1);
        ensure!(
            !config.is_null()
                && create(&mut 5, 1, 1, null(), 1).is_null()
                && create(null_mut(), 1, 1, null(), 1).is_null()
        );
        assert_eq!(start(config), 100043, "no session");
        assert_eq!((init(path.as_ptr().cast(), path.len()), init(path.as_ptr().cast(), path.len())), (0, 100042));
        assert_eq!((start(null()), stop(config)), (100000, 100043));
        assert_eq!((start(config), start(config), stop(config)), (0, 100042, 0));
        assert_eq!((destroy(config), destroy(null()), finalize()), (0, 100000, 0));
        let id: Symbol<unsafe extern "C" fn(*const c_char) -> u64> = symbol(&profiler, "aclprofStr2Id")?;
        let ids = [id(c"a".as_ptr()), id(c"b".as_ptr()), id(c"a".as_ptr()), id(null())];
        ensure!(ids[0] == ids[2] && ids[0] != ids[1] && ids[0] != 0 && ids[3] == 0, "{ids:?}");
    }
    ensure!(fs::read_dir(dir.path())?.count() == 0, "no file, no numbers");
    Ok(())
}

/// The CSV as the kit reads it: columns, literals, parameters in the order of the header, goldens, views; and that a row
/// which breaks one of its rules is named.
#[test]
fn cases_follow_the_kits_rules() -> Result<()> {
    let op = Path::new(env!("CARGO_MANIFEST_DIR")).parent().context("the workspace")?.join("experimental/math/fmod");
    let rules = |table: &Path| -> Result<(bool, String)> {
        let mut python = std::process::Command::new("python3");
        python.args(["-I", "-c", include_str!("st_rules.py")]).arg(table).arg(op.join("op_api"));
        let output = python.arg(op.join("tests/assets/golden.py")).output().context("python3")?;
        Ok((output.status.success(), String::from_utf8(output.stdout)? + &String::from_utf8(output.stderr)?))
    };
    let table = op.join("tests/st/ttk_aclnn_fmod_st.csv");
    ensure!(rules(&table)? == (true, "141 cases, 8 of 8 interfaces\n".to_owned()), "{:?}", rules(&table)?);
    let text = fs::read_to_string(&table)?;
    let broken = tempfile::tempdir()?;
    for (from, to, said) in [
        ("aclnnFmodTensorV2", "aclnnFmodTensorV3", "tensor_v2_f32_1000_by_10: no header declares the interface"),
        ("'precisionMode': 1", "'precision': 1", "attributes ['precision'] for the parameters ['precisionMode']"),
        ("tensor_f32_sign_np", "tensor_f32_sign_pp", "tensor_f32_sign_pp: a second one of the name"),
        ("((32, 65), (65,))", "((32, 65), (64,))", "the shapes of the inputs do not give the output's"),
        ("'float32'", "'float'", "tensor_f32_sign_pp: a type that the kit does not know"),
        ("tensor_view_strides", "view_strides", "columns that the kit ignores: ['view_strides']"),
    ] {
        let changed = broken.path().join("changed.csv");
        fs::write(&changed, text.replace(from, to))?;
        let (good, told) = rules(&changed)?;
        ensure!(!good && told.contains(said), "{from} as {to}: {told}");
    }
    Ok(())
}
