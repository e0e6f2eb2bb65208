/**
 * What clients did and saw, and whether one order explains it: a read at number `s` shows of each item what
 * the last write with a number up to `s` left there, all items of one write together. That is stricter than
 * what the anomalies ask for.
 */

/** What one acknowledged write left in each item it wrote. */
export interface Written {
  readonly seq: number;
  readonly values: ReadonlyMap<string, number>;
}

/** What one snapshot showed; undefined: no such item. */
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

  /** Something that must never be, whatever the order. */
  violated(what: string): void {
    this.#violations.push(what);
  }

  get writes(): number {
    return this.#written.length;
  }

  get reads(): number {
    return this.#seen.length;
  }

  /** So many different states were read. */
  get states(): number {
    return this.#states.size;
  }

  /** Whether a fault that is there would hardly have been missed. */
  get isEnough(): boolean {
    return this.writes >= WRITES_LEAST && this.states >= STATES_LEAST;
  }

  violations(): readonly string[] {
    return [...this.#violations, ...this.#disorder()];
  }

  /** In one pass over both, in the order of their numbers. */
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
