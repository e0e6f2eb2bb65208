/**
 * The content of the store of format 1 in `data/format-1`: in a segment, in the log, as tombstones, in an
 * image.
 */
import type { Storage } from '#graph/storage';
import { bytes, putAll } from './store-harness.ts';

const FAR_FUTURE_MS = 253_402_300_799_000;

export const FIXTURE_LIVE: readonly [string, string][] = [
  ['entity/ünïcode', 'in the log'],
  ['entity/web-01', 'written twice'],
  ['entity/web-02', 'in a segment'],
  ['seen/web-01', 'shared'],
  ['seen/web-02', 'shared'],
];
export const FIXTURE_TOMBSTONES: readonly [string, string][] = [
  ['entity/db-01', 'last content'],
  ['entity/db-02', 'last content in the log'],
];
export const FIXTURE_IMAGE = { seq: 3, parts: ['plain part', 'compressed part '.repeat(64)] };

export async function writeFixture(store: Storage): Promise<void> {
  await putAll(store, {
    'entity/web-01': 'written once',
    'entity/web-02': 'in a segment',
    'entity/db-01': 'alive',
  });
  await remove(store, 'entity/db-01', 'last content');
  const shared = store.batch();
  shared.putShared(['seen/web-01', 'seen/web-02'].map(bytes), bytes('shared'));
  await store.append(shared).durable;
  await store.flush();
  const [plain = '', compressed = ''] = FIXTURE_IMAGE.parts;
  await store.saveImage(FIXTURE_IMAGE.seq, [
    { bytes: bytes(plain) },
    { bytes: bytes(compressed), compress: true },
  ]);
  await putAll(store, { 'entity/web-01': 'written twice', 'entity/ünïcode': 'in the log' });
  await remove(store, 'entity/db-02', 'last content in the log');
}

async function remove(store: Storage, key: string, value: string): Promise<void> {
  const batch = store.batch();
  batch.delete(bytes(key), bytes(value), FAR_FUTURE_MS);
  await store.append(batch).durable;
}
