import type { Source } from '#graph/model';
import {
  type ChangeKind,
  differingFields,
  fieldValues,
  type FieldValues,
  type RecordedContent,
} from '../record/recorded-state.ts';

/** One field that differs. */
export interface FieldChange extends FieldValues {
  /** The connector whose write gave it the new value; absent for the fields of a deleted record. */
  readonly source?: string;
  /** RFC 3339 UTC, milliseconds: when it got the new value. */
  readonly at: string;
}

/** How a record differs. */
export interface RecordDifference {
  readonly change: ChangeKind;
  /** Time and sequence number of the last change. */
  readonly at: string;
  readonly seq: number;
  /** Whose the last change was, by name; absent where it is not known. */
  readonly who?: string;
  /** Who wrote the new content; of a deleted record, that of the first moment. */
  readonly source: Source;
  readonly fields: readonly FieldChange[];
}

/** A batch that replaced a state. */
interface Replacing {
  readonly seq: number;
  readonly atMs: number;
}

interface FieldWrite extends Replacing {
  readonly source: string | undefined;
}

/** The states of one record in the batches between two moments, which are added in order. */
export class ChangedRecord {
  readonly key: Uint8Array;
  readonly #before: RecordedContent | undefined;
  readonly #fields = new Map<string, FieldWrite>();
  #last: RecordedContent | undefined;
  /** The batch that wrote what follows the last state. */
  #next: Replacing;
  #lastChange: Replacing;
  #isComplete = false;

  constructor(key: Uint8Array, before: RecordedContent | undefined, by: Replacing) {
    this.key = key;
    this.#before = before;
    this.#last = before;
    this.#next = by;
    this.#lastChange = by;
  }

  get isComplete(): boolean {
    return this.#isComplete;
  }

  /** The state that a later batch has replaced. */
  replaced(state: RecordedContent | undefined, by: Replacing): void {
    this.#step(state);
    this.#next = by;
  }

  /** The state at the second moment. */
  complete(state: RecordedContent | undefined): void {
    this.#step(state);
    this.#isComplete = true;
  }

  /** Either state, preferably the later one. */
  get known(): RecordedContent | undefined {
    return this.#last ?? this.#before;
  }

  /** Whether a state at one of both moments fulfils a condition. */
  some(isWanted: (state: RecordedContent) => boolean): boolean {
    return [this.#before, this.#last].some((state) => state !== undefined && isWanted(state));
  }

  /** Undefined if the states at both moments are equal. */
  difference(): RecordDifference | undefined {
    const before = this.#before;
    const after = this.#last;
    const written = after ?? before;
    const names = differingFields(before, after);
    if (written === undefined || names.length === 0) return undefined;
    const change = before === undefined ? 'created' : after === undefined ? 'deleted' : 'changed';
    return {
      change,
      at: timeText(this.#lastChange.atMs),
      seq: this.#lastChange.seq,
      source: written.source,
      fields: names.map((name) => this.#field(name)),
    };
  }

  #field(name: string): FieldChange {
    const { source, atMs } = this.#fields.get(name) ?? { source: undefined, ...this.#lastChange };
    return {
      ...fieldValues(name, this.#before, this.#last),
      ...(source !== undefined && { source }),
      at: timeText(atMs),
    };
  }

  #step(state: RecordedContent | undefined): void {
    const source = state?.source.connector_id;
    const changed = differingFields(this.#last, state);
    for (const name of changed) this.#fields.set(name, { ...this.#next, source });
    if (changed.length > 0) this.#lastChange = this.#next;
    this.#last = state;
  }
}

function timeText(ms: number): string {
  return new Date(ms).toISOString();
}
