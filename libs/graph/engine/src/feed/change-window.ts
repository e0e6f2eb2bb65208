import type { GraphSnapshot, Stamp } from '#graph/memory';
import { DomainError } from '#platform/foundation';
import {
  type ForgottenName,
  forgottenName,
  type FormerRecord,
  type HistoryPart,
} from '../record/history-record.ts';
import { keyText } from '../record/record-key.ts';
import { PrefixDecoder } from '../record/record-prefix.ts';
import { RecordReader } from '../record/record-reader.ts';
import {
  type ChangeKind,
  contentOf,
  differingFields,
  fieldValues,
  type FieldValues,
  formerState,
  type RecordedState,
  stamped,
  stampOf,
  stateIn,
} from '../record/recorded-state.ts';

/** What readers are told of a record: that it changed, or that it has to be forgotten. */
export type FeedChangeKind = ChangeKind | 'forgotten';

/** One change of one record by one batch. */
export interface RecordChange {
  readonly seq: number;
  /** Of the record in its batch: with the batch, it names the change for ever. */
  readonly index: number;
  readonly atMs: number;
  /** Who has written the batch, where that is known. */
  readonly who: string | undefined;
  readonly kind: FeedChangeKind;
  readonly before: RecordedState | undefined;
  readonly after: RecordedState | undefined;
  readonly fields: readonly FieldValues[];
  /** Of a forgotten record, of which nothing else is known. */
  readonly forgotten?: ForgottenName;
}

/** Where reading goes on: at a part of a batch. */
export interface FeedPlace {
  readonly seq: number;
  readonly part: number;
  /** Index of the first record of the part. */
  readonly firstIndex: number;
  /** Index of the last change of this batch that was read before. */
  readonly doneIndex: number;
}

export function startOf(seq: number): FeedPlace {
  return { seq, part: 0, firstIndex: 0, doneIndex: -1 };
}

interface Replaced {
  readonly seq: number;
  readonly index: number;
  readonly atMs: number;
  readonly kind: FeedChangeKind;
  readonly forgotten?: ForgottenName | undefined;
  readonly name: string;
  readonly record: FormerRecord;
  /** What the same record's next change in the window has replaced. */
  next?: FormerRecord;
  /** The prefix that the next sighting has replaced, if that came before the next change. */
  seen?: Uint8Array;
}

/** Usual size of a window, which is complete after the part that reaches it. */
export const WINDOW_RECORDS = 1_000;
/** Of what was replaced. */
const BYTES_MAX = 256 * 1024;

/**
 * Some successive changes. A batch has stored what each record was before it; what a record was after it is
 * what its next change has replaced, or what it is now.
 */
export class ChangeWindow {
  readonly #replaced: Replaced[] = [];
  readonly #latest = new Map<string, Replaced>();
  /** The last changes whose results are not known yet, or only without their stamps. */
  readonly #open = new Map<string, Replaced>();
  readonly #final = new Map<string, RecordedState>();
  #authors: ReadonlyMap<number, string> = new Map();
  readonly #prefixes = new PrefixDecoder();
  readonly #recordsMax: number;
  #bytes = 0;
  #place: FeedPlace;

  constructor(place: FeedPlace, recordsMax: number) {
    this.#place = place;
    this.#recordsMax = recordsMax;
  }

  get isFull(): boolean {
    return this.#replaced.length >= this.#recordsMax || this.#bytes >= BYTES_MAX;
  }

  /** Where the next window begins. */
  get next(): FeedPlace {
    return this.#place;
  }

  /** Whether states after the window have to be looked for in later batches. */
  get isOpen(): boolean {
    return this.#open.size > 0;
  }

  /** Adds the next part. */
  add({ seq, part, atMs, records }: HistoryPart): void {
    const { firstIndex, doneIndex } = this.#place.seq === seq ? this.#place : startOf(seq);
    for (const [at, record] of records.entries()) {
      if (firstIndex + at <= doneIndex) continue;
      const forgotten = forgottenName(record);
      const kind = kindOf(record);
      const name = keyText(record.key);
      const index = firstIndex + at;
      if (forgotten !== undefined)
        this.#tell({ seq, index, atMs, kind: 'forgotten', forgotten, name, record });
      else if (kind !== undefined) this.#add({ seq, index, atMs, kind, name, record });
      else if (record.was === 'seen') this.#sees(this.#latest.get(name), record);
    }
    this.#place = { seq, part: part + 1, firstIndex: firstIndex + records.length, doneIndex };
  }

  /** The batch of each of its changes. */
  get seqs(): readonly number[] {
    return this.#replaced.map(({ seq }) => seq);
  }

  /** Notes who has written the batches. */
  attribute(authors: ReadonlyMap<number, string>): void {
    this.#authors = authors;
  }

  /** All batches before this one were added. */
  skipTo(seq: number): void {
    this.#place = startOf(seq);
  }

  /** Takes the states of records that have not changed since from the present graph. */
  settle(snapshot: GraphSnapshot, isPresent: boolean): void {
    for (const [name, last] of this.#latest) {
      if (last.kind === 'deleted') continue;
      const state = stateIn(snapshot, last.record.key);
      const isKnown = state !== undefined && (isPresent || this.#isVersionOf(state, last));
      if (isKnown) this.#final.set(name, state);
      if (!isKnown || (!isPresent && isSeenAfter(state, last))) this.#open.set(name, last);
    }
  }

  /** What a batch after the window has replaced. */
  later(record: FormerRecord): void {
    const name = keyText(record.key);
    const last = this.#open.get(name);
    if (last === undefined) return;
    if (record.was === 'seen') this.#sees(last, record);
    const state = formerState(record, this.#prefixes);
    if (state !== undefined) this.#final.set(name, state);
    if (this.#final.has(name)) this.#open.delete(name);
  }

  /** Records that no later batch has changed. */
  settleRest(snapshot: GraphSnapshot): void {
    for (const [name, { record }] of this.#open) {
      const state = this.#final.get(name) ?? stateIn(snapshot, record.key);
      if (state !== undefined) this.#final.set(name, state);
    }
    this.#open.clear();
  }

  /** The changes, decoded one by one. */
  *changes(): Generator<RecordChange, void, undefined> {
    for (const replaced of this.#replaced) {
      const { seq, index, atMs, kind, record, forgotten } = replaced;
      if (forgotten !== undefined) {
        const who = this.#authors.get(seq);
        yield { seq, index, atMs, who, kind, before: undefined, after: undefined, fields: [], forgotten };
        continue;
      }
      const before = formerState(record, this.#prefixes);
      const after = kind === 'deleted' ? undefined : this.#after(replaced);
      const who = this.#authors.get(seq);
      yield { seq, index, atMs, who, kind, before, after, fields: fieldsOf(before, after) };
    }
  }

  #add(replaced: Replaced): void {
    const { name, record } = replaced;
    const earlier = this.#latest.get(name);
    if (earlier !== undefined) earlier.next = record;
    this.#latest.set(name, replaced);
    this.#tell(replaced);
  }

  #tell(replaced: Replaced): void {
    this.#replaced.push(replaced);
    this.#bytes += replaced.record.value.length;
  }

  #sees(last: Replaced | undefined, { value }: FormerRecord): void {
    if (last !== undefined) last.seen ??= value;
  }

  #after({ name, next, seen }: Replaced): RecordedState {
    const state = next === undefined ? this.#final.get(name) : formerState(next, this.#prefixes);
    if (state === undefined)
      throw new DomainError('STORE_CORRUPT', 'the history lacks what a change has made of a record');
    return seen === undefined ? state : stamped(state, this.#stampOf(seen));
  }

  /** Whether the state is what the change has made: neither its version nor its time is later. */
  #isVersionOf(state: RecordedState, { record, atMs }: Replaced): boolean {
    const { version, updated_at: updatedAt } = stampOf(state);
    const before = record.was === 'none' ? 0 : this.#stampOf(record.value).version;
    return version === before + 1 && Date.parse(updatedAt) <= atMs;
  }

  #stampOf(value: Uint8Array): Stamp {
    return this.#prefixes.decode(new RecordReader(value)).stamp;
  }
}

function fieldsOf(
  before: RecordedState | undefined,
  after: RecordedState | undefined,
): readonly FieldValues[] {
  const [old, now] = [contentOf(before), contentOf(after)];
  return differingFields(old, now).map((name) => fieldValues(name, old, now));
}

/** Whether a sighting may have given the state another stamp since the change. */
function isSeenAfter(state: RecordedState, { atMs }: Replaced): boolean {
  const { last_seen_at: seenAt, updated_at: updatedAt, source } = stampOf(state);
  return Date.parse(seenAt) > atMs || source.synced_at !== updatedAt;
}

/** Undefined where the content has not changed, or was never there for readers. */
function kindOf({ was, isDeletion }: FormerRecord): ChangeKind | undefined {
  if (was === 'seen') return undefined;
  if (was === 'live') return isDeletion ? 'deleted' : 'changed';
  return isDeletion ? undefined : 'created';
}
