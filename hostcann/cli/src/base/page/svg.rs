//! Pictures as plain SVG: the same bytes for the same numbers.

use std::fmt::Write as _;

use super::escape;

/// Colours that also the colour-blind tell apart (Okabe and Ito).
pub const BLUE: &str = "#0072b2";
pub const VERMILION: &str = "#d55e00";
pub const GREEN: &str = "#009e73";
pub const PURPLE: &str = "#cc79a7";
pub const ORANGE: &str = "#e69f00";
pub const SKY: &str = "#56b4e9";

/// Of text, ground and lines: a page has its own, in light and dark; a file keeps these.
pub const INK: &str = "#1c2126";
pub const PAPER: &str = "#ffffff";
pub const GRID: &str = "#d5dade";

/// An attribute with a colour, and the class by which a page replaces it.
fn paint(attribute: &str, colour: &str) -> String {
    let class = match colour {
        INK => " class=\"ink\"",
        PAPER => " class=\"paper\"",
        GRID => " class=\"grid\"",
        _ => "",
    };
    format!("{attribute}=\"{colour}\"{class}")
}

/// An axis: values from one end to the other, both ends of it on the picture, and whether it is logarithmic.
pub struct Axis {
    pub values: [f64; 2],
    pub at: [f64; 2],
    pub log: bool,
}

impl Axis {
    pub fn at(&self, value: f64) -> f64 {
        let scale = |value: f64| if self.log { value.max(f64::MIN_POSITIVE).log2() } else { value };
        let [from, to] = self.values.map(scale);
        let part = ((scale(value) - from) / (to - from)).clamp(0.0, 1.0);
        self.at[0] + part * (self.at[1] - self.at[0])
    }
}

pub struct Picture(String);

impl Picture {
    /// `attributes` are further ones of the element.
    pub fn new(width: f64, height: f64, attributes: &str) -> Picture {
        let size = format!("viewBox=\"0 0 {width} {height}\"");
        Picture(format!("<svg xmlns=\"http://www.w3.org/2000/svg\" {size} {attributes}>\n"))
    }

    /// What it is called where it is not seen.
    pub fn title(&mut self, title: &str) {
        let _ = writeln!(self.0, "<title>{}</title>", escape(title));
    }

    pub fn rect(&mut self, at: (f64, f64), size: (f64, f64), colour: &str) {
        let ((x, y), (width, height)) = (at, size);
        let _ = writeln!(
            self.0,
            "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" {}/>",
            paint("fill", colour)
        );
    }

    pub fn text(&mut self, at: (f64, f64), anchor: &str, colour: &str, text: &str) {
        let ((x, y), text) = (at, escape(text));
        let _ = writeln!(
            self.0,
            "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\" {}>{text}</text>",
            paint("fill", colour)
        );
    }

    pub fn line(&mut self, points: &[(f64, f64)], colour: &str, width: f64) {
        let points: Vec<String> = points.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
        let _ = writeln!(
            self.0,
            "<polyline points=\"{}\" fill=\"none\" {} stroke-width=\"{width}\"/>",
            points.join(" "),
            paint("stroke", colour)
        );
    }

    /// What is drawn leads there.
    pub fn link(&mut self, href: &str, draw: impl FnOnce(&mut Picture)) {
        let _ = writeln!(self.0, "<a href=\"{}\">", escape(href));
        draw(self);
        self.0.push_str("</a>\n");
    }

    pub fn dot(&mut self, (x, y): (f64, f64), colour: &str) {
        let _ = writeln!(self.0, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3\" fill=\"{colour}\"/>");
    }

    pub fn end(self) -> String {
        self.0 + "</svg>\n"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_kinds_of_axes() {
        let axis = |log| Axis { values: [1.0, 16.0], at: [100.0, 0.0], log };
        assert_eq!([1.0, 4.0, 16.0, 32.0].map(|value| axis(true).at(value)), [100.0, 50.0, 0.0, 0.0]);
        assert_eq!([1.0, 8.5, 0.0].map(|value| axis(false).at(value)), [100.0, 50.0, 100.0]);
    }

    #[test]
    fn a_text_of_a_picture_is_no_markup() {
        let mut picture = Picture::new(10.0, 5.0, "role=\"img\"");
        picture.title("<&");
        picture.text((1.0, 2.25), "end", BLUE, "\"<");
        let head =
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 10 5\" role=\"img\">\n<title>&lt;&amp;</title>\n";
        let text = "<text x=\"1.0\" y=\"2.2\" text-anchor=\"end\" fill=\"#0072b2\">&quot;&lt;</text>\n</svg>\n";
        assert_eq!(picture.end(), format!("{head}{text}"));
    }

    #[test]
    fn a_page_may_replace_ink_and_paper_and_a_file_has_colours() {
        let mut picture = Picture::new(10.0, 5.0, "");
        picture.rect((0.0, 0.0), (10.0, 5.0), PAPER);
        picture.link("#there", |picture| picture.text((1.0, 2.0), "end", INK, "x"));
        picture.line(&[(0.0, 0.0)], GRID, 1.0);
        let text = picture.end();
        for part in
            ["fill=\"#ffffff\" class=\"paper\"/>", "<a href=\"#there\">\n<text", "stroke=\"#d5dade\" class=\"grid\""]
        {
            assert!(text.contains(part), "{part}");
        }
        let style = include_str!("style.css");
        assert!(["ink", "paper", "grid"].iter().all(|class| style.contains(&format!("svg .{class} {{"))));
    }
}
