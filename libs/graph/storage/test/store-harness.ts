import {
  InlineJobRunner,
  Storage,
  type StorageLog,
  type StorageOptions,
  type StoredRecord,
} from '#graph/storage';
import type { Disk } from '#platform/disk';

const encoder = new TextEncoder();
const decoder = new TextDecoder();

export const DIRECTORY = '/store';
/** Small, so that a few batches rotate the log. */
export const SMALL_WAL_BYTES = 4096;

export function bytes(text: string): Uint8Array {
  return encoder.encode(text);
}

export function text(value: Uint8Array): string {
  return decoder.decode(value);
}

/** Opens a store with flushes and merges on the disk of the test. */
export function openStore(disk: Disk, options: Partial<StorageOptions> = {}): Promise<Storage> {
  const place = { disk, directory: DIRECTORY, walFileBytes: SMALL_WAL_BYTES };
  return Storage.open({ ...place, jobs: new InlineJobRunner(disk), ...options });
}

/** Appends one batch of puts and waits until it is durable; returns its sequence number. */
export async function putAll(store: Storage, records: Readonly<Record<string, string>>): Promise<number> {
  const batch = store.batch();
  for (const [key, value] of Object.entries(records)) batch.put(bytes(key), bytes(value));
  const { seq, durable } = store.append(batch);
  await durable;
  return seq;
}

export async function valueOf(store: Storage, key: string): Promise<string | undefined> {
  const record = await store.get(bytes(key));
  return record === undefined ? undefined : text(record.value);
}

export async function recordsOf(scan: AsyncIterable<readonly StoredRecord[]>): Promise<StoredRecord[]> {
  const records: StoredRecord[] = [];
  for await (const chunk of scan) records.push(...chunk);
  return records;
}

/** Live records in scan order. */
export async function contentOf(store: Storage, prefix = ''): Promise<[string, string][]> {
  const records = await recordsOf(store.scan(bytes(prefix)));
  return records.map(({ key, value }) => [text(key), text(value)]);
}

export interface LoggedLine {
  readonly level: 'info' | 'warn' | 'error';
  readonly event: unknown;
  readonly fields: Readonly<Record<string, unknown>>;
}

export class MemoryLog implements StorageLog {
  readonly lines: LoggedLine[] = [];
  #added = Promise.withResolvers<undefined>();

  info(fields: Readonly<Record<string, unknown>>): void {
    this.#add('info', fields);
  }

  warn(fields: Readonly<Record<string, unknown>>): void {
    this.#add('warn', fields);
  }

  error(fields: Readonly<Record<string, unknown>>): void {
    this.#add('error', fields);
  }

  of(event: string): LoggedLine[] {
    return this.lines.filter((line) => line.event === event);
  }

  /** Resolves once the event has been logged `count` times. */
  async until(event: string, count: number): Promise<void> {
    while (this.of(event).length < count) await this.#added.promise;
  }

  #add(level: LoggedLine['level'], fields: Readonly<Record<string, unknown>>): void {
    this.lines.push({ level, event: fields['event'], fields });
    this.#added.resolve(undefined);
    this.#added = Promise.withResolvers();
  }
}
