/**
 * What the graph was: each batch stores what it replaces, in records of its own, so that the graph of a
 * moment is the present one with the later batches undone (ADR 0510).
 */
import type { GraphWriter } from '#graph/memory';
import type { BatchWriter, Store } from '#graph/storage';
import { DomainError } from '#platform/foundation';
import type { ChangePlan } from '../plan/change-plan.ts';
import {
  decodeHorizon,
  decodePart,
  decodeTime,
  encodeHorizon,
  type HistoryPart,
  type PartPlace,
  type Horizon,
  HORIZON_KEY,
  seqOf,
  timeKey,
  TIME_PREFIX,
  VALUES_PREFIX,
  valuesKey,
} from '../record/history-record.ts';
import { type HistoryBatch, HistoryWriter } from './history-writer.ts';

/** Batches that are read in vain instead of another read. */
const GAP_MAX = 64;

/** A moment: a sequence number, or a time in ms since the epoch. */
export type Moment = { readonly seq: number } | { readonly atMs: number };

interface HistoryOptions {
  readonly storage: Store;
  /** How long it is kept; 0: it is not written. */
  readonly keepMs: number;
}

export class History {
  readonly keepMs: number;
  readonly #storage: Store;
  readonly #writer = new HistoryWriter();
  #horizon: Horizon | undefined;
  /** The last batch of another process that was in the history. */
  #foreignSeq = 0;
  #erasures = 0;

  constructor({ storage, keepMs }: HistoryOptions) {
    this.#storage = storage;
    this.keepMs = keepMs;
  }

  /** Undefined without history. */
  get horizon(): Horizon | undefined {
    return this.#horizon;
  }

  /** Continues the stored history, unless batches without history followed it. */
  async load(nowMs: number): Promise<void> {
    if (this.keepMs === 0) return;
    const { seq } = this.#storage;
    const stored = await this.#storage.get(HORIZON_KEY);
    const isContinuous = stored !== undefined && stored.seq === seq;
    this.#horizon = isContinuous ? decodeHorizon(stored.value) : { first: seq, sinceMs: nowMs };
  }

  /** What writes the former state of each change into the plan's batch; undefined without history. */
  begin(plan: ChangePlan, memory: GraphWriter, into: HistoryBatch): HistoryWriter | undefined {
    if (this.#horizon === undefined) return undefined;
    this.#writer.begin(plan, memory, into);
    return this.#writer;
  }

  /** Ends the batch, as its last operation, before the plan is applied to memory. */
  end(batch: BatchWriter): void {
    if (this.#horizon === undefined) return;
    this.#writer.end();
    batch.put(HORIZON_KEY, encodeHorizon(this.#horizon));
  }

  /** A history record of another process's batch. */
  readonly foreign = (key: Uint8Array, value: Uint8Array | undefined, seq: number): void => {
    if (this.#horizon === undefined || value === undefined || key.length > HORIZON_KEY.length) return;
    this.#horizon = decodeHorizon(value);
    this.#foreignSeq = seq;
  };

  /** The batch of another process was applied: history begins anew if it had none. */
  tookOver(seq: number, atMs: number): void {
    if (this.#horizon !== undefined && this.#foreignSeq !== seq)
      this.#horizon = { first: seq, sinceMs: atMs };
  }

  /** Forgets what was before a batch. */
  raise(horizon: Horizon): void {
    if (this.#horizon !== undefined && horizon.first > this.#horizon.first) this.#horizon = horizon;
  }

  /** How often former records were erased: what was read before must not be shown again. */
  get erasures(): number {
    return this.#erasures;
  }

  erased(): void {
    this.#erasures++;
  }

  /** Throws BEYOND_HISTORY for a number before the horizon, INVALID_REQUEST for one after `last`. */
  requireSeq(seq: number, last: number, field = 'as_of'): void {
    const horizon = this.#required();
    if (seq > last) {
      const message = `${field}: expected a sequence number up to ${String(last)}, got ${String(seq)}`;
      throw new DomainError('INVALID_REQUEST', message, { details: { field, last } });
    }
    if (seq < horizon.first) throw beyond(`sequence number ${String(seq)}`, horizon);
  }

  /** The last batch up to `last` that was written at a time or before it. Throws like {@link requireSeq}. */
  async seqAt(atMs: number, last: number, nowMs: number, field = 'as_of'): Promise<number> {
    const horizon = this.#required();
    if (atMs > nowMs) {
      const message = `${field}: expected a time up to now, got ${timeText(atMs)}`;
      throw new DomainError('INVALID_REQUEST', message, { details: { field } });
    }
    if (atMs < horizon.sinceMs) throw beyond(timeText(atMs), horizon);
    return this.#lastUntil(atMs, horizon.first, last);
  }

  /**
   * The last batch up to `last` that was written before a time, or the beginning of the history; undefined
   * for a time before that.
   */
  async seqBefore(atMs: number, last: number): Promise<number | undefined> {
    const { first, sinceMs } = this.#required();
    return atMs < sinceMs ? undefined : this.#lastUntil(atMs - 1, first, last);
  }

  /** What was replaced by the batches after `after` up to `upTo`, in order, in small parts. */
  parts(after: number, upTo: number): AsyncGenerator<HistoryPart> {
    return this.partsFrom({ seq: after + 1, part: 0 }, upTo);
  }

  /** The same, from a part of a batch on. */
  async *partsFrom({ seq, part }: PartPlace, upTo: number): AsyncGenerator<HistoryPart> {
    const range = { sinceSeq: seq - 1, from: valuesKey(seq, part), before: valuesKey(upTo + 1, 0) };
    for await (const chunk of this.#storage.scan(VALUES_PREFIX, range)) {
      for (const { key, value } of chunk) yield decodePart(key, value);
    }
  }

  /** Who has written each of these batches, where that is known: neighbours are read together. */
  async authors(seqs: Iterable<number>): Promise<ReadonlyMap<number, string>> {
    const asked = new Set(seqs);
    const authors = new Map<number, string>();
    for (const { first, last } of runsOf(asked)) {
      const range = { sinceSeq: first - 1, from: timeKey(first), before: timeKey(last + 1) };
      for await (const chunk of this.#storage.scan(TIME_PREFIX, range)) {
        for (const { key, value } of chunk) {
          const seq = seqOf(key);
          const { who } = decodeTime(value);
          if (who !== undefined && asked.has(seq)) authors.set(seq, who);
        }
      }
    }
    return authors;
  }

  /** A new horizon that leaves out what was replaced before a time; undefined if that changes nothing. */
  async horizonAt(atMs: number, last: number): Promise<Horizon | undefined> {
    const horizon = this.#horizon;
    if (horizon === undefined || atMs <= horizon.sinceMs) return undefined;
    return { first: await this.#lastUntil(atMs, horizon.first, last), sinceMs: atMs };
  }

  /** Keys of all history records up to a batch, in chunks; of all of them without history. */
  async *keysUpTo(seq: number): AsyncGenerator<readonly Uint8Array[]> {
    for (const prefix of [TIME_PREFIX, VALUES_PREFIX]) {
      for await (const chunk of this.#storage.scan(prefix)) {
        const expired = chunk.filter(({ key }) => seqOf(key) <= seq);
        if (expired.length > 0) yield expired.map(({ key }) => key.slice());
        if (expired.length < chunk.length) break;
      }
    }
  }

  #required(): Horizon {
    if (this.#horizon !== undefined) return this.#horizon;
    throw new DomainError(
      'BEYOND_HISTORY',
      'this graph keeps no history: PLEXUS_RETENTION or PLEXUS_HISTORY is off',
    );
  }

  /** Bisects the numbers by the times of batches. */
  async #lastUntil(atMs: number, first: number, last: number): Promise<number> {
    let low = first;
    let high = last;
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      const next = await this.#timeAfter(middle);
      if (next === undefined || next.seq > last || next.atMs > atMs) high = middle;
      else low = next.seq;
    }
    return low;
  }

  /** The first batch after `seq` that changed the graph. */
  async #timeAfter(seq: number): Promise<{ readonly seq: number; readonly atMs: number } | undefined> {
    for await (const [record] of this.#storage.scan(TIME_PREFIX, { sinceSeq: seq, from: timeKey(seq + 1) })) {
      if (record !== undefined) return { seq: seqOf(record.key), atMs: decodeTime(record.value).atMs };
    }
    return undefined;
  }
}

/** Has the next batch of a store, which changes nothing of the graph, continue the history that it has. */
export async function continueHistory(
  storage: Pick<Store, 'get' | 'seq'>,
  batch: BatchWriter,
): Promise<void> {
  const stored = await storage.get(HORIZON_KEY);
  if (stored?.seq === storage.seq) batch.put(HORIZON_KEY, stored.value);
}

interface Run {
  readonly first: number;
  readonly last: number;
}

/** Numbers so close to each other that all records between them are read sooner than each by itself. */
function runsOf(seqs: ReadonlySet<number>): readonly Run[] {
  const runs: { first: number; last: number }[] = [];
  for (const seq of [...seqs].sort((a, b) => a - b)) {
    const run = runs.at(-1);
    if (run !== undefined && seq - run.last <= GAP_MAX) run.last = seq;
    else runs.push({ first: seq, last: seq });
  }
  return runs;
}

function beyond(asked: string, { first, sinceMs }: Horizon): DomainError {
  const message = `${asked} is before the history, which begins with ${String(first)} at ${timeText(sinceMs)}`;
  return new DomainError('BEYOND_HISTORY', message, { details: { first, since: timeText(sinceMs) } });
}

function timeText(ms: number): string {
  return new Date(ms).toISOString();
}
