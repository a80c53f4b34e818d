import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { debounce } from "../../src/debounce";

describe("what was broken", () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });

  afterEach(() => {
    vi.useRealTimers();
  });

  test("newest arguments reach the action", () => {
    const seen: string[] = [];
    const call = debounce((word: string, count: number) => seen.push(`${word}${count}`), 100);
    call("a", 1);
    call("b", 2);
    call("c", 3);
    vi.advanceTimersByTime(100);
    expect(seen).toEqual(["c3"]);
  });

  test("receiver of the call becomes this", () => {
    const seen: string[] = [];
    const record = function (this: { name: string }): void {
      seen.push(this === undefined ? "nobody" : this.name);
    };
    const early = { name: "early", call: debounce(record, 100, { edge: "leading" }) };
    const late = { name: "late", call: debounce(record, 100) };
    early.call();
    late.call();
    late.call.call({ name: "later" });
    vi.advanceTimersByTime(100);
    expect(seen).toEqual(["early", "later"]);
  });

  test("both edges run once for a lone call and twice for more", () => {
    const seen: number[] = [];
    const call = debounce((n: number) => seen.push(n), 100, { edge: "both" });
    call(1);
    expect(call.pending()).toBe(false);
    vi.advanceTimersByTime(100);
    expect(seen).toEqual([1]);
    call(2);
    call(3);
    call(4);
    expect(call.pending()).toBe(true);
    vi.advanceTimersByTime(100);
    expect(seen).toEqual([1, 2, 4]);
  });

  test("flush ends the burst for good", () => {
    const seen: string[] = [];
    const call = debounce((word: string) => seen.push(word), 100, { edge: "both" });
    call("a");
    call("b");
    vi.advanceTimersByTime(30);
    call.flush();
    expect(seen).toHaveLength(2);
    expect(call.pending()).toBe(false);
    expect(vi.getTimerCount()).toBe(0);
    call("c");
    expect(seen[2]).toBe("c");
    vi.advanceTimersByTime(100);
    expect(seen).toHaveLength(3);
  });

  test("steady calls are cut off after the longest time", () => {
    const times: number[] = [];
    const start = Date.now();
    const call = debounce(() => times.push(Date.now() - start), 100, { longestMs: 250 });
    for (let step = 0; step < 9; step += 1) {
      call();
      vi.advanceTimersByTime(60);
    }
    vi.advanceTimersByTime(1000);
    expect(times).toEqual([250, 550]);
  });

  test("throwing action still ends its burst", () => {
    const call = debounce(
      () => {
        throw new Error("disk full");
      },
      100,
      { longestMs: 400 },
    );
    call();
    expect(() => vi.advanceTimersByTime(100)).toThrow("disk full");
    expect(call.pending()).toBe(false);
    expect(vi.getTimerCount()).toBe(0);
  });

  test("action that calls itself again gets a new burst", () => {
    const seen: number[] = [];
    const call = debounce((n: number) => {
      seen.push(n);
      if (n < 3) {
        call(n + 1);
      }
    }, 100);
    call(1);
    vi.advanceTimersByTime(100);
    expect(seen).toEqual([1]);
    expect(call.pending()).toBe(true);
    vi.advanceTimersByTime(200);
    expect(seen).toEqual([1, 2, 3]);
    expect(vi.getTimerCount()).toBe(0);
  });

  test("unusable times are refused", () => {
    const message = (make: () => unknown): string => {
      try {
        make();
      } catch (error) {
        return error instanceof RangeError ? error.message : "another error";
      }
      return "no error";
    };
    expect([
      message(() => debounce(() => {}, -1)),
      message(() => debounce(() => {}, Number.NaN)),
      message(() => debounce(() => {}, 100, { longestMs: 99 })),
      message(() => debounce(() => {}, 100, { longestMs: Infinity })),
      message(() => debounce(() => {}, 0, { longestMs: 0 })),
    ]).toEqual([
      "quietMs must be a finite number of at least 0, got -1",
      "quietMs must be a finite number of at least 0, got NaN",
      "longestMs must be a finite number of at least quietMs, got 99",
      "longestMs must be a finite number of at least quietMs, got Infinity",
      "no error",
    ]);
  });
});
