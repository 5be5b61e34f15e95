//! Pictures for a report: speed-up by size, and rooflines. Plain SVG, the same bytes for the same rows.

use super::matrix::{DTYPES, size};
use super::row::Row;
use crate::base::page::svg::{self, Axis, GRID, INK, PAPER, Picture};

const WIDTH: f64 = 760.0;
const HEIGHT: f64 = 420.0;
/// Left, right, top and bottom of the plot.
const PLOT: [f64; 4] = [70.0, 590.0, 50.0, 360.0];
const COLOURS: [&str; 7] = [svg::BLUE, svg::VERMILION, svg::GREEN, svg::PURPLE, svg::ORANGE, svg::SKY, "#888888"];

/// File names and contents.
pub fn all(rows: &[Row]) -> Vec<(String, String)> {
    let mut socs: Vec<&str> = rows.iter().map(|row| row.soc.as_str()).collect();
    socs.dedup();
    socs.sort_unstable();
    socs.dedup();
    let mut files = Vec::new();
    for soc in socs {
        for cache in ["warm", "cold"] {
            let some: Vec<&Row> = rows.iter().filter(|row| row.soc == soc && row.cache == cache).collect();
            for mode in ["tbe", "exact"] {
                let title =
                    format!("{mode} mode, same shape, {soc}, {cache}: times as fast as the built-in chain (model)");
                files.push((format!("speed-up-{soc}-{cache}-{mode}.svg"), speed_up(&some, mode, &title, "elements")));
            }
            let title = format!("tbe mode, {soc}, {cache}: lanes a second by lanes a byte (model)");
            files.push((format!("roofline-{soc}-{cache}.svg"), roofline(&some, &title)));
        }
    }
    files
}

fn picture(title: &str) -> Picture {
    let mut picture = Picture::new(WIDTH, HEIGHT, "font-family=\"sans-serif\" font-size=\"15\"");
    picture.rect((0.0, 0.0), (WIDTH, HEIGHT), PAPER);
    picture.text((20.0, 28.0), "start", INK, title);
    picture
}

/// The types that have rows, each with a colour and a place in the legend.
fn series<'a>(rows: &[&'a Row], case: Option<&str>) -> Vec<(&'static str, &'static str, Vec<&'a Row>)> {
    let mut found = Vec::new();
    for ((dtype, _), colour) in DTYPES.into_iter().zip(COLOURS) {
        let is_one = |row: &&&Row| row.dtype == dtype && case.is_none_or(|case| row.case == case);
        let mut points: Vec<&Row> = rows.iter().filter(is_one).copied().collect();
        points.sort_by_key(|row| row.elements);
        if !points.is_empty() {
            found.push((dtype, colour, points));
        }
    }
    found
}

fn legend(picture: &mut Picture, at: usize, name: &str, colour: &str) {
    let y = PLOT[2] + 18.0 * at as f64;
    picture.line(&[(PLOT[1] + 20.0, y - 4.0), (PLOT[1] + 44.0, y - 4.0)], colour, 2.0);
    picture.text((PLOT[1] + 50.0, y), "start", INK, name);
}

/// With the words of the title and of the axis of sizes.
pub fn speed_up(rows: &[&Row], mode: &str, title: &str, axis: &str) -> String {
    let mut picture = picture(title);
    let all = series(rows, Some("same"));
    let points = |rows: &[&Row]| -> Vec<(f64, f64)> {
        rows.iter().filter_map(|row| Some((row.elements as f64, row.speed_up(mode)?))).collect()
    };
    let found: Vec<(f64, f64)> = all.iter().flat_map(|(.., rows)| points(rows)).collect();
    let top = found.iter().fold(2.0_f64, |top, (_, y)| top.max(*y)).ceil();
    let ends = found.iter().fold([f64::MAX, 0.0], |[from, to], (x, _)| [from.min(*x), f64::max(to, *x)]);
    let x = Axis { values: if ends[0] < ends[1] { ends } else { [1.0, 2.0] }, at: [PLOT[0], PLOT[1]], log: true };
    let y = Axis { values: [0.0, top], at: [PLOT[3], PLOT[2]], log: false };
    for step in 0..=(2.0 * top) as usize {
        let value = step as f64 / 2.0;
        let colour = if step == 2 { "#888888" } else { GRID };
        picture.line(&[(PLOT[0], y.at(value)), (PLOT[1], y.at(value))], colour, 1.0);
        picture.text((PLOT[0] - 8.0, y.at(value) + 4.0), "end", INK, &format!("{value:.1}"));
    }
    let mut sizes: Vec<u64> = found.iter().map(|(x, _)| *x as u64).collect();
    sizes.sort_unstable();
    sizes.dedup();
    for elements in sizes {
        picture.text((x.at(elements as f64), PLOT[3] + 20.0), "middle", INK, &size(elements));
    }
    picture.text(((PLOT[0] + PLOT[1]) / 2.0, PLOT[3] + 44.0), "middle", INK, axis);
    // Not every type has every mode.
    let lines = all.iter().filter(|(.., rows)| !points(rows).is_empty());
    for (at, (dtype, colour, rows)) in lines.enumerate() {
        let line: Vec<(f64, f64)> = points(rows).into_iter().map(|(px, py)| (x.at(px), y.at(py))).collect();
        picture.line(&line, colour, 2.0);
        line.iter().for_each(|at| picture.dot(*at, colour));
        legend(&mut picture, at, dtype, colour);
    }
    picture.end()
}

/// Points under two roofs: what the memory or the L2 lets through, and what the vector units compute.
fn roofline(rows: &[&Row], title: &str) -> String {
    let mut picture = picture(title);
    let [l2, hbm, vector] =
        rows.iter().fold([0.0_f64; 3], |most, row| [0, 1, 2].map(|i: usize| most[i].max(row.roofs[i])));
    let x = Axis { values: [0.0625, 16.0], at: [PLOT[0], PLOT[1]], log: true };
    let y = Axis { values: [1.0, 16384.0], at: [PLOT[3], PLOT[2]], log: true };
    for power in [0, 2, 4, 6, 8, 10, 12, 14] {
        let value = f64::from(1 << power);
        picture.line(&[(PLOT[0], y.at(value)), (PLOT[1], y.at(value))], GRID, 1.0);
        picture.text((PLOT[0] - 8.0, y.at(value) + 4.0), "end", INK, &format!("{value}"));
    }
    for value in [0.0625, 0.25, 1.0, 4.0, 16.0] {
        picture.text((x.at(value), PLOT[3] + 20.0), "middle", INK, &format!("{value}"));
    }
    picture.text(((PLOT[0] + PLOT[1]) / 2.0, PLOT[3] + 44.0), "middle", INK, "32-bit lanes a byte");
    for (name, gbs) in [("L2", l2), ("HBM", hbm)] {
        if gbs > 0.0 && vector > 0.0 {
            let knee = (vector / gbs).clamp(x.values[0], x.values[1]);
            let roof = |lanes: f64| (x.at(lanes), y.at((lanes * gbs).min(vector)));
            picture.line(&[roof(x.values[0]), roof(knee), roof(x.values[1])], "#888888", 1.5);
            let (px, py) = roof(0.09);
            picture.text((px, py - 8.0), "middle", INK, name);
        }
    }
    for (at, (dtype, colour, rows)) in series(rows, None).iter().enumerate() {
        for row in rows.iter().filter(|row| row.lanes_per_byte > 0.0) {
            let Some(us) = row.op.get("tbe") else { continue };
            let (read, written) = bytes(row);
            let lanes = row.lanes_per_byte * (read + written);
            picture.dot((x.at(row.lanes_per_byte), y.at(lanes / us / 1e3)), colour);
        }
        legend(&mut picture, at, dtype, colour);
    }
    picture.end()
}

/// Those that have to move, as numbers.
pub fn bytes(row: &Row) -> (f64, f64) {
    let known = DTYPES.iter().find(|(name, _)| *name == row.dtype);
    let case = super::matrix::CASES.into_iter().find(|case| *case == row.case);
    let (Some((dtype, _)), Some(case)) = (known, case) else { return (0.0, 0.0) };
    let (read, written) = super::matrix::Shape { dtype, case, elements: row.elements }.bytes();
    (read as f64, written as f64)
}

#[cfg(test)]
mod tests {
    use super::super::row::tests::row;
    use super::*;

    fn rows() -> Vec<Row> {
        vec![
            row(("f32", "same", 1 << 14, "warm"), [2.0, 4.0, 3.0, 1.0]),
            row(("f32", "same", 1 << 22, "warm"), [10.0, 40.0, 20.0, 8.0]),
            row(("f32", "row", 1 << 22, "warm"), [10.0, 40.0, 20.0, 8.0]),
        ]
    }

    #[test]
    fn a_line_of_speed_ups() {
        let files = all(&rows());
        let names: Vec<&str> = files.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names.len(), 6);
        assert_eq!(names[..2], ["speed-up-Ascend910B3-warm-tbe.svg", "speed-up-Ascend910B3-warm-exact.svg"]);
        // 1.5 and 2 on an axis from 0 to 2, 16 Ki at its left end and 4 Mi at its right one.
        assert!(files[0].1.contains("<polyline points=\"70.0,127.5 590.0,50.0\""), "{}", files[0].1);
        assert!(files[1].1.contains("<polyline points=\"70.0,243.8 590.0,282.5\""), "{}", files[1].1);
        assert!(files.iter().all(|(_, text)| text.contains("(model)") && text.ends_with("</svg>\n")));
        assert_eq!(all(&rows()), files);
    }

    #[test]
    fn points_under_the_roofs() {
        let text = all(&rows()).into_iter().find(|(name, _)| name == "roofline-Ascend910B3-warm.svg").expect("it").1;
        // 0.5 lanes a byte are three of eight powers of two; 25 lanes a ns for 48 MiB in 10 us would be 2516.
        let x = 70.0 + 520.0 * 3.0 / 8.0;
        let lanes = 0.5 * 3.0 * 4.0 * f64::from(1 << 22) / 10.0 / 1e3;
        let y = 360.0 - 310.0 * lanes.log2() / 14.0;
        assert!(text.contains(&format!("<circle cx=\"{x:.1}\" cy=\"{y:.1}\"")), "{text}");
        assert_eq!(text.matches("<circle").count(), 3);
    }
}
