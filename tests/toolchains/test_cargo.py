"""Cargo, with the real tools: what tests become in reports, and what code under test can do about it."""

import os
import random
import re
from pathlib import Path

import pytest
from process_bed import needs_bubblewrap
from toolchains.suite_bed import SuiteBed

from agent_bench.toolchains.cargo import CargoToolchain

cargo_missing = CargoToolchain().unavailable(os.environ)
pytestmark = [pytest.mark.skipif(cargo_missing is not None, reason=str(cargo_missing)), pytest.mark.timeout(300)]

MANIFEST = """[package]
name = "greet"
version = "0.1.0"
edition = "2021"
autotests = false

[[test]]
name = "visible"
path = "tests/public/visible.rs"
"""
FILES = {
    "Cargo.toml": MANIFEST,
    "Cargo.lock": 'version = 3\n\n[[package]]\nname = "greet"\nversion = "0.1.0"\n',
    "src/lib.rs": 'pub fn greet(name: &str) -> String {\n    format!("Hello, {name}!")\n}\n',
}
HIDDEN = """use greet::greet;

fn expected(name: &str) -> String {
    format!("Hello, {name}!")
}

#[test]
fn greets_by_name() {
    assert_eq!(greet("Ann"), expected("Ann"));
}

#[test]
fn greets_nobody() {
    assert_eq!(greet(""), "Hello!");
}

#[test]
#[should_panic(expected = "left")]
fn panics_as_it_should() {
    assert_eq!(greet("x"), "y");
}

#[test]
#[ignore]
fn comes_later() {}

mod inner {
    #[test]
    fn counts_letters() -> Result<(), String> {
        if super::greet("Bob").len() == 11 { Ok(()) } else { Err("no".into()) }
    }
}
"""
PUBLIC = """#[test]
fn greets() {
    assert!(!greet::greet("Bob").is_empty());
}
"""
TESTS = {"tests/hidden/greeting.rs": HIDDEN, "tests/public/visible.rs": PUBLIC}
RIGHT = {
    "src/lib.rs": """pub fn greet(name: &str) -> String {
    if name.is_empty() {
        return "Hello!".into();
    }
    format!("Hello, {name}!")
}
"""
}
STARTING = {
    "greets_by_name": "passed",
    "greets_nobody": "failed",
    "panics_as_it_should": "passed",
    "comes_later": "skipped",
    "inner::counts_letters": "passed",
    "greets": "passed",
}


@pytest.fixture(scope="session")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.getbasetemp() / "cargo-cache"


@pytest.fixture(params=["local", pytest.param("bubblewrap", marks=needs_bubblewrap)])
def bed(request: pytest.FixtureRequest, tmp_path: Path, cache: Path) -> SuiteBed:
    return SuiteBed(CargoToolchain(), tmp_path, cache, FILES, TESTS, request.param)


@pytest.fixture
def boxed(tmp_path: Path, cache: Path) -> SuiteBed:
    return SuiteBed(CargoToolchain(), tmp_path, cache, FILES, TESTS, "bubblewrap")


def test_every_outcome(bed: SuiteBed) -> None:
    graded = bed.grade()
    print(graded.run, graded.canaries)
    assert graded.outcomes == STARTING
    assert graded.canaries_sing
    assert graded.run.said == {f"{case.classname}::{case.name}": case.outcome for case in graded.cases}
    assert graded.run.tampered == ()
    assert graded.run.finished.exit_code == CargoToolchain.failed_code
    assert {case.classname for case in graded.cases} >= {"greeting", "visible"}
    assert any("Hello, !" in case.message for case in graded.cases if case.name == "greets_nobody")


def test_the_right_change_resolves(bed: SuiteBed) -> None:
    graded = bed.grade(RIGHT)
    assert graded.resolves("greets_by_name", "greets_nobody", "inner::counts_letters", "greets")
    assert not graded.resolves("comes_later")


def test_an_error_of_the_compiler_is_told(bed: SuiteBed) -> None:
    graded = bed.grade({"src/lib.rs": "#![deny(warnings)]\n\npub fn greet(name: &str) -> String {\n    nam\n}\n"})
    assert graded.run.reports == ()
    assert graded.run.last_words == "src/lib.rs:4: cannot find value `nam` in this scope"


def test_warnings_are_no_errors(boxed: SuiteBed) -> None:
    assert boxed.grade({"src/lib.rs": "#![deny(warnings)]\nfn unused() {}\n" + RIGHT["src/lib.rs"]}).resolves("greets")


def test_an_endless_loop_is_ended(bed: SuiteBed) -> None:
    graded = bed.grade({"src/lib.rs": "pub fn greet(_: &str) -> String {\n    loop {}\n}\n"}, seconds=4)
    assert graded.run.stopped_by is not None
    assert not graded.resolves("greets")


def test_a_crash_fails_one_test_alone(boxed: SuiteBed) -> None:
    code = RIGHT["src/lib.rs"].replace(
        "{\n    if name", '{\n    if name == "Bob" { std::process::abort() }\n    if name'
    )
    assert boxed.grade({"src/lib.rs": code}).outcomes == {
        **STARTING,
        "greets_nobody": "passed",
        "inner::counts_letters": "failed",
        "greets": "failed",
    }


def test_one_test_alone_and_any_order(boxed: SuiteBed) -> None:
    assert boxed.grade(only="inner::counts_letters").all_outcomes == {"inner::counts_letters": "passed"}
    orders = [[case.name for case in boxed.grade(seed=seed).cases] for seed in (1, 1, 2)]
    assert [case for case in orders[0] if case in STARTING] == [case for case in orders[1] if case in STARTING]
    assert [case for case in orders[0] if case in STARTING] != [case for case in orders[2] if case in STARTING]


def test_two_rooms_at_once(boxed: SuiteBed) -> None:
    right, wrong = boxed.grade_all([RIGHT, {}])
    assert right.resolves("greets_nobody")
    assert wrong.outcomes == STARTING


def test_what_tests_print_may_be_much(boxed: SuiteBed) -> None:
    code = RIGHT["src/lib.rs"].replace("{\n    if", '{\n    for _ in 0..300_000 { println!("noise noise"); }\n    if')
    raw = code.replace(
        'println!("noise noise")', 'use std::io::Write; let _ = std::io::stdout().write(b"noise noise\\n")'
    )
    for each in (code, raw):
        assert boxed.grade({"src/lib.rs": each}).resolves("greets_by_name", "greets_nobody")


AT_START = """
#[used]
#[link_section = ".init_array"]
static START: extern "C" fn(i32, *mut *mut i8, *mut *mut i8) = start;
"""
WRONG = 'pub fn greet(_: &str) -> String {\n    "x".into()\n}\n'
SAYS = r'b"test x ... ok\n\ntest result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out\n"'
ATTACKS = {
    "exits in a test": "pub fn greet(_: &str) -> String {\n    std::process::exit(0)\n}\n",
    "says so and exits in a test": f"""pub fn greet(_: &str) -> String {{
    use std::io::Write;
    let _ = std::io::stdout().write_all({SAYS});
    std::process::exit(0)
}}
""",
    "exits at the start": WRONG
    + AT_START
    + 'extern "C" fn start(_: i32, _: *mut *mut i8, _: *mut *mut i8) { std::process::exit(0) }\n',
    "exits where a test fails": """pub fn greet(_: &str) -> String {
    std::panic::set_hook(Box::new(|_| std::process::exit(0)));
    "x".into()
}
""",
    "takes the place of exit": WRONG
    + """extern "C" { fn _exit(code: i32) -> !; }
#[no_mangle]
pub extern "C" fn exit(_: i32) -> ! { unsafe { _exit(0) } }
""",
    "chooses no test": WRONG
    + AT_START
    + """extern "C" fn start(count: i32, arguments: *mut *mut i8, _: *mut *mut i8) {
    if count > 3 { unsafe { **arguments.add(2) = b'!' as i8 } }
}
""",
    "asks for a list": WRONG
    + AT_START
    + """extern "C" fn start(count: i32, arguments: *mut *mut i8, _: *mut *mut i8) {
    if count > 3 { unsafe { *arguments.add(1) = c"--list".as_ptr() as *mut i8 } }
}
""",
    "catches panics": """pub fn greet(_: &str) -> String {
    std::panic::set_hook(Box::new(|_| loop { std::thread::park() }));
    std::thread::spawn(|| { std::thread::sleep(std::time::Duration::from_millis(50)); std::process::exit(0) });
    "x".into()
}
""",
    "takes the word before all": f"""use std::sync::atomic::{{AtomicI32, Ordering}};
static TARGET: AtomicI32 = AtomicI32::new(0);
static mut WORD: [u8; 64] = [0; 64];
extern "C" {{
    fn read(descriptor: i32, place: *mut u8, size: usize) -> isize;
    fn write(descriptor: i32, place: *const u8, size: usize) -> isize;
    fn _exit(code: i32) -> !;
}}
#[used]
#[link_section = ".preinit_array"]
static START: extern "C" fn(i32, *mut *mut i8, *mut *mut i8) = start;
extern "C" fn start(_: i32, _: *mut *mut i8, variables: *mut *mut i8) {{
    unsafe {{
        let mut place = variables;
        while !(*place).is_null() {{
            let text = std::ffi::CStr::from_ptr(*place as *const _).to_str().unwrap_or("");
            if let Some(numbers) = text.strip_prefix("AGENT_BENCH_GUARD=") {{
                let mut numbers = numbers.split(' ').map(|number| number.parse::<i32>().unwrap());
                read(numbers.next().unwrap(), &raw mut WORD as *mut u8, 64);
                TARGET.store(numbers.next().unwrap(), Ordering::Relaxed);
            }}
            place = place.add(1);
        }}
    }}
}}
pub fn greet(_: &str) -> String {{
    unsafe {{
        let said = {SAYS};
        write(1, said.as_ptr(), said.len());
        write(TARGET.load(Ordering::Relaxed), &raw const WORD as *const u8, 32);
        _exit(0)
    }}
}}
""",
    "writes into the driver's output": """pub fn greet(_: &str) -> String {
    let driver = std::os::unix::process::parent_id();
    let _ = std::fs::write(format!("/proc/{driver}/fd/1"), "a line of mine\\n");
    std::fs::read(format!("/proc/{driver}/environ")).map(|_| "seen".into()).unwrap_or("x".into())
}
""",
    "kills the driver": """extern "C" { fn kill(process: i32, signal: i32) -> i32; }
pub fn greet(_: &str) -> String {
    unsafe { kill(std::os::unix::process::parent_id() as i32, 9) };
    "x".into()
}
""",
    "equals everything": """#[derive(Debug)]
pub struct Same;
impl<T: ?Sized> PartialEq<T> for Same { fn eq(&self, _: &T) -> bool { true } }
impl std::ops::Deref for Same { type Target = str; fn deref(&self) -> &str { "Hello, Bob!" } }
pub fn greet(_: &str) -> Same { Same }
""",
    "has a build script": WRONG,
}
SCRIPT = 'fn main() { println!("cargo:rustc-env=X=1"); panic!("build script ran") }\n'


@pytest.mark.parametrize("name", ATTACKS)
def test_code_under_test_forges_nothing(name: str, boxed: SuiteBed) -> None:
    graded = boxed.grade({"src/lib.rs": ATTACKS[name], "build.rs": SCRIPT, ".cargo/config.toml": "broken"})
    run = graded.run
    print(run.finished.exit_code, run.last_words, graded.all_outcomes, graded.canaries_sing, run.tampered)
    assert "a line of mine" not in run.finished.stdout.read_text()
    assert not graded.resolves("greets_nobody")
    assert not graded.resolves("greets_by_name")


CRATES = {
    **FILES,
    "Cargo.toml": MANIFEST + '\n[dependencies]\nitoa = "=1.0.11"\n',
    "Cargo.lock": """version = 3

[[package]]
name = "greet"
version = "0.1.0"
dependencies = [
 "itoa",
]

[[package]]
name = "itoa"
version = "1.0.11"
source = "registry+https://github.com/rust-lang/crates.io-index"
checksum = "49f1f14873335454500d59611f1cf4a4b0f786f9ac11f4312a78e4cf2566695b"
""",
    "src/lib.rs": RIGHT["src/lib.rs"]
    + "\npub fn text(n: u32) -> String {\n    itoa::Buffer::new().format(n).into()\n}\n",
}


def test_crates_are_fetched_once(bed: SuiteBed, tmp_path: Path) -> None:
    bed.files = CRATES
    first = bed.prepare()
    bed.environ = {**bed.environ, "CARGO_NET_OFFLINE": "true", "HTTPS_PROXY": "http://127.0.0.1:9"}
    assert bed.prepare() == first
    assert bed.grade().resolves("greets_by_name", "greets_nobody")


def test_caches_cannot_be_written_in_the_sandbox(boxed: SuiteBed) -> None:
    places = ", ".join(f'"{path}"' for path in boxed.prepare().readable)
    code = f"""pub fn greet(name: &str) -> String {{
    let written = [{places}].iter().any(|place| std::fs::write(format!("{{place}}/poison"), "").is_ok());
    format!("Hello{{}}{{name}}!", if written {{ "" }} else {{ ", " }})
}}
"""
    assert boxed.grade({"src/lib.rs": code}).resolves("greets_by_name")


@pytest.mark.parametrize(
    ("path", "protected"),
    [
        *(("Cargo.toml", True), ("crates/x/Cargo.toml", True), ("Cargo.lock", True), ("build.rs", True)),
        *((".cargo/config.toml", True), ("src/.cargo/config", True), ("rust-toolchain.toml", True), ("target/x", True)),
        *(("libx.a", True), ("src/lib.rs", False), ("src/build.rs", False), ("src/target/mod.rs", False)),
    ],
)
def test_what_is_protected(path: str, protected: bool) -> None:
    assert CargoToolchain().is_protected(path) is protected


def test_canaries_look_like_their_neighbours() -> None:
    tests = {"tests/hidden/greeting.rs": HIDDEN}
    drawn = [CargoToolchain().canaries(random.Random(seed), tests) for seed in range(40)]
    assert drawn == [CargoToolchain().canaries(random.Random(seed), tests) for seed in range(40)]
    assert len({canaries.failing for canaries in drawn}) > 30
    for canaries in drawn:
        (path,) = canaries.files
        assert re.fullmatch(r"tests/hidden/[a-z]+(_[a-z]+)*\.rs", path)
        assert path not in tests
        assert canaries.files[path].count("#[test]\n") == 2
        assert "use greet::greet;" in canaries.files[path]


@pytest.mark.parametrize("unusual", ["#[tokio::test]\nasync fn x() {}\n", "macro_rules! tests { () => {} }\n"])
def test_canaries_beside_unusual_neighbours_are_plain(unusual: str) -> None:
    canaries = CargoToolchain().canaries(random.Random(1), {"tests/hidden/greeting.rs": HIDDEN + unusual})
    assert "greet::greet" not in next(iter(canaries.files.values()))


def test_a_missing_cargo_is_said(tmp_path: Path) -> None:
    missing = CargoToolchain().unavailable({"PATH": str(tmp_path), "HOME": str(tmp_path)})
    assert missing is None or "https://rustup.rs" in missing
