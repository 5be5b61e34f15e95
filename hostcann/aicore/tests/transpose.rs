//! TransDataTo5HD and Transpose, compiled by g++ against the façade, under the checker.

mod support;

use aicore::{CoreSpec, Engine, Fault, FaultClass, Launch, Switches, check::LaunchInfo};
use std::{ffi::c_void, sync::OnceLock};
use support::{Aligned, Object};

fn run<T>(name: &str, input: &mut [T], output: &mut [T]) -> Result<(), Fault> {
    static O: OnceLock<Object> = OnceLock::new();
    let object = O.get_or_init(|| Object::build("transpose.cpp"));
    let e = Engine::new(CoreSpec::npu_2201("Ascend910B3", 196608), Switches::default(), 1);
    let args = [input.as_mut_ptr() as *mut c_void, output.as_mut_ptr() as *mut c_void];
    e.run(&Launch { check: Some(&LaunchInfo::default()), ..Launch::new(object.kernel(name), name, 0, 1, &args) })
}

#[test]
fn the_three_overloads() {
    let mut x = Aligned::<u16>::new(1024);
    x.iter_mut().zip(0..).for_each(|(x, i)| *x = i);
    let mut y = Aligned::<u16>::new(1024);
    run("to_5hd", &mut x, &mut y).unwrap();
    let want: Vec<u16> = (0..1024).map(|i| i % 16 * 64 + i / 16).collect();
    assert_eq!(*y, want);
}

#[test]
fn what_was_never_written_stays_where_it_goes() {
    let mut x = Aligned::<u16>::new(256);
    x.iter_mut().zip(0..).for_each(|(x, i)| *x = i);
    let mut y = Aligned::<u16>::new(256);
    run("part_of_a_square", &mut x, &mut y).unwrap();
    for (i, v) in y.iter().enumerate() {
        let (row, column) = (i as u16 / 16, i as u16 % 16);
        assert_eq!(*v, if column < 8 { column * 16 + row } else { 0 }, "{i}");
    }
}

#[test]
fn in_place_what_was_never_written_moves_too() {
    let mut x = Aligned::<u16>::new(256);
    let mut y = Aligned::<u16>::new(256);
    let e = run("a_row_that_is_not_there", &mut x, &mut y).unwrap_err();
    assert_eq!(e.class, FaultClass::Uninitialized, "{e}");
}

#[test]
fn images_there_and_back() {
    let mut x = Aligned::<f32>::new(240);
    x.iter_mut().enumerate().for_each(|(i, x)| *x = i as f32);
    let mut y = Aligned::<f32>::new(480);
    run("images", &mut x, &mut y).unwrap();
    let want: Vec<f32> = (0..240).map(|i| (i / 120 * 120 + i % 5 * 24 + i % 120 / 5) as f32).collect();
    assert_eq!(y[..240], want);
    assert_eq!(y[240..], *x);
    // Twice the channels and one, times 16 elements of 32 bytes (the table of the Transpose page).
    let e = run("short_of_space", &mut x, &mut y).unwrap_err();
    assert!(e.to_string().contains("sharedTmpBuffer") && e.to_string().contains("Transpose"), "{e}");
}
