import { assert } from '#platform/foundation';
import type { BatchWire } from '../generated/hive-messages.ts';
import type { BatchTally, TelemetryBatch } from './hive-link.ts';

interface RunBatches {
  readonly tally: { sent: number; acked: number; refused: number };
  lastSeq: number;
  held: number;
}

/**
 * Batches that the hive has not answered, in order: first those in flight on the stream, then those waiting
 * for credit. On a new stream all of them wait again.
 */
export class BatchWindow {
  readonly #bytesMax: number;
  readonly #held: BatchWire[] = [];
  readonly #runs = new Map<string, RunBatches>();
  #bytes = 0;
  #underWay = 0;
  #credit = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  get hasRoom(): boolean {
    return this.#bytes < this.#bytesMax;
  }

  add({ runId, eventCount, tables }: TelemetryBatch): void {
    assert(this.hasRoom, 'expected room for another batch');
    const run = this.#run(runId);
    run.held++;
    this.#bytes += tables.length;
    this.#held.push({ runId, seq: ++run.lastSeq, eventCount, tables });
  }

  /** Starts a new stream: nothing is in flight, and nothing may be sent before the first credit. */
  restart(): void {
    this.#underWay = 0;
    this.#credit = 0;
  }

  allow(credit: number): void {
    this.#credit = credit;
  }

  /** The next batch to send, which is in flight from now on; undefined without credit or batches. */
  next(): BatchWire | undefined {
    if (this.#underWay >= this.#credit) return undefined;
    const batch = this.#held[this.#underWay];
    if (batch === undefined) return undefined;
    this.#underWay++;
    this.#run(batch.runId).tally.sent++;
    return batch;
  }

  /** The hive has stored this batch of the run and all earlier ones on disk. */
  acknowledge(runId: string, seq: number): void {
    const done = this.#release((batch) => batch.runId === runId && batch.seq <= seq);
    this.#run(runId).tally.acked += done.length;
  }

  /** The hive has rejected this batch for good. Returns the number of its events. */
  refuse(runId: string, seq: number): number {
    const refused = this.#release((batch) => batch.runId === runId && batch.seq === seq);
    this.#run(runId).tally.refused += refused.length;
    return refused.reduce((sum, { eventCount }) => sum + eventCount, 0);
  }

  tallyOf(runId: string): BatchTally {
    return { ...this.#run(runId).tally };
  }

  isFlushed(runId: string): boolean {
    return this.#run(runId).held === 0;
  }

  /** Removes answered batches. Only batches in flight can be answered. */
  #release(isAnswered: (batch: BatchWire) => boolean): readonly BatchWire[] {
    const underWay = this.#held.splice(0, this.#underWay);
    const answered = underWay.filter(isAnswered);
    this.#held.unshift(...underWay.filter((batch) => !isAnswered(batch)));
    this.#underWay -= answered.length;
    for (const { runId, tables } of answered) {
      this.#bytes -= tables.length;
      this.#run(runId).held--;
    }
    return answered;
  }

  #run(runId: string): RunBatches {
    const known = this.#runs.get(runId);
    if (known !== undefined) return known;
    const run = { tally: { sent: 0, acked: 0, refused: 0 }, lastSeq: 0, held: 0 };
    this.#runs.set(runId, run);
    return run;
  }
}
