//! Copies and transposes that change the layout, int4b_t, dequantisation and BilinearInterpolation, compiled by g++ against
//! the façade, under the checker.

use crate::support::{Aligned, Object};
use aicore::{CoreSpec, Engine, Fault, FaultClass, Launch, Switches, check::LaunchInfo};
use half::f16;
use std::{ffi::c_void, sync::OnceLock};

fn run(name: &str, args: &[*mut c_void]) -> Result<(), Fault> {
    static O: OnceLock<Object> = OnceLock::new();
    let object = O.get_or_init(|| Object::build("layout.cpp"));
    let e = Engine::new(CoreSpec::npu_2201("Ascend910B3", 196608), Switches::default(), 1);
    e.run(&Launch { check: Some(&LaunchInfo::default()), ..Launch::new(object.kernel(name), name, 0, 1, args) })
}

fn pointer<T>(x: &mut [T]) -> *mut c_void {
    x.as_mut_ptr() as *mut c_void
}

fn counting<T: Copy>(n: usize, value: impl Fn(usize) -> T) -> Aligned<T> {
    let mut x = Aligned::new(n);
    x.iter_mut().enumerate().for_each(|(i, x)| *x = value(i));
    x
}

#[test]
fn nd_to_nz_and_back() {
    let mut x = counting(1024, |i| i as u16 + 1);
    let (mut y, mut z) = (Aligned::<u16>::new(1024), Aligned::<u16>::new(192));
    run("nz", &[pointer(&mut x), pointer(&mut y), pointer(&mut z)]).unwrap();
    assert_eq!(*y, *x);
    // Block b of row r of matrix m at m * 96 + b * 48 + r * 16; four of the 20 columns are in the second block.
    for (i, v) in z.iter().enumerate() {
        let (m, b, r, j) = (i / 96, i / 48 % 2, i / 16 % 3, i % 16);
        let column = b * 16 + j;
        assert_eq!(*v, if column < 20 { x[m * 72 + r * 24 + column] } else { 0 }, "{i}");
    }
    run("nz_as_it_is", &[pointer(&mut x), pointer(&mut y)]).unwrap();
    let want: Vec<u16> = (0..1024).map(|i| (i % 512 / 16 * 32 + i / 512 * 16 + i % 16) as u16 + 1).collect();
    assert_eq!(*y, want);
}

#[test]
fn slices_there_and_back() {
    let mut x = counting(261, |i| i as f32);
    let (mut y, mut z) = (Aligned::<f32>::new(96), Aligned::<f32>::new(261));
    run("slices", &[pointer(&mut x), pointer(&mut y), pointer(&mut z)]).unwrap();
    // Rows 0 and 2, columns 16 to 39 and 47 to 70.
    let places: Vec<usize> = [0, 2].iter().flat_map(|r| (16..40).chain(47..71).map(move |c| r * 87 + c)).collect();
    assert_eq!(*y, places.iter().map(|i| *i as f32).collect::<Vec<_>>());
    for (i, v) in z.iter().enumerate() {
        assert_eq!(*v, if places.contains(&i) { i as f32 } else { 0.0 }, "{i}");
    }
    let e = run("different_slices", &[pointer(&mut x), pointer(&mut y)]).unwrap_err();
    assert!(e.to_string().contains("different runs"), "{e}");
}

#[test]
fn four_bit_integers() {
    let mut x = counting(64, |i| f16::from_f32((i % 16) as f32 - 8.0).to_bits());
    let mut y = Aligned::<u16>::new(64);
    let mut seen = [0i32; 8];
    run("nibbles", &[pointer(&mut x), pointer(&mut y), pointer(&mut seen)]).unwrap();
    assert_eq!(seen[..5], [64, -8, -5, -3, -6]);
    assert_eq!(*y, *x);
}

#[test]
fn bytes_from_16_bits() {
    let mut x = counting(32, |i| i as i16 * 5 - 60);
    let mut y = Aligned::<i8>::new(96);
    run("dequantise", &[pointer(&mut x), pointer(&mut y)]).unwrap();
    let byte = |v: f64| v.round_ties_even().clamp(-128.0, 127.0) as i8;
    for i in 0..32 {
        assert_eq!(y[i], byte(x[i] as f64 * 0.5 - 3.0), "{i}");
        let j = (i % 16) as f64;
        assert_eq!(y[32 + i / 16 * 32 + 16 + i % 16], byte(x[i] as f64 * j - j), "{i}");
    }
    assert_eq!((&y[32..48], &y[64..80]), (&[0; 16][..], &[0; 16][..]));
}

#[test]
fn bilinear_interpolation_follows_the_example_of_its_page() {
    let half = |x: f64| f16::from_f64(x).to_bits();
    let mut x = counting(512, |i| half(i as f64 + 1.0));
    let mut offsets = counting(32, |i| i as u32 * 32);
    let mut weights = counting(32, |i| half(i as f64 + 2.0));
    let mut y = Aligned::<u16>::new(512);
    run("interpolate", &[pointer(&mut x), pointer(&mut offsets), pointer(&mut weights), pointer(&mut y)]).unwrap();
    let product = |a: usize, w: usize| f16::from_f64((a + 1) as f64 * (w + 2) as f64);
    for (i, got) in y.iter().enumerate() {
        let (each_block, v, j) = (i >= 256, i % 256 / 128, i % 128);
        let part = |h: usize| {
            let repeat = 2 * v + h;
            product(repeat * 128 + j, if each_block { repeat * 8 + j / 16 } else { repeat })
        };
        assert_eq!(*got, half(part(0).to_f64() + part(1).to_f64()), "{i}");
    }
}

/// Two elements of int4b_t share a byte, in DataCopy, TBuf::Get, tensors and AscendAntiQuant (page: dst = scale * (src + offset)).
#[test]
fn int4b_t_counts_half_bytes() {
    let value = |i: usize| (i * 3 % 16) as i32 - 8;
    let mut x = counting(64, |j| (value(2 * j) as u8 & 15) | (value(2 * j + 1) as u8) << 4);
    let (mut y, mut z, mut few) = (Aligned::<f16>::new(128), Aligned::<u8>::new(96), Aligned::<u8>::new(64));
    run("half_bytes", &[pointer(&mut x), pointer(&mut y), pointer(&mut z), pointer(&mut few)]).unwrap();
    let want: Vec<f16> = (0..128).map(|i| f16::from_f32(value((i + 64) % 128) as f32 + 0.5)).collect();
    assert_eq!(y[..], want[..]);
    assert_eq!((&z[..32], &z[32..64], &z[64..]), (&[0; 32][..], &x[32..], &x[..32]));
    // [3] moves by a byte and a half, of which the half is lost: elements 2, 2 and two times true.
    assert_eq!(few[..3], [(value(2) as u8 & 15) * 17, 0x11, 0]);
}

#[test]
fn the_three_overloads() {
    let mut x = Aligned::<u16>::new(1024);
    x.iter_mut().zip(0..).for_each(|(x, i)| *x = i);
    let mut y = Aligned::<u16>::new(1024);
    run("to_5hd", &[pointer(&mut x), pointer(&mut y)]).unwrap();
    let want: Vec<u16> = (0..1024).map(|i| i % 16 * 64 + i / 16).collect();
    assert_eq!(*y, want);
}

#[test]
fn what_was_never_written_stays_where_it_goes() {
    let mut x = Aligned::<u16>::new(256);
    x.iter_mut().zip(0..).for_each(|(x, i)| *x = i);
    let mut y = Aligned::<u16>::new(256);
    run("part_of_a_square", &[pointer(&mut x), pointer(&mut y)]).unwrap();
    for (i, v) in y.iter().enumerate() {
        let (row, column) = (i as u16 / 16, i as u16 % 16);
        assert_eq!(*v, if column < 8 { column * 16 + row } else { 0 }, "{i}");
    }
}

#[test]
fn in_place_what_was_never_written_moves_too() {
    let mut x = Aligned::<u16>::new(256);
    let mut y = Aligned::<u16>::new(256);
    let e = run("a_row_that_is_not_there", &[pointer(&mut x), pointer(&mut y)]).unwrap_err();
    assert_eq!(e.class, FaultClass::Uninitialized, "{e}");
}

#[test]
fn images_there_and_back() {
    let mut x = Aligned::<f32>::new(240);
    x.iter_mut().enumerate().for_each(|(i, x)| *x = i as f32);
    let mut y = Aligned::<f32>::new(480);
    run("images", &[pointer(&mut x), pointer(&mut y)]).unwrap();
    let want: Vec<f32> = (0..240).map(|i| (i / 120 * 120 + i % 5 * 24 + i % 120 / 5) as f32).collect();
    assert_eq!(y[..240], want);
    assert_eq!(y[240..], *x);
    // Twice the channels and one, times 16 elements of 32 bytes (the table of the Transpose page).
    let e = run("short_of_space", &[pointer(&mut x), pointer(&mut y)]).unwrap_err();
    assert!(e.to_string().contains("sharedTmpBuffer") && e.to_string().contains("Transpose"), "{e}");
}
