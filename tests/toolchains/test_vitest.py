"""vitest, with the real tools: what tests become in reports, and what code under test can do about it."""

import os
import random
import re
import shutil
from pathlib import Path

import pytest
from process_bed import needs_bubblewrap
from toolchains.suite_bed import SuiteBed

from agent_bench.toolchains.vitest import VitestToolchain

node_missing = VitestToolchain().unavailable(os.environ)
pytestmark = [pytest.mark.skipif(node_missing is not None, reason=str(node_missing)), pytest.mark.timeout(300)]

FILES = {"src/greet.ts": "export function greet(name: string): string {\n  return `Hello, ${name}!`;\n}\n"}
HIDDEN = """import { describe, expect, it, test } from "vitest";
import { greet } from "../../src/greet";

test("greets by name", () => {
  expect(greet("Ann")).toBe("Hello, Ann!");
});

test("greets nobody", () => {
  expect(greet("")).toBe("Hello!");
});

describe("names", () => {
  describe("with \\"quotes\\" & <tags>", () => {
    it("keeps  two spaces, ünïcode 🎈", () => {
      expect(greet("Ünï")).toContain("Ünï");
    });
  });
  test.each(["a b", "c"])("of %s", (name) => {
    expect(name).toBe("a b");
  });
});

test("waits", async () => {
  await new Promise((resolve) => setTimeout(resolve, 5));
  expect(greet("Bob")).toBe("Hello, Bob!");
});

test("throws", () => {
  throw new TypeError("broken on purpose");
});

test.skip("later", () => {});
test.todo("some day");
test.fails("is known to fail", () => {
  expect(1).toBe(2);
});
"""
PUBLIC = """import { expect, it } from "vitest";
import { greet } from "../../src/greet.js";

it("greets", () => {
  expect(greet("Bob")).not.toBe("");
});
"""
TESTS = {"tests/hidden/greet.test.ts": HIDDEN, "tests/public/greet.test.ts": PUBLIC}
RIGHT = {
    "src/greet.ts": "export function greet(name: string): string {\n"
    "  return name === '' ? 'Hello!' : `Hello, ${name}!`;\n}\n"
}
QUOTED = 'names > with "quotes" & <tags> > keeps  two spaces, ünïcode 🎈'
STARTING = {
    "greets by name": "passed",
    "greets nobody": "failed",
    QUOTED: "passed",
    "names > of a b": "passed",
    "names > of c": "failed",
    "waits": "passed",
    "throws": "failed",
    "later": "skipped",
    "some day": "skipped",
    "is known to fail": "passed",
    "greets": "passed",
}
ALL = ("greets by name", "greets nobody", QUOTED, "waits", "greets")


@pytest.fixture(scope="session")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.getbasetemp() / "node-cache"


@pytest.fixture(params=["local", pytest.param("bubblewrap", marks=needs_bubblewrap)])
def bed(request: pytest.FixtureRequest, tmp_path: Path, cache: Path) -> SuiteBed:
    return SuiteBed(VitestToolchain(), tmp_path, cache, FILES, TESTS, request.param)


@pytest.fixture
def boxed(tmp_path: Path, cache: Path) -> SuiteBed:
    return SuiteBed(VitestToolchain(), tmp_path, cache, FILES, TESTS, "bubblewrap")


def test_every_outcome(bed: SuiteBed) -> None:
    graded = bed.grade()
    assert graded.outcomes == STARTING
    assert graded.canaries_sing
    assert graded.run.tampered == ()
    assert graded.run.finished.exit_code == VitestToolchain.failed_code
    assert {case.classname for case in graded.cases} >= set(TESTS)
    messages = [case.message for case in graded.cases if case.name == "greets nobody"]
    assert messages == ["expected 'Hello, !' to be 'Hello!' // Object.is equality"]


def test_the_right_change_resolves(bed: SuiteBed) -> None:
    graded = bed.grade(RIGHT)
    assert graded.resolves(*ALL)
    assert not graded.resolves("names > of c")
    assert not graded.resolves("later")


def test_javascript_is_graded_too(boxed: SuiteBed) -> None:
    boxed.files = {"greet.mjs": 'export const greet = (name) => name === "" ? "Hello!" : `Hello, ${name}!`;\n'}
    boxed.tests = {
        "tests/hidden/greet.spec.mjs": 'import { expect, test } from "vitest";\n'
        'import { greet } from "../../greet.mjs";\n\n'
        'test("greets nobody", () => {\n  expect(greet("")).toBe("Hello!");\n});\n'
    }
    graded = boxed.grade()
    assert graded.outcomes == {"greets nobody": "passed"}
    assert graded.resolves("greets nobody")


def test_what_does_not_compile_is_told(bed: SuiteBed) -> None:
    graded = bed.grade({"src/greet.ts": "export function greet(name: string): string {\n  return name +;\n}\n"})
    assert not graded.resolves("greets")
    assert "greet.ts" in graded.run.last_words, graded.run.last_words


def test_an_endless_loop_is_ended(bed: SuiteBed) -> None:
    graded = bed.grade({"src/greet.ts": "export function greet(): string {\n  for (;;) {}\n}\n"}, seconds=6)
    assert graded.run.stopped_by == "no end within 6 s"
    assert not graded.resolves("greets")


def test_one_test_alone_and_any_order(boxed: SuiteBed) -> None:
    for name in ("greets by name", QUOTED, "names > of a b"):
        alone = boxed.grade(only=name).all_outcomes
        assert {test for test, outcome in alone.items() if outcome != "skipped"} == {name}
    for seed in (1, 2):
        assert boxed.grade(seed=seed).outcomes == STARTING


def test_two_rooms_at_once(boxed: SuiteBed) -> None:
    right, wrong = boxed.grade_all([RIGHT, {}])
    assert right.resolves("greets nobody")
    assert wrong.outcomes == STARTING


def test_what_tests_print_may_be_much(boxed: SuiteBed) -> None:
    noise = '  for (let i = 0; i < 100_000; i++) console.log("noise noise noise");\n'
    code = RIGHT["src/greet.ts"].replace("{\n", "{\n" + noise, 1)
    assert boxed.grade({"src/greet.ts": code}).resolves(*ALL)


def test_packages_are_installed_once(bed: SuiteBed, tmp_path: Path) -> None:
    first = bed.prepare()
    bed.environ = {**bed.environ, "NPM_CONFIG_REGISTRY": "http://127.0.0.1:9", "NPM_CONFIG_CACHE": str(tmp_path / "n")}
    assert bed.prepare() == first
    assert not (bed.grade(RIGHT).tree / "node_modules").exists()


WRONG = 'export function greet(name: string): string {\n  return "x";\n}\n'
MATCHER = "{ $$typeof: Symbol.for('jest.asymmetricMatcher'), asymmetricMatch: () => true, toString: () => 'x' }"
ATTACKS = {
    "exits at the start": WRONG + "process.exit(0);\n",
    "exits for good": WRONG + "process.reallyExit(0);\n",
    "exits in a test": "export function greet(): string {\n  process.exit(0);\n}\n",
    "kills itself": WRONG + 'process.kill(process.pid, "SIGKILL");\n',
    "kills vitest": WRONG + 'process.kill(process.ppid, "SIGKILL");\n',
    "equals everything": f"export function greet(): any {{\n  return {MATCHER};\n}}\n",
    "changes the comparison": WRONG + "Object.is = () => true;\n",
    "changes the matchers": 'import { chai, expect } from "vitest";\n' + WRONG + """
for (const name of ["toBe", "toEqual", "toContain"]) {
  chai.util.overwriteMethod(chai.Assertion.prototype, name, () => function () {});
}
expect.extend({ toBe: () => ({ pass: true, message: () => "" }) });
""",
    "changes the tests": 'import { afterAll, afterEach, beforeEach } from "vitest";\n' + WRONG + """
afterEach((context) => {
  Object.assign(context.task.result ?? {}, { state: "pass", errors: [] });
});
beforeEach((context) => {
  context.task.fails = !context.task.fails;
});
""",
    "skips what fails": 'import { beforeEach } from "vitest";\n' + WRONG + """
beforeEach((context) => context.skip());
""",
    "declares tests of the same names": 'import { test } from "vitest";\n' + WRONG + """
for (const name of ["greets by name", "greets nobody", "greets"]) test(name, () => {});
""",
    "prints results": WRONG + """
console.log('<testcase name="greets nobody"/>');
const name = "tests/hidden/greet.test.ts::greets nobody";
process.stdout.write("\\n00000000 " + JSON.stringify({ test: name, outcome: "passed" }) + "\\n");
""",
    "writes the reports": 'import { readdirSync, writeFileSync } from "node:fs";\n' + WRONG + """
for (const folder of [process.env.HOME ?? "/", process.cwd()]) {
  for (const name of readdirSync(folder)) {
    if (name.endsWith(".xml")) writeFileSync(`${folder}/${name}`, "<testsuites/>");
  }
}
""",
    "sends results": WRONG + """
const names = ["greets by name", "greets nobody", "greets"];
const send = process.send?.bind(process);
send?.({ type: "onTaskUpdate", packs: names.map((name) => [name, { state: "pass" }, {}]) });
process.send = () => true;
""",
}  # fmt: skip


@pytest.mark.parametrize("name", ATTACKS)
def test_code_under_test_forges_nothing(name: str, boxed: SuiteBed) -> None:
    graded = boxed.grade({"src/greet.ts": ATTACKS[name]}, seconds=30)
    run = graded.run
    print(run.finished.exit_code, run.last_words, graded.all_outcomes, graded.canaries_sing, run.tampered)
    assert not graded.resolves("greets nobody")
    assert not graded.resolves("greets by name")


@pytest.mark.parametrize("name", ["equals everything", "changes the comparison"])
def test_what_was_noticed_is_said(name: str, boxed: SuiteBed) -> None:
    graded = boxed.grade({"src/greet.ts": ATTACKS[name]})
    messages = " ".join(case.message for case in graded.cases)
    assert "tampered: " in messages or graded.run.tampered


def test_packages_cannot_be_written_in_the_sandbox(boxed: SuiteBed) -> None:
    code = """import { writeFileSync } from "node:fs";

export function greet(name: string): string {
  for (const place of ["../node_modules/x", "../node_modules/vitest/x", "../graded/setup.mjs", "../graded/x"]) {
    try {
      writeFileSync(place, "");
      return "Hello!";
    } catch {}
  }
  return `Hello, ${name}!`;
}
"""
    graded = boxed.grade({"src/greet.ts": code})
    assert graded.resolves("greets by name")
    assert graded.outcomes["greets nobody"] == "failed"


def test_the_lock_file_of_a_task_is_installed(boxed: SuiteBed, tmp_path: Path) -> None:
    boxed.files = {**FILES, "package.json": '{"name": "x", "private": true}', "package-lock.json": "{"}
    with pytest.raises(Exception, match="npm ci: "):
        boxed.prepare()


@pytest.mark.parametrize(
    ("path", "protected"),
    [
        *(("vitest.config.ts", True), ("sub/vite.config.mjs", True), ("vitest.workspace.ts", True)),
        *(("package.json", True), ("package-lock.json", True), (".npmrc", True), (".env.local", True)),
        *(("tsconfig.json", True), ("tsconfig.base.json", True), ("jest.config.js", True), ("__mocks__/fs.ts", True)),
        *(("node_modules/vitest/index.js", True), ("src/node_modules/a/index.js", True)),
        *(("tests/__snapshots__/a.snap", True), ("postcss.config.cjs", True)),
        *(("src/greet.ts", False), ("src/vitest.ts", False), ("src/config.ts", False), ("docs/package.md", False)),
    ],
)
def test_what_is_protected(path: str, protected: bool) -> None:
    assert VitestToolchain().is_protected(path) is protected


@pytest.mark.parametrize(
    ("path", "is_test"),
    [("a.test.ts", True), ("tests/a.spec.mjs", True), ("a.test.tsx", True), ("a.ts", False), ("atest.ts", False)],
)
def test_what_is_a_test_file(path: str, is_test: bool) -> None:
    assert VitestToolchain().is_test_file(path) is is_test


def test_canaries_look_like_their_neighbours() -> None:
    tests = {"tests/hidden/greet.test.ts": HIDDEN}
    drawn = [VitestToolchain().canaries(random.Random(seed), tests) for seed in range(40)]
    assert drawn == [VitestToolchain().canaries(random.Random(seed), tests) for seed in range(40)]
    assert len({canaries.failing for canaries in drawn}) > 30
    for canaries in drawn:
        (path,) = canaries.files
        assert re.fullmatch(r"tests/hidden/[a-z]+(-[a-z]+)*\.test\.ts", path)
        assert 'import { greet } from "../../src/greet";' in canaries.files[path]
        assert canaries.failing not in HIDDEN


def test_canaries_without_neighbours() -> None:
    canaries = VitestToolchain().canaries(random.Random(1), {})
    assert 'import { expect, test } from "vitest";' in next(iter(canaries.files.values()))


def test_a_missing_node_is_said(tmp_path: Path) -> None:
    assert "https://nodejs.org" in str(VitestToolchain().unavailable({"PATH": str(tmp_path)}))


def test_an_old_node_is_said(tmp_path: Path) -> None:
    for name in ("node", "npm"):
        (tmp_path / name).write_text("#!/bin/sh\necho v16.20.2\n")
        (tmp_path / name).chmod(0o755)
    found = VitestToolchain().unavailable({"PATH": str(tmp_path)})
    assert found == "Node.js 16 is too old: 20 or newer is needed (https://nodejs.org)"
    assert shutil.which("node") != str(tmp_path / "node")
