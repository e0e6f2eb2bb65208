import type { OpenTransaction } from '../transaction/open-transaction.ts';

/** A transaction whose execution failed, with all that is needed to find the reason later. */
export interface RevertSample {
  readonly open: OpenTransaction;
  readonly blockNumber: number;
}

/** The failed executions of one entry of the mix. */
export interface EntryReverts {
  readonly entry: number;
  readonly count: number;
  readonly samples: readonly RevertSample[];
}

const SAMPLES_MAX = 3;

/** Counts failed executions by entry of the mix, and keeps the first of each. */
export class RevertLog {
  readonly #entries = new Map<number, { count: number; readonly samples: RevertSample[] }>();

  add(open: OpenTransaction, blockNumber: number): void {
    const { entry } = open.signed.item;
    const known = this.#entries.get(entry) ?? { count: 0, samples: [] };
    known.count++;
    if (known.samples.length < SAMPLES_MAX) known.samples.push({ open, blockNumber });
    this.#entries.set(entry, known);
  }

  /** The transaction's block was replaced. */
  takeBack(open: OpenTransaction): void {
    const { entry } = open.signed.item;
    const known = this.#entries.get(entry);
    if (known === undefined) return;
    const samples = known.samples.filter((sample) => sample.open !== open);
    this.#entries.set(entry, { count: known.count - 1, samples });
  }

  get entries(): readonly EntryReverts[] {
    return Array.from(this.#entries, ([entry, known]) => ({ entry, ...known })).filter(
      ({ count }) => count > 0,
    );
  }
}
