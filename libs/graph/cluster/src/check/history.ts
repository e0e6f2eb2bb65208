/**
 * The writes and reads of clients, and whether one order explains them: a read at sequence number `s` shows
 * each item as the last write up to `s` left it, and all items of one write together. Stricter than the
 * anomalies require.
 */

/** The values of one acknowledged write. */
export interface Written {
  readonly seq: number;
  readonly values: ReadonlyMap<string, number>;
}

/** The values of one snapshot; undefined: no such item. */
export interface Seen {
  readonly seq: number;
  readonly values: ReadonlyMap<string, number | undefined>;
}

export const WRITES_LEAST = 50;
export const STATES_LEAST = 20;

export class History {
  readonly #written: Written[] = [];
  readonly #seen: Seen[] = [];
  readonly #states = new Set<number>();
  readonly #violations: string[] = [];

  wrote(written: Written): void {
    this.#written.push(written);
  }

  saw(seen: Seen): void {
    this.#seen.push(seen);
    this.#states.add(seen.seq);
  }

  /** Records a violation that no order explains. */
  violated(what: string): void {
    this.#violations.push(what);
  }

  get writes(): number {
    return this.#written.length;
  }

  get reads(): number {
    return this.#seen.length;
  }

  /** Number of distinct states read. */
  get states(): number {
    return this.#states.size;
  }

  /** Whether an existing fault would very likely have been observed. */
  get isEnough(): boolean {
    return this.writes >= WRITES_LEAST && this.states >= STATES_LEAST;
  }

  violations(): readonly string[] {
    return [...this.#violations, ...this.#disorder()];
  }

  /** Merges writes and reads by sequence number in one pass. */
  *#disorder(): Iterable<string> {
    const written = this.#written.toSorted((a, b) => a.seq - b.seq);
    const state = new Map<string, number>();
    let next = 0;
    for (const { seq, values } of this.#seen.toSorted((a, b) => a.seq - b.seq)) {
      for (let write = written[next]; write !== undefined && write.seq <= seq; write = written[++next]) {
        if (written[next - 1]?.seq === write.seq) yield `two writes have the number ${String(write.seq)}`;
        for (const [item, value] of write.values) state.set(item, value);
      }
      for (const [item, value] of values) {
        if (value !== state.get(item))
          yield `at ${String(seq)}: expected ${shown(state.get(item))} in ${item}, saw ${shown(value)}`;
      }
    }
  }
}

function shown(value: number | undefined): string {
  return value === undefined ? 'nothing' : String(value);
}
