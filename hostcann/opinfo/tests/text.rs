//! The text of both forms: how converters read and write it, and what no library is.

use opinfo::{Library, Origin, Profile, Rule, write_ini, write_json};

fn ini(text: &str) -> Library {
    Library::of(text.as_bytes(), Origin::Ini)
}

fn rules(bytes: &[u8], origin: Origin) -> Vec<Rule> {
    Library::of(bytes, origin).check(Profile::Any).into_iter().map(|finding| finding.rule).collect()
}

/// Python: json.dump(sort_keys=True, indent=4, separators=(',', ':')), without an end of line.
#[test]
fn json_has_the_bytes_of_the_converter() {
    let text = "[B]\nopFile.value=b\nkernelSrc.value=b.cpp\ninput0.name=x\ninput0.dtype=int8\n\n[A]\n[\u{c4}]\na.b=\u{e4}\u{1f600}\\\"\u{7f}\u{1}\n";
    let want = r#"{
    "A":{},
    "B":{
        "input0":{
            "dtype":"int8",
            "name":"x"
        },
        "opFile":{
            "value":"b"
        }
    },
    "\u00c4":{
        "a":{
            "b":"\u00e4\ud83d\ude00\\\""#;
    assert_eq!(write_json(&ini(text).ops), format!("{want}\u{7f}\\u0001\"\n        }}\n    }}\n}}"));
    assert_eq!(write_json(&[]), "{}");
}

/// op_build: tensors, attributes by the list, flags, keys of the author, defaults, names.
#[test]
fn ini_has_the_order_of_op_build() {
    let text = "[Op]
input0.name=x
input0.dtype=int8
input0.for_bin_dtype=int8
input0.format=ND
input0.unknownshape_format=ND
input0.shape=all
input0.paramType=required
input0.valueDepend=optional
input10.name=a
input2.name=b
output0.name=y
output0.initValue=0
attr.list=z,a
attr_z.type=int
attr_z.value=all
attr_z.paramType=optional
attr_z.defaultValue=0
attr_a.type=bool
dynamicCompileStatic.flag=true
dynamicFormat.flag=true
dynamicRankSupport.flag=true
dynamicShapeSupport.flag=true
needCheckSupport.flag=false
precision_reduce.flag=true
rangeLimit.value=limited
softsync.flag=true
aclnnSupport.value=support_aclnn
prebuildPattern.value=Opaque
coreType.value=AiCore
jitCompile.flag=false
opFile.value=op
opInterface.value=op
mc2.ctx=mc2_context_0
";
    let text = text.replace("input10.name=a\ninput2.name=b\n", "input2.name=b\ninput10.name=a\n");
    let json = write_json(&ini(&text).ops);
    assert_eq!(write_ini(&Library::of(json.as_bytes(), Origin::Json).ops), Ok(text));
}

#[test]
fn what_an_ini_file_cannot_hold() {
    for entry in
        [r#""a.b":{"c":"d"}"#, r#""a":{"b=":"d"}"#, r#""a":{"b":"c\nd"}"#, r#""a":{"b":"c "}"#, r##""#a":{"b":"c"}"##]
    {
        let json = format!("{{\"Op\":{{{entry}}}}}");
        let error = write_ini(&Library::of(json.as_bytes(), Origin::Json).ops).expect_err(entry);
        assert!(error.starts_with("[Op] ") && error.ends_with(" cannot stand in an ini file"), "{error}");
    }
}

/// Python's text files end lines with LF, CR LF or CR, and the converter takes blanks off their ends.
#[test]
fn line_ends() {
    let plain = "[A]\nop.pattern=reduce\nheavyOp.flag=true\n";
    let want = ini(plain).ops;
    for text in [
        plain.replace('\n', "\r\n"),
        plain.replace('\n', "\r"),
        plain.replace('\n', " \t\u{1c}\n"),
        plain.trim_end().to_owned(),
    ] {
        assert_eq!(ini(&text).ops, want, "{text:?}");
        assert_eq!(rules(text.as_bytes(), Origin::Ini), [], "{text:?}");
    }
}

#[test]
fn no_library() {
    let deep = "[".repeat(100_000);
    let objects = "{\"a\":".repeat(100_000);
    let cases: &[(&[u8], Origin, Rule)] = &[
        (b"\x7fELF\x02\x01\x01\0\0\0", Origin::Ini, Rule::NotText),
        (b"\x7fELF\x02\x01\x01\0\0\0", Origin::Json, Rule::NotText),
        (b"[A]\nop.pattern=\xff\xfe", Origin::Ini, Rule::NotText),
        (b"", Origin::Ini, Rule::NoOp),
        (b"\n\n", Origin::Ini, Rule::NoOp),
        (b"", Origin::Json, Rule::NotJson),
        (b"{}", Origin::Json, Rule::NoOp),
        (b"[]", Origin::Json, Rule::JsonShape),
        (b"{\"A\": []}", Origin::Json, Rule::JsonShape),
        (b"{\"A\": {}} {", Origin::Json, Rule::NotJson),
        (b"{\"A\": {},}", Origin::Json, Rule::NotJson),
        (b"{'A': {}}", Origin::Json, Rule::NotJson),
        (b"{\"A\": {\"b\": {\"c\": \"\\x\"}}}", Origin::Json, Rule::NotJson),
        (b"{\"A\": {\"b\": {\"c\": \"\\ud800\"}}}", Origin::Json, Rule::NotJson),
        (b"{\"A\": {\"b\": {\"c\": \"\\u12", Origin::Json, Rule::NotJson),
        (b"{\"A\": {\"b\": {\"c\": \"\n\"}}}", Origin::Json, Rule::NotJson),
        (b"{\"A\": 01}", Origin::Json, Rule::NotJson),
        (b"{\"A\": 1.}", Origin::Json, Rule::NotJson),
        (b"{\"A\": nul}", Origin::Json, Rule::NotJson),
        (deep.as_bytes(), Origin::Json, Rule::NotJson),
        (objects.as_bytes(), Origin::Json, Rule::NotJson),
    ];
    for (bytes, origin, rule) in cases {
        let shown = String::from_utf8_lossy(&bytes[..bytes.len().min(30)]).into_owned();
        assert!(rules(bytes, *origin).contains(rule), "{shown:?}: {:?}", rules(bytes, *origin));
    }
}

#[test]
fn repeated_keys_in_json() {
    let text = "{\"A\": {\"op\": {\"pattern\": \"reduce\",\n \"pattern\": \"broadcast\"}},\n\"A\": {\"op\": {\"pattern\": \"reduce\"}}}";
    let findings = Library::of(text.as_bytes(), Origin::Json).check(Profile::Any);
    let found: Vec<(Rule, usize)> = findings.iter().map(|finding| (finding.rule, finding.line)).collect();
    assert_eq!(found, [(Rule::KeyTwice, 2), (Rule::OpTwice, 3)]);
}

#[test]
fn files_are_what_their_names_say() {
    let dir = tempfile::tempdir().expect("dir");
    let at = |name: &str| dir.path().join(name);
    for name in ["a.ini", "a.json", "a.txt"] {
        std::fs::write(at(name), "{\"A\": {\"op\": {\"pattern\": \"reduce\"}}}").expect("write");
    }
    let origin = |name: &str| Library::load(&at(name)).expect("read").origin;
    assert_eq!([origin("a.ini"), origin("a.json"), origin("a.txt")], [Origin::Ini, Origin::Json, Origin::Json]);
    std::os::unix::fs::symlink(at("loop.ini"), at("loop.ini")).expect("link");
    assert!(Library::load(&at("loop.ini")).is_err() && Library::load(dir.path()).is_err());
    let huge = std::fs::File::create(at("huge.ini")).expect("create");
    huge.set_len(opinfo::MOST_BYTES + 1).expect("length");
    let error = Library::load(&at("huge.ini")).expect_err("huge").to_string();
    assert_eq!(error, "it has more than 64 MiB and is no op information library");
}

/// xorshift
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % end as u64) as usize
    }

    fn word(&mut self) -> String {
        const LETTERS: [&str; 12] = ["a", "B", "7", "_", "\u{e4}", "\u{1f600}", "\"", "\\", "[", ",", " ", "{"];
        let mut word = String::from("w");
        for _ in 0..self.below(6) {
            word.push_str(LETTERS[self.below(LETTERS.len())]);
        }
        word + "x"
    }
}

/// Any entries, in any order: JSON -> ini -> JSON gives the bytes back, and ini -> JSON -> ini from then on, too.
#[test]
fn everything_comes_back() {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    for _ in 0..300 {
        let mut text = String::new();
        for op in 0..1 + random.below(3) {
            text.push_str(&format!("[Op{op}{}]\n", random.word().replace(['[', ']'], "")));
            let mut seen = Vec::new();
            for _ in 0..random.below(12) {
                let number = random.below(12);
                let group = match random.below(6) {
                    0 => format!("input{number}"),
                    1 => format!("output{number}"),
                    2 => "attr".to_owned(),
                    3 => format!("attr_{}", random.word()),
                    4 => "dynamicFormat".to_owned(),
                    _ => random.word(),
                };
                let key = if random.below(2) == 0 { "name".to_owned() } else { random.word() };
                let name = format!("{group}.{key}");
                if !seen.contains(&name) {
                    text.push_str(&format!("{name}={}\n", random.word()));
                    seen.push(name);
                }
            }
        }
        let ops = ini(&text).ops;
        let json = write_json(&ops);
        let back = Library::of(json.as_bytes(), Origin::Json);
        assert_eq!(write_json(&back.ops), json, "{text}");
        let canonical = write_ini(&back.ops).expect("ini");
        let again = ini(&canonical).ops;
        assert_eq!(write_json(&again), json, "{text}");
        assert_eq!(write_ini(&again), Ok(canonical));
        // Nothing panics, whatever it says.
        let _ = (ini(&text).check(Profile::Any), back.check(Profile::Tbe));
        for op in &back.ops {
            assert_eq!(opinfo::diff_operators(op, op), []);
        }
    }
}

/// Any bytes: an answer, no panic.
#[test]
fn any_bytes() {
    let mut random = Random(42);
    let seed = b"[A]\r\ninput0.name=x\n{\"A\": {\"b\": {\"c\": \"\\u00e4\", 1e5}]";
    for _ in 0..3000 {
        let mut bytes = seed.to_vec();
        for _ in 0..random.below(6) {
            let at = random.below(bytes.len());
            match random.below(3) {
                0 => bytes[at] = random.below(256) as u8,
                1 => bytes.truncate(at.max(1)),
                _ => bytes.insert(at, b"[]{}\"\\.=:,\n"[random.below(11)]),
            }
        }
        for origin in [Origin::Ini, Origin::Json] {
            let library = Library::of(&bytes, origin);
            let _ = (library.check(Profile::Any), write_json(&library.ops), write_ini(&library.ops));
        }
        let text = String::from_utf8_lossy(&bytes);
        let _ = (opinfo::parse_protos(&text), opinfo::check_selection(&text, None, false));
    }
}
