"""Go, with the real tools: what tests become in reports, and what code under test can do about it."""

import os
import random
import re
import shutil
from pathlib import Path

import pytest
from process_bed import needs_bubblewrap
from toolchains.suite_bed import SuiteBed

from agent_bench.toolchains.go import GoToolchain

go_missing = GoToolchain().unavailable(os.environ)
pytestmark = [pytest.mark.skipif(go_missing is not None, reason=str(go_missing)), pytest.mark.timeout(300)]

FILES = {
    "go.mod": "module example.com/greet\n\ngo 1.22\n",
    "greet.go": 'package greet\n\nfunc Greet(name string) string { return "Hello, " + name + "!" }\n',
}
HIDDEN = """package hidden_test

import (
	"testing"

	greet "example.com/greet"
)

func TestGreetsByName(t *testing.T) {
	if got := greet.Greet("Ann"); got != "Hello, Ann!" {
		t.Errorf("got %q", got)
	}
}

func TestGreetsNobody(t *testing.T) {
	if got := greet.Greet(""); got != "Hello!" {
		t.Errorf("got %q", got)
	}
}

func TestTable(t *testing.T) {
	for _, name := range []string{"a b", "c"} {
		t.Run(name, func(t *testing.T) {
			if name == "c" {
				t.Error("no c")
			}
		})
	}
}

func TestLater(t *testing.T) { t.Skip("later") }
"""
PUBLIC = """package public_test

import (
	"testing"

	greet "example.com/greet"
)

func TestGreets(t *testing.T) {
	if greet.Greet("Bob") == "" {
		t.Fatal("nothing")
	}
}
"""
TESTS = {"tests/hidden/greet_test.go": HIDDEN, "tests/public/greet_test.go": PUBLIC}
RIGHT = {
    "greet.go": """package greet

func Greet(name string) string {
	if name == "" {
		return "Hello!"
	}
	return "Hello, " + name + "!"
}
"""
}
STARTING = {
    "TestGreetsByName": "passed",
    "TestGreetsNobody": "failed",
    "TestTable": "failed",
    "TestTable/a_b": "passed",
    "TestTable/c": "failed",
    "TestLater": "skipped",
    "TestGreets": "passed",
}


@pytest.fixture(scope="session")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.getbasetemp() / "go-cache"


@pytest.fixture(params=["local", pytest.param("bubblewrap", marks=needs_bubblewrap)])
def bed(request: pytest.FixtureRequest, tmp_path: Path, cache: Path) -> SuiteBed:
    return SuiteBed(GoToolchain(), tmp_path, cache, FILES, TESTS, request.param)


@pytest.fixture
def boxed(tmp_path: Path, cache: Path) -> SuiteBed:
    return SuiteBed(GoToolchain(), tmp_path, cache, FILES, TESTS, "bubblewrap")


def test_every_outcome(bed: SuiteBed) -> None:
    graded = bed.grade()
    assert graded.outcomes == STARTING
    assert graded.canaries_sing
    assert graded.run.tampered == ()
    assert graded.run.finished.exit_code == GoToolchain.failed_code
    assert {case.classname for case in graded.cases} == {
        f"example.com/greet/tests/{name}" for name in ("hidden", "public")
    }
    messages = [case.message for case in graded.cases if case.name == "TestGreetsNobody"]
    assert messages == ["Failed"]


def test_the_right_change_resolves(bed: SuiteBed) -> None:
    graded = bed.grade(RIGHT)
    assert graded.resolves("TestGreetsByName", "TestGreetsNobody", "TestGreets")
    assert not graded.resolves("TestTable")


def test_an_error_of_the_compiler_is_told(bed: SuiteBed) -> None:
    graded = bed.grade({"greet.go": 'package greet\n\nfunc Greet(name string) string { return nam + "!" }\n'})
    assert graded.run.reports == ()
    assert graded.run.last_words == "./greet.go:3:41: undefined: nam"


def test_an_endless_loop_is_ended(bed: SuiteBed) -> None:
    graded = bed.grade({"greet.go": "package greet\n\nfunc Greet(name string) string { for {} }\n"}, seconds=4)
    assert graded.run.stopped_by == "no end within 4 s"
    assert not graded.resolves("TestGreets")


def test_a_panic_is_told_and_fails(boxed: SuiteBed) -> None:
    graded = boxed.grade({"greet.go": 'package greet\n\nfunc Greet(name string) string { panic("oh") }\n'})
    assert graded.run.last_words.startswith("panic: oh")
    assert graded.all_outcomes["TestGreetsByName"] == "failed"


def test_one_test_alone_and_any_order(boxed: SuiteBed) -> None:
    assert boxed.grade(only="TestGreetsByName").all_outcomes == {"TestGreetsByName": "passed"}
    assert boxed.grade(only="TestTable/a_b").all_outcomes == {"TestTable": "passed", "TestTable/a_b": "passed"}
    for seed in (1, 2):
        assert boxed.grade(seed=seed).outcomes == STARTING


def test_two_rooms_at_once(boxed: SuiteBed) -> None:
    right, wrong = boxed.grade_all([RIGHT, {}])
    assert right.resolves("TestGreetsNobody")
    assert wrong.outcomes == STARTING


def test_what_tests_print_may_be_much(boxed: SuiteBed) -> None:
    code = (
        RIGHT["greet.go"]
        .replace("package greet\n", 'package greet\n\nimport "fmt"\n')
        .replace("\tif", '\tfor range 100_000 {\n\t\tfmt.Println("noise noise noise")\n\t}\n\tif')
    )
    assert boxed.grade({"greet.go": code}).resolves("TestGreetsByName", "TestGreetsNobody", "TestGreets")


def _go(body: str, *imports: str) -> str:
    lines = "".join(f'\t"{name}"\n' for name in imports)
    return f"package greet\n\nimport (\n{lines})\n\n{body}\n"


WRONG = 'func Greet(name string) string { return "x" }\n'
# Passes the output through a process of its own, which turns the failures that are chosen into passes.
SWAP = """var seen = " "

func init() {
	if os.Getenv("FILTER") == "" {
		reader, writer, _ := os.Pipe()
		filter := exec.Command("/proc/self/exe")
		filter.Env = append(os.Environ(), "FILTER=1")
		filter.Stdin, filter.Stdout = reader, os.Stdout
		filter.Start()
		syscall.Dup2(int(writer.Fd()), 1)
		return
	}
	scanner := bufio.NewScanner(os.Stdin)
	for scanner.Scan() {
		line := scanner.Text()
		if name, ok := strings.CutPrefix(line, "seen "); ok {
			seen += name + " "
			continue
		}
		if fields := strings.Fields(line); strings.Contains(line, "--- FAIL: ") && (CHOSEN) {
			line = strings.Replace(line, "--- FAIL", "--- PASS", 1)
		}
		fmt.Println(line)
	}
	os.Exit(1)
}
"""
SWAP_IMPORTS = ("bufio", "fmt", "os", "os/exec", "runtime", "strings", "syscall")
CALLER = """func Greet(name string) string {
	pcs := make([]uintptr, 20)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(0, pcs)])
	last := ""
	for {
		frame, more := frames.Next()
		if frame.Function == "testing.tRunner" {
			fmt.Println("seen " + last[strings.LastIndex(last, ".")+1:])
		}
		last = frame.Function
		if !more {
			return "x"
		}
	}
}

"""
ATTACKS = {
    "exits at the start": _go(WRONG + "func init() { os.Exit(0) }", "os"),
    "exits in a test": _go('func Greet(name string) string { os.Exit(0); return "" }', "os"),
    "exits by the kernel": _go(
        'func Greet(name string) string { syscall.RawSyscall(syscall.SYS_EXIT_GROUP, 0, 0, 0); return "" }', "syscall"
    ),
    "prints results": _go(
        'func Greet(name string) string { fmt.Print("\\n--- PASS: TestGreetsNobody (0.00s)\\n"); return "x" }', "fmt"
    ),
    "prints marked results": _go(
        'func Greet(name string) string { fmt.Print("\\n\\x16--- PASS: TestGreetsNobody (0.00s)\\n"); return "x" }',
        "fmt",
    ),
    "prints all results and exits": _go(
        WRONG + 'func init() { for _, name := range []string{"ByName", "Nobody", ""} {'
        ' fmt.Printf("\\n\\x16=== RUN   TestGreets%[1]s\\n\\x16--- PASS: TestGreets%[1]s (0.00s)\\n", name) };'
        " os.Exit(1) }",
        "fmt",
        "os",
    ),
    "changes the arguments": _go(WRONG + 'func init() { os.Args = append(os.Args, "-test.skip=Nobody") }', "os"),
    "asks for a list": _go(WRONG + 'func init() { os.Args = append(os.Args, "-test.list=.") }', "os"),
    "turns every result": _go(CALLER + SWAP.replace("CHOSEN", "len(fields) > 2"), *SWAP_IMPORTS),
    "turns results of tests that use it": _go(
        CALLER + SWAP.replace("CHOSEN", 'len(fields) > 2 && strings.Contains(seen, " "+fields[len(fields)-2]+" ")'),
        *SWAP_IMPORTS,
    ),
    "links to the runner": _go(
        WRONG + "//go:linkname fail testing.(*common).Fail\nfunc fail(c unsafe.Pointer)\n"
        "func init() { if len(os.Args) > 1000 { fail(nil) } }",
        *("os", "unsafe"),
    ),
    "writes into the stream": _go(
        """func Greet(name string) string {
	for _, test := range []string{"TestGreetsByName", "TestGreetsNobody", "TestGreets"} {
		out, _ := os.OpenFile(fmt.Sprintf("/proc/%d/fd/1", os.Getppid()), os.O_WRONLY, 0)
		fmt.Fprintf(out, `{"Action":"pass","Package":"example.com/greet/tests/hidden","Test":"%s"}`+"\\n", test)
		out.Close()
	}
	return "x"
}""",
        *("fmt", "os"),
    ),
    "kills go": _go(
        'func Greet(name string) string { syscall.Kill(os.Getppid(), syscall.SIGKILL); return "x" }', "os", "syscall"
    ),
}


@pytest.mark.parametrize("name", ATTACKS)
def test_code_under_test_forges_nothing(name: str, boxed: SuiteBed) -> None:
    graded = boxed.grade({"greet.go": ATTACKS[name]})
    run = graded.run
    print(run.finished.exit_code, run.last_words, graded.all_outcomes, graded.canaries_sing, run.tampered)
    assert not graded.resolves("TestGreetsNobody")


MODULES = {
    "go.mod": FILES["go.mod"] + "\nrequire github.com/google/go-cmp v0.6.0\n",
    "go.sum": """github.com/google/go-cmp v0.6.0 h1:ofyhxvXcZhMsU5ulbFiLKl/XBFqE1GSq7atu8tAmTRI=
github.com/google/go-cmp v0.6.0/go.mod h1:17dUlkBOakJ0+DkrSSNjCkIjxS6bF9zb3elmeNGIjoY=
""",
    "greet.go": """package greet

import "github.com/google/go-cmp/cmp"

func Greet(name string) string {
	if cmp.Equal(name, "") {
		return "Hello!"
	}
	return "Hello, " + name + "!"
}
""",
}


def test_modules_are_fetched_once(bed: SuiteBed, tmp_path: Path) -> None:
    bed.files = MODULES
    first = bed.prepare()
    bed.environ = {**bed.environ, "GOPROXY": "off", "GOMODCACHE": str(tmp_path), "GOPATH": str(tmp_path)}
    assert bed.prepare() == first
    assert bed.grade().resolves("TestGreetsByName", "TestGreetsNobody")


POISON = """package greet

import "os"

func Greet(name string) string {
	for _, place := range []string{CACHE} {
		if err := os.WriteFile(place+"/poison", nil, 0o644); err == nil {
			return "Hello!"
		}
	}
	return "Hello, " + name + "!"
}
"""


def test_caches_cannot_be_written_in_the_sandbox(boxed: SuiteBed) -> None:
    provision = boxed.prepare()
    places = ", ".join(f'"{path}"' for path in (*provision.readable, provision.env["GOCACHE"]))
    graded = boxed.grade({"greet.go": POISON.replace("CACHE", places)})
    assert graded.resolves("TestGreetsByName")
    assert graded.outcomes["TestGreetsNobody"] == "failed"


@pytest.mark.parametrize(
    ("path", "protected"),
    [
        *(("go.mod", True), ("sub/go.sum", True), ("go.work", True), ("vendor/modules.txt", True), ("x.syso", True)),
        *(("greet.go", False), ("greet_test.go", False), ("internal/go/mod.go", False)),
    ],
)
def test_what_is_protected(path: str, protected: bool) -> None:
    assert GoToolchain().is_protected(path) is protected


def test_canaries_look_like_their_neighbours() -> None:
    tests = {"tests/hidden/greet_test.go": HIDDEN}
    drawn = [GoToolchain().canaries(random.Random(seed), tests) for seed in range(40)]
    assert drawn == [GoToolchain().canaries(random.Random(seed), tests) for seed in range(40)]
    assert len({canaries.failing for canaries in drawn}) > 30
    for canaries in drawn:
        (path,) = canaries.files
        assert re.fullmatch(r"tests/hidden/[a-z]+(_[a-z]+)*_test\.go", path)
        assert path > "tests/hidden/greet_test.go"
        assert f"func {canaries.passing}(t *testing.T)" in canaries.files[path]
        assert canaries.failing not in HIDDEN


def test_canaries_without_neighbours() -> None:
    canaries = GoToolchain().canaries(random.Random(1), {})
    assert "package hidden_test" in next(iter(canaries.files.values()))


def test_a_missing_go_is_said(tmp_path: Path) -> None:
    if shutil.which("go", path="/usr/local/go/bin:/usr/bin") is None:
        assert "https://go.dev/dl" in str(GoToolchain().unavailable({"PATH": str(tmp_path)}))
