import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Storage } from '#graph/storage';
import { CrashDisk, effort } from '#testing';
import { bytes, MemoryLog, openStore, recordsOf, text } from './store-harness.ts';

const EXPIRED_MS = 1;
const FAR_FUTURE_MS = 4e12;

interface Entry {
  readonly value: string;
  readonly seq: number;
  readonly isDeleted: boolean;
  readonly isExpired: boolean;
}

/** A store and the Map that it must equal. Expired tombstones may exist or not. */
interface Pair {
  readonly model: Map<string, Entry>;
  readonly disk: CrashDisk;
  readonly log: MemoryLog;
  readonly store: Storage;
}

async function newPair(): Promise<Pair> {
  const [disk, log] = [new CrashDisk(1), new MemoryLog()];
  return { model: new Map(), disk, log, store: await openStore(disk, { log }) };
}

type Write =
  | { readonly kind: 'put' | 'delete' | 'deleteExpired'; readonly key: string; readonly value: string }
  | { readonly kind: 'putShared'; readonly keys: readonly string[]; readonly value: string };
type Step =
  | { readonly kind: 'batch'; readonly writes: readonly Write[] }
  | { readonly kind: 'flush' | 'compact' | 'reopen' };

const key = fc.oneof(
  fc.constantFrom('a', 'ab', 'abc', 'b', 'b\0', 'ba', 'é', '\u{1f600}'),
  fc.string({ minLength: 1, maxLength: 4, unit: 'grapheme' }),
);
const value = fc.oneof(
  fc.string({ maxLength: 8 }),
  fc.integer({ min: 0, max: 3000 }).map((n) => 'x'.repeat(n)),
);
const write: fc.Arbitrary<Write> = fc.oneof(
  fc.record({ kind: fc.constantFrom('put', 'put', 'delete', 'deleteExpired'), key, value }),
  fc.record({ kind: fc.constant('putShared'), keys: fc.array(key, { maxLength: 5 }), value }),
);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constant('batch'), writes: fc.array(write, { maxLength: 6 }) }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('flush') }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('compact', 'reopen') }) },
);

/** A large segment, and two later small ones, which are merged without it. */
const PARTIAL_MERGE: Step[] = [120, 1, 2].flatMap((count, round) => {
  const keys = Array.from({ length: count }, (_, i) => `${round}-${i}-${i * 7919}`);
  const writes = keys.map((key) => ({ kind: 'put' as const, key, value: key }));
  return [{ kind: 'batch', writes }, { kind: 'flush' }];
});

async function take(pair: Pair, one: Step): Promise<Pair> {
  if (one.kind === 'batch') await append(pair, one.writes);
  if (one.kind === 'flush') await pair.store.flush();
  if (one.kind === 'compact') await pair.store.compact();
  if (one.kind !== 'reopen') return pair;
  await pair.store.close();
  return { ...pair, store: await openStore(pair.disk, { log: pair.log }) };
}

async function append({ store, model }: Pair, writes: readonly Write[]): Promise<void> {
  const seq = store.seq + 1;
  const batch = store.batch();
  for (const one of writes) {
    if (one.kind === 'putShared') batch.putShared(one.keys.map(bytes), bytes(one.value));
    else if (one.kind === 'put') batch.put(bytes(one.key), bytes(one.value));
    else batch.delete(bytes(one.key), bytes(one.value), one.kind === 'delete' ? FAR_FUTURE_MS : EXPIRED_MS);
    const isDeleted = one.kind === 'delete' || one.kind === 'deleteExpired';
    for (const name of one.kind === 'putShared' ? one.keys : [one.key]) {
      model.set(name, { value: one.value, seq, isDeleted, isExpired: one.kind === 'deleteExpired' });
    }
  }
  await store.append(batch).durable;
}

function liveEntries(
  model: ReadonlyMap<string, Entry>,
  prefix: string,
  sinceSeq: number,
): [string, string, number][] {
  return [...model]
    .filter(([name, entry]) => !entry.isDeleted && entry.seq > sinceSeq && isPrefix(prefix, name))
    .sort(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
    .map(([name, entry]) => [name, entry.value, entry.seq]);
}

function isPrefix(prefix: string, name: string): boolean {
  const head = Buffer.from(name).subarray(0, Buffer.byteLength(prefix));
  return head.equals(Buffer.from(prefix));
}

async function scanned(
  store: Storage,
  prefix: string,
  sinceSeq: number,
): Promise<[string, string, number][]> {
  const records = await recordsOf(store.scan(bytes(prefix), { sinceSeq }));
  return records.map((record) => [text(record.key), text(record.value), record.seq]);
}

async function check({ store, model }: Pair, prefix: string, sinceSeq: number): Promise<void> {
  expect(await scanned(store, prefix, sinceSeq)).toEqual(liveEntries(model, prefix, sinceSeq));
  expect(await scanned(store, '', 0)).toEqual(liveEntries(model, '', 0));
  for (const [name, entry] of model) {
    const record = await store.get(bytes(name));
    expect(record && text(record.value)).toBe(entry.isDeleted ? undefined : entry.value);
  }
}

describe('Storage', () => {
  it('equals a Map after any batches, flushes, compactions and reopenings', async () => {
    const steps = fc.array(step, { minLength: 1, maxLength: 60 });
    const since = fc.integer({ min: 0, max: 40 });
    let partialMerges = 0;

    await fc.assert(
      fc.asyncProperty(steps, key, since, async (all, prefix, sinceSeq) => {
        let pair = await newPair();
        for (const one of all) pair = await take(pair, one);
        await check(pair, prefix, sinceSeq);
        await pair.store.close();
        partialMerges += pair.log.lines.filter(({ fields }) => Number(fields['older']) > 0).length;
      }),
      { numRuns: effort(40, 8), examples: [[PARTIAL_MERGE, 'b', 0]] },
    );
    expect(partialMerges).toBeGreaterThan(0);
  });

  it('returns every unexpired tombstone, and none for a live key', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 60 }), async (all) => {
        let pair = await newPair();
        for (const one of all) pair = await take(pair, one);
        const shown = await recordsOf(pair.store.scan(bytes(''), { includeDeleted: true }));
        const keys = shown.filter((record) => record.isDeleted).map((record) => text(record.key));
        const deleted = [...pair.model].filter(([, entry]) => entry.isDeleted);
        const unexpired = deleted.filter(([, entry]) => !entry.isExpired);
        expect(deleted.map(([name]) => name)).toEqual(expect.arrayContaining(keys));
        expect(keys).toEqual(expect.arrayContaining(unexpired.map(([name]) => name)));
        await pair.store.close();
      }),
      { numRuns: effort(25, 5) },
    );
  });
});
