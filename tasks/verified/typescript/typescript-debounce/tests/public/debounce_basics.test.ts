import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { debounce } from "../../src/debounce";

describe("what works already", () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });

  afterEach(() => {
    vi.useRealTimers();
  });

  test("one trailing call runs after the quiet time", () => {
    const seen: string[] = [];
    const call = debounce((word: string) => seen.push(word), 100);
    call("a");
    vi.advanceTimersByTime(99);
    expect(seen).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(seen).toEqual(["a"]);
  });

  test("each call restarts the quiet time", () => {
    let runs = 0;
    const call = debounce(() => (runs += 1), 100);
    call();
    vi.advanceTimersByTime(80);
    call();
    vi.advanceTimersByTime(80);
    expect(runs).toBe(0);
    vi.advanceTimersByTime(20);
    expect(runs).toBe(1);
  });

  test("a leading burst runs at its start only", () => {
    const seen: number[] = [];
    const call = debounce((n: number) => seen.push(n), 100, { edge: "leading" });
    call(1);
    call(2);
    vi.advanceTimersByTime(100);
    expect(seen).toEqual([1]);
    call(3);
    expect(seen).toEqual([1, 3]);
  });

  test("cancel drops what was due", () => {
    let runs = 0;
    const call = debounce(() => (runs += 1), 100);
    call();
    expect(call.pending()).toBe(true);
    call.cancel();
    expect(call.pending()).toBe(false);
    vi.advanceTimersByTime(500);
    expect(runs).toBe(0);
  });

  test("bursts far apart run separately", () => {
    const seen: string[] = [];
    const call = debounce((word: string) => seen.push(word), 50);
    call("x");
    vi.advanceTimersByTime(60);
    call("y");
    vi.advanceTimersByTime(60);
    expect(seen).toEqual(["x", "y"]);
  });

  test("flush without a burst does nothing", () => {
    let runs = 0;
    const call = debounce(() => (runs += 1), 100);
    call.flush();
    vi.advanceTimersByTime(200);
    expect(runs).toBe(0);
  });
});
