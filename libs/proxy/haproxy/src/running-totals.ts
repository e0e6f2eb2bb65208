import type { StatusClassCounts } from '#proxy/engine';

/** Adds a reading of a counter, and returns its running total. */
export type ReadTotal = (kind: string, value: number) => number;

/**
 * HAProxy's counters restart at zero with every process, and with `clear counters`. A running total never
 * decreases: the whole count of a new process is added to it.
 */
export class RunningTotals {
  readonly #byKind = new Map<string, Map<string, RunningTotal>>();
  #isSameProcess = true;

  /** Call it before the readings of a report, of which there is one for each counter. */
  begin(isSameProcess: boolean): void {
    this.#isSameProcess = isSameProcess;
  }

  read(kind: string, name: string, value: number): number {
    const byName = this.#byKind.get(kind) ?? new Map<string, RunningTotal>();
    this.#byKind.set(kind, byName);
    const running = byName.get(name) ?? { total: 0, last: 0 };
    byName.set(name, running);
    const hasGoneOn = this.#isSameProcess && value >= running.last;
    running.total += hasGoneOn ? value - running.last : value;
    running.last = value;
    return running.total;
  }

  /** The sum over all names ever read, including removed ones. */
  sum(kind: string): number {
    let sum = 0;
    for (const { total } of this.#byKind.get(kind)?.values() ?? []) sum += total;
    return sum;
  }
}

interface RunningTotal {
  total: number;
  last: number;
}

export function responseTotals(read: ReadTotal, counts: StatusClassCounts): StatusClassCounts {
  return {
    '1xx': read('1xx', counts['1xx']),
    '2xx': read('2xx', counts['2xx']),
    '3xx': read('3xx', counts['3xx']),
    '4xx': read('4xx', counts['4xx']),
    '5xx': read('5xx', counts['5xx']),
  };
}
