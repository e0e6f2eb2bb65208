import type { FormerRecord, HistoryPart } from '../record/history-record.ts';
import { keyText } from '../record/record-key.ts';
import { PrefixDecoder } from '../record/record-prefix.ts';
import { contentOf, formerState, type RecordedContent } from '../record/recorded-state.ts';
import { ChangedRecord } from './changed-record.ts';

/** Most bytes of former records: further records are left out. */
const BYTES_MAX = 8 * 2 ** 20;
/** Records are collected up to this multiple of the limits before the last ones are left out. */
const SLACK = 2;

interface Held {
  readonly record: ChangedRecord;
  bytes: number;
}

/** Keeps the first changed records after a key, in the order of keys; bounded in number and bytes. */
export class ChangedRecords {
  readonly #limit: number;
  readonly #after: string;
  readonly #prefixes = new PrefixDecoder();
  readonly #held = new Map<string, Held>();
  #bytes = 0;
  /** The greatest key that is kept; undefined while all are. */
  #bound: string | undefined;

  constructor({ limit, after }: { readonly limit: number; readonly after: string }) {
    this.#limit = limit;
    this.#after = after;
  }

  /** Approximate memory. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Whether records after the last one were left out. */
  get hasMore(): boolean {
    return this.#bound !== undefined;
  }

  /** What a batch between both moments has replaced. */
  add({ seq, atMs, records }: HistoryPart): void {
    for (const record of records) if (record.was !== 'seen') this.#add(record, { seq, atMs });
    if (this.#held.size > this.#limit * SLACK || this.#bytes > BYTES_MAX * SLACK) this.#trim();
  }

  /** What a batch after the second moment has replaced: what was there at that moment, if it is the first. */
  complete(records: readonly FormerRecord[]): void {
    for (const former of records) {
      if (former.was === 'seen') continue;
      const held = this.#held.get(keyText(former.key));
      if (held?.record.isComplete === false) held.record.complete(this.#contentOf(former));
    }
  }

  /** In order. */
  records(): readonly (readonly [string, ChangedRecord])[] {
    this.#trim();
    return Array.from(this.#held, ([name, { record }]) => [name, record] as const).sort(byName);
  }

  #contentOf(former: FormerRecord): RecordedContent | undefined {
    return contentOf(formerState(former, this.#prefixes));
  }

  #add(former: FormerRecord, by: { readonly seq: number; readonly atMs: number }): void {
    const name = keyText(former.key);
    if (name <= this.#after || (this.#bound !== undefined && name > this.#bound)) return;
    const state = this.#contentOf(former);
    const held = this.#held.get(name);
    const bytes = former.key.length + former.value.length;
    if (held === undefined) {
      this.#held.set(name, { record: new ChangedRecord(former.key.slice(), state, by), bytes });
      this.#bytes += bytes;
    } else {
      held.record.replaced(state, by);
      this.#bytes += Math.max(0, bytes - held.bytes);
      held.bytes = Math.max(bytes, held.bytes);
    }
  }

  /** Leaves out the last ones beyond the limits. */
  #trim(): void {
    const names = [...this.#held.keys()].sort();
    let bytes = 0;
    let kept = 0;
    for (const name of names) {
      bytes += this.#held.get(name)?.bytes ?? 0;
      if (kept === this.#limit || (bytes > BYTES_MAX && kept > 0)) break;
      kept++;
    }
    if (kept === names.length) return;
    for (const name of names.slice(kept)) {
      this.#bytes -= this.#held.get(name)?.bytes ?? 0;
      this.#held.delete(name);
    }
    this.#bound = names[kept - 1];
  }
}

function byName([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : 1;
}
