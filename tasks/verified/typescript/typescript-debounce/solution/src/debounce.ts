/** Collects a burst of calls and runs an action at its start, at its end, or at both. */

export type Edge = "leading" | "trailing" | "both";

export interface DebounceOptions {
  /** When the action runs; "trailing" if not given. */
  edge?: Edge;
  /** The longest time, in milliseconds, that a burst may last. */
  longestMs?: number;
}

export interface Debounced<This, Args extends unknown[]> {
  (this: This, ...args: Args): void;
  /** Ends the burst without running the action. */
  cancel(): void;
  /** Ends the burst now, running what is due. */
  flush(): void;
  /** Whether a run at the end of the burst is due. */
  pending(): boolean;
}

type Timer = ReturnType<typeof setTimeout>;

export function debounce<This, Args extends unknown[]>(
  action: (this: This, ...args: Args) => void,
  quietMs: number,
  options: DebounceOptions = {},
): Debounced<This, Args> {
  const edge = options.edge ?? "trailing";
  const { longestMs } = options;
  if (!Number.isFinite(quietMs) || quietMs < 0) {
    throw new RangeError(`quietMs must be a finite number of at least 0, got ${quietMs}`);
  }
  if (longestMs !== undefined && (!Number.isFinite(longestMs) || longestMs < quietMs)) {
    throw new RangeError(`longestMs must be a finite number of at least quietMs, got ${longestMs}`);
  }
  let quiet: Timer | undefined;
  let longest: Timer | undefined;
  let due: { receiver: This; args: Args } | undefined;

  function stop(): void {
    clearTimeout(quiet);
    clearTimeout(longest);
    quiet = undefined;
    longest = undefined;
    due = undefined;
  }

  function finish(): void {
    const last = due;
    stop();
    if (last !== undefined) {
      action.apply(last.receiver, last.args);
    }
  }

  const debounced = function (this: This, ...args: Args): void {
    const starts = quiet === undefined;
    if (edge === "trailing" || (edge === "both" && !starts)) {
      due = { receiver: this, args };
    }
    clearTimeout(quiet);
    quiet = setTimeout(finish, quietMs);
    if (starts && longestMs !== undefined) {
      longest = setTimeout(finish, longestMs);
    }
    if (starts && edge !== "trailing") {
      action.apply(this, args);
    }
  } as Debounced<This, Args>;

  debounced.cancel = stop;
  debounced.flush = finish;
  debounced.pending = () => due !== undefined;
  return debounced;
}
