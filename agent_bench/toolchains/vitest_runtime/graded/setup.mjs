// Runs before each test file: what claims to equal everything fails its test, and so does a changed runner.
import { afterAll, chai, expect } from "vitest";

const forged = Symbol.for("jest.asymmetricMatcher");
const EQUALITY = ["toBe", "toEqual", "toStrictEqual", "toMatchObject", "toContainEqual", "equal", "equals", "eql"];

function lookAt(value, depth = 0) {
  if (value === null || (typeof value !== "object" && typeof value !== "function") || depth > 6) return;
  if (value.$$typeof === forged || typeof value.asymmetricMatch === "function") {
    throw new Error("tampered: a value claims to equal everything");
  }
  const parts = value instanceof Map || value instanceof Set ? [...value.entries()].flat() : Object.values(value);
  for (const part of parts.slice(0, 2000)) lookAt(part, depth + 1);
}

chai.use((_, utils) => {
  for (const name of EQUALITY) {
    utils.overwriteMethod(chai.Assertion.prototype, name, (original) => function (...expected) {
      lookAt(utils.flag(this, "object"));
      return original.apply(this, expected);
    });
  }
});

const watched = [
  [Object, "is"], [Object, "keys"], [Object, "entries"], [Object, "getOwnPropertyDescriptor"],
  [Array, "isArray"], [JSON, "stringify"], [Symbol, "for"], [process, "send"], [process, "emit"],
  [Array.prototype, "every"], [Array.prototype, "push"], [Function.prototype, "call"], [Function.prototype, "apply"],
  [Promise.prototype, "then"], [chai, "expect"], [expect, "extend"],
  ...EQUALITY.map((name) => [chai.Assertion.prototype, name]),
];
const kept = watched.map(([owner, name]) => owner[name]);
const isSame = Object.is;

afterAll(() => {
  const changed = watched.filter(([owner, name], index) => !isSame(owner[name], kept[index]));
  if (changed.length) throw new Error(`tampered: changed while the tests ran: ${changed.map(([, name]) => name)}`);
});
