import type { StatusClassCounts } from '#proxy/engine';

/** Takes a reading of a counter, and gives its running total. */
export type ReadTotal = (kind: string, value: number) => number;

/**
 * HAProxy's counters begin again at zero with every process, and with `clear counters`. A running total keeps
 * what was seen before, so that it never falls: what a new process has counted is added to it whole.
 */
export class RunningTotals {
  readonly #byKind = new Map<string, Map<string, RunningTotal>>();
  #isSameProcess = true;

  /** Comes before the readings of a report, of which there is one for each counter. */
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

  /** Over all names ever read, those that are gone included. */
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
