//! Rules that hold for all sizes: tiling data, copies off their lines, calls in a row, launches that nearly fill the L2.

use super::*;

fn under(p: &Params, caches: Caches, scripts: Vec<Script>) -> LaunchTime {
    recording(scripts).replay(p, &Replay { caches, ..Replay::default() }).unwrap()
}

/// The parameters of the file.
fn real() -> Params {
    let file = toml::from_str(include_str!("../../../../soc/timing/model.toml")).unwrap();
    Params::for_soc(&file, "Ascend910B3", 40, 192 << 20).unwrap()
}

fn tiling(bytes: u32) -> Script {
    let mut script = Script::default();
    script.block.tiling = u64::from(bytes);
    script.push(StepKind::Scalar(Scalar::Tiling), bytes.div_ceil(64)).compute()
}

#[test]
fn tiling_data_is_paid_by_the_line_beyond_what_the_entry_has() {
    let p = Params { scalar_gm_hit: 10.0, tiling_free: 256.0, entry_cold: 1000.0, ..params() };
    let cycles = |caches, bytes| under(&p, caches, vec![tiling(bytes)]).cycles - 100.0;
    // From the L2 where the launch has run before, from memory otherwise: the host writes it for every launch.
    for (caches, entry, line) in
        [(Caches::Warm, 0.0, 60.0), (Caches::Eager, 1000.0, 260.0), (Caches::Cold, 1000.0, 260.0)]
    {
        let got = [8, 200, 256, 320, 3056].map(|bytes| cycles(caches, bytes) - entry);
        assert_eq!(got, [0.0, 0.0, 0.0, line, 44.0 * line], "{caches:?}");
    }
    // Of two reads of a block only lines that are new; a later block of a core finds them all.
    let twice = tiling(256).push(StepKind::Scalar(Scalar::Tiling), 2);
    assert_eq!(under(&p, Caches::Warm, vec![twice]).cycles, 2.0 * 60.0);
    let one_core = Params { vector_cores: 1, ..p };
    assert_eq!(under(&one_core, Caches::Warm, vec![tiling(320), tiling(320)]).cycles, 60.0 + 2.0 * 100.0);
}

#[test]
fn large_tiling_data_has_a_note() {
    let p = Params { clock: 1000.0, ..real() };
    let notes = |bytes| under(&p, Caches::Cold, vec![tiling(bytes)]).notes.concat();
    assert_eq!(notes(256), "");
    assert_eq!(
        notes(3056),
        "3056 bytes of tiling data are copied by the scalar unit of every core before it begins: 24.64 us of the time (inferred)"
    );
    assert_eq!(under(&p, Caches::Cold, vec![tiling(3056)]).tiling_bytes, 3056);
}

/// Copies that follow each other, `off` bytes into their lines.
fn copies(core: u64, count: u64, bytes: u32, off: u64) -> Script {
    let size = u64::from(bytes);
    (0..count).fold(Script::default(), |mut script, i| {
        let offset = (core * count + i) * size + off;
        script.block.places.push(GmAddress { region: 0, offset });
        let place = script.block.places.len() as u32 - 1;
        let (pipe, dtype, cache) = (Pipe::MTE2, Dtype::F32, Cache::Normal);
        let work = CopyWork { pipe, dtype, pad: false, rows: 1, row_bytes: bytes, pitch: size, cache };
        script.push(StepKind::Copy(work), place).flag("MTE2_V")
    })
}

/// The guide: addresses aligned to 32 bytes reach at worst 70 % of the rate of those aligned to 512.
#[test]
fn a_copy_off_its_lines_is_never_faster() {
    let p = real();
    for cores in [1u64, 2, 7, 20, 21, 40] {
        for caches in Caches::ALL {
            let mut before = 0.0;
            for kib in [1u32, 4, 16, 64] {
                let time = |off| {
                    let scripts = (0..cores).map(|core| copies(core, 6, kib << 10, off)).collect();
                    under(&p, caches, scripts).task_us
                };
                let (on, off) = (time(0), time(32));
                let what = format!("{kib} KiB, {cores} cores, {caches:?}: {on} on, {off} off");
                // Where a pair of cores waits for the memory along with single ones, those that ask for less leave it more.
                let alike = if cores == 21 && caches == Caches::Cold { 0.995 } else { 1.0 };
                assert!(off >= on * alike && off <= on / 0.7, "{what}");
                assert!(on > before, "{what}");
                before = on;
            }
        }
    }
}

#[test]
fn the_engine_loses_less_the_longer_a_copy_off_its_lines() {
    let p = real();
    let work = |bytes: u32| CopyWork {
        pipe: Pipe::MTE2,
        dtype: Dtype::F32,
        pad: false,
        rows: 1,
        row_bytes: bytes,
        pitch: u64::from(bytes),
        cache: Cache::Normal,
    };
    let factor = |bytes| cost::copy(&p, &work(bytes), 32).data / cost::copy(&p, &work(bytes), 0).data;
    let percent = [512, 1024, 4096, 65536].map(|bytes| (1000.0 * factor(bytes)).round() / 10.0);
    assert_eq!(percent, [137.5, 123.8, 113.4, 110.2]);
}

/// A Mul on `repeats` whole repeats, or with one of them in part, given by a number of elements.
fn counted(script: Script, partial: bool) -> Script {
    let head = Head { op: Opcode::Mul, dtype: Dtype::F32, stype: Dtype::F32, form: Form::Count };
    let work = VectorWork {
        head,
        repeats: 10,
        calls: 1,
        half_lanes: 1280,
        count_form: true,
        partial,
        passes: None,
        operands: [None; 3],
    };
    script.push(StepKind::Vector(work), 0)
}

#[test]
fn calls_in_a_row_set_up_their_mask_under_the_one_before() {
    let p = Params { vector_count_form: 12.0, vector_count_next: 3.0, vector_partial: 4.0, ..params() };
    let cycles = |script| one(&p, script).cycles;
    let one = 23.2 + 10.0;
    let close = |got: f64, want: f64| assert!((got - want).abs() < 1e-9, "{got} {want}");
    close(cycles(counted(Script::default(), false)), one + 12.0);
    close(cycles(counted(Script::default(), true)), one + 16.0);
    let chain = |partial| (0..3).fold(Script::default(), |s, _| counted(s, partial));
    close(cycles(chain(false)), 3.0 * one + 12.0 + 2.0 * 3.0);
    close(cycles(chain(true)), 3.0 * one + 16.0 + 2.0 * 7.0);
    // A flag to wait for ends the row, also one that is set.
    let apart = counted(counted(Script::default(), false).flag("MTE3_V"), false);
    close(cycles(apart), 2.0 * (one + 12.0));
}

#[test]
fn code_is_cold_and_data_warm_after_other_kernels() {
    let p = Params { entry: 7.0, entry_cold: 30.0, ..params() };
    let cycles = |caches| under(&p, caches, vec![Script::default().load(0)]).cycles;
    assert_eq!(Caches::ALL.map(cycles), [7.0 + 178.0, 37.0 + 178.0, 37.0 + 378.0]);
}

#[test]
fn near_the_size_of_the_l2_both_times_are_given() {
    // Tiles of 25 lines, all of them used.
    let with_l2 = |lines: u64, caches| {
        let p = Params { l2_bytes: lines * LINE, ..params() };
        let script = (0..4).fold(Script::default(), |s, i| s.load(25 * i).flag("MTE2_V"));
        under(&p, caches, vec![script])
    };
    let near = with_l2(105, Caches::Warm);
    let edge = near.l2_edge.unwrap();
    assert_eq!((near.cycles, edge.fits_us, edge.misses_us), (4.0 * 178.0, 0.712, 4.0 * 0.378));
    assert_eq!((100.0 * edge.part).round(), 95.0);
    assert_eq!(
        near.notes.concat(),
        "the launch uses 0.952 of the L2: 0.71 us if all of the L2 can be used, 1.51 us if only 0.90 of it can; \
         the truth lies between, and the details are of the shorter time"
    );
    assert!(with_l2(105, Caches::Eager).l2_edge.is_some());
    // A little too large: there and back again through 20 tiles, with room for 19 or for 17 of them.
    let over = {
        let p = Params { l2_bytes: 475 * LINE, ..params() };
        let tiles = (0..20).chain((1..19).rev());
        let script = tiles.fold(Script::default(), |s, tile| s.load(25 * tile).flag("MTE2_V"));
        under(&p, Caches::Warm, vec![script])
    };
    let L2Edge { part, fits_us, misses_us } = over.l2_edge.unwrap();
    assert_eq!(((1000.0 * part).round(), over.task_us), (1053.0, fits_us));
    assert!(
        (misses_us - fits_us - 4.0 * 0.2).abs() < 1e-9,
        "four more tiles wait for the memory: {fits_us} {misses_us}"
    );
    let note = over.notes.concat();
    assert!(note.starts_with("the launch uses 1.053 of the L2: ") && !note.contains("stays"), "{note}");
    assert_eq!((over.error.percent, &*over.error.source), (None, ""), "the two times say it");
    // Not where it fits with room to spare, is far too large, or comes from memory anyway.
    for (lines, caches) in [(112, Caches::Warm), (80, Caches::Warm), (105, Caches::Cold)] {
        let time = with_l2(lines, caches);
        assert_eq!((time.l2_edge, time.notes.len()), (None, 0), "{lines} {caches:?}");
    }
}

#[test]
fn the_error_is_that_of_the_class() {
    let p = real();
    let long = |s: Script| {
        s.vector(Opcode::Copy, 87, Passes { repeats: 87, read: 87, write: 87, alone: 87, ..Passes::default() })
    };
    let next = |s: Script, i: u64| long(s.load(25 * i).flag("MTE2_V")).flag("V_MTE3").store(25 * i);
    let tile = || next(Script::default(), 0);
    let value = |s: Script| s.push(StepKind::Scalar(Scalar::UbRead), 0);
    let short = || (0..6).fold(Script::default().load(0).flag("MTE2_V"), |s, _| counted(s, true));
    let of = |caches, scripts| under(&p, caches, scripts).error;
    let rows = [
        ("empty launch", None, Caches::Warm, Script::default()),
        ("single values, a lower bound", None, Caches::Warm, value(Script::default())),
        ("row loops with GetValue", Some(14.0), Caches::Warm, value(tile())),
        ("cores that wait for each other", None, Caches::Warm, tile().push(StepKind::SyncAll, 0)),
        ("large tiling data", None, Caches::Cold, tiling(3056)),
        ("element-wise, long calls", Some(4.0), Caches::Cold, (0..20).fold(tiling(320), next)),
        ("chains of short calls", None, Caches::Warm, short()),
        ("broadcast", Some(26.0), Caches::Warm, tile().load(0).load(0)),
        ("copies", Some(15.3), Caches::Warm, Script::default().load(0)),
        ("chain of kernels", Some(15.0), Caches::Eager, tile()),
        ("element-wise, long calls", Some(4.0), Caches::Cold, tile()),
    ];
    for (class, percent, caches, script) in rows {
        let error = of(caches, vec![script]);
        assert_eq!((error.class, error.percent, error.source.is_empty()), (class, percent, percent.is_none()));
    }
    assert_eq!(of(Caches::Warm, vec![tile(), tile(), tile()]).class, "broadcast");
}

#[test]
fn an_unknown_class_is_named() {
    let mut file: crate::observers::model::ParamFile =
        toml::from_str(include_str!("../../../../soc/timing/model.toml")).unwrap();
    file.error[0].class = "sums".to_owned();
    let error = Params::for_soc(&file, "Ascend910B3", 40, 192 << 20).unwrap_err().0;
    assert!(error.starts_with("[[error]] class \"sums\" is not known; known: \"empty launch\", "), "{error}");
}
