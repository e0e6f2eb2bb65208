import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BatchBuilder, InlineJobRunner } from '#graph/storage';
import { NodeDisk } from '#platform/disk';
import { errorCodeOf } from '#platform/foundation';
import { LocalCopy } from '../src/local-copy.ts';

const KEYS = Array.from({ length: 50 }, (_, at) => Buffer.from(`key ${String(at)}`));
const VALUE = Buffer.alloc(4_096, 'x');

describe('LocalCopy', () => {
  let directory: string;
  let copy: LocalCopy;

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'plexus-copy-'));
    const disk = new NodeDisk();
    copy = await LocalCopy.open({
      disk,
      directory: join(directory, 'copy'),
      jobs: new InlineJobRunner(disk),
    });
    KEYS.forEach((key, at) => {
      const batch = new BatchBuilder();
      batch.put(key, VALUE);
      copy.add([{ seq: at + 1, id: randomUUID(), atMs: 0, body: Buffer.from(batch.encoded()) }], 'epoch');
    });
    await copy.storage.compact();
  });
  afterEach(async () => {
    await copy.close();
    await rm(directory, { recursive: true, force: true });
  });

  it('refuses reads while it is replaced', async () => {
    const work = new AbortController();
    const replaced = copy
      .whileReplaced(() => copy.clear())
      .finally(() => {
        work.abort();
      });
    const answers = new Set<unknown>();
    const answer = (read: Promise<unknown>) => read.catch((error: unknown) => errorCodeOf(error));
    for (let at = 0; !work.signal.aborted; at++) {
      answers.add(await answer(copy.get(KEYS[at % KEYS.length] ?? VALUE)));
      await new Promise(setImmediate);
    }
    await replaced;

    expect([...answers]).toEqual(['STORE_UNAVAILABLE']);
    expect(await copy.get(KEYS[0] ?? VALUE)).toBeUndefined();
    expect(await answer(copy.scan(Buffer.from('key')).next())).toEqual({ done: true, value: undefined });
  });
});
