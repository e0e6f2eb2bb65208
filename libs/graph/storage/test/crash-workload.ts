/**
 * A workload on a small store: a base, concurrent writers over it, flushes, merges of the newest and of all
 * segments, an image, a reopen. It ends early when power fails.
 */
import type { Storage } from '#graph/storage';
import { assert, DomainError, seededRandom } from '#platform/foundation';
import { type CrashDisk } from '#testing';
import { bytes, contentOf, MemoryLog, openStore } from './store-harness.ts';

const FAR_FUTURE_MS = 4e12;
const ROUNDS = 5;
const WRITERS = 3;
const KEYS = 12;
/** Enough for a segment larger than a few flushes together. */
const BASE_KEYS = 24;

interface Operation {
  readonly key: string;
  /** Undefined for a delete. */
  readonly value: string | undefined;
}

/** The view of the writers: every batch by its sequence number, and the last one acknowledged as durable. */
export class Ledger {
  readonly batches: Operation[][] = [];
  acknowledged = 0;

  /** The content after the first `count` batches, in key order. */
  contentAfter(count: number): [string, string][] {
    const content = new Map<string, string>();
    for (const { key, value } of this.batches.slice(0, count).flat()) {
      if (value === undefined) content.delete(key);
      else content.set(key, value);
    }
    return [...content].sort(([a], [b]) => (a < b ? -1 : 1));
  }
}

/** Runs until the end or the first failure; returns the reason of the end. */
export async function liveUntilFailure(
  disk: CrashDisk,
  ledger: Ledger,
  seed: number,
  log = new MemoryLog(),
): Promise<string> {
  const random = seededRandom(seed);
  let store: Storage | undefined;
  try {
    store = await openStore(disk, { log });
    await append(store, ledger, baseOperations(random));
    await store.flush();
    for (let round = 0; round < ROUNDS; round++) {
      await Promise.all(Array.from({ length: WRITERS }, () => writeSome(liveStore(store), ledger, random)));
      store = await maintain(store, disk, round, log);
    }
    await store.close();
    return 'end';
  } catch (error) {
    await store?.close();
    return error instanceof DomainError ? error.code : 'DiskError';
  }
}

function liveStore(store: Storage | undefined): Storage {
  assert(store !== undefined, 'the store is open');
  return store;
}

async function maintain(store: Storage, disk: CrashDisk, round: number, log: MemoryLog): Promise<Storage> {
  if (round < 2) await store.flush();
  if (round === 2) await store.saveImage(store.durableSeq, [{ bytes: bytes('image'.repeat(200)) }]);
  if (round === 3) {
    await store.close();
    return openStore(disk, { log });
  }
  if (round === 4) await store.compact();
  return store;
}

async function writeSome(store: Storage, ledger: Ledger, random: () => number): Promise<void> {
  for (let i = 0; i < 2; i++) {
    await append(
      store,
      ledger,
      Array.from({ length: 3 }, () => randomOperation(random)),
    );
  }
}

async function append(store: Storage, ledger: Ledger, operations: Operation[]): Promise<void> {
  const batch = store.batch();
  for (const { key, value } of operations) {
    if (value === undefined) batch.delete(bytes(key), bytes(''), FAR_FUTURE_MS);
    else batch.put(bytes(key), bytes(value));
  }
  const { seq, durable } = store.append(batch);
  ledger.batches[seq - 1] = operations;
  await durable;
  ledger.acknowledged = Math.max(ledger.acknowledged, seq);
}

/** Incompressible values, some of them for keys that are overwritten. */
function baseOperations(random: () => number): Operation[] {
  return Array.from({ length: BASE_KEYS }, (_, i) => {
    const value = Array.from({ length: 12 }, () => random().toString(36).slice(2)).join('');
    return { key: `key-${i}`, value };
  });
}

function randomOperation(random: () => number): Operation {
  const key = `key-${Math.floor(random() * KEYS)}`;
  if (random() < 0.2) return { key, value: undefined };
  return { key, value: `${Math.floor(random() * 1e9)}`.repeat(1 + Math.floor(random() * 40)) };
}

/** The first broken promise of a reopened store, or undefined. */
export async function brokenPromise(store: Storage, ledger: Ledger): Promise<string | undefined> {
  if (store.seq < ledger.acknowledged)
    return `batch ${ledger.acknowledged} was acknowledged, ${store.seq} is the last`;
  if (store.seq > ledger.batches.length) return `batch ${store.seq} was never written`;
  const content = JSON.stringify(await contentOf(store));
  const expected = JSON.stringify(ledger.contentAfter(store.seq));
  return content === expected ? undefined : `expected ${expected} after batch ${store.seq}, got ${content}`;
}
