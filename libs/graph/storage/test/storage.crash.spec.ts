import { describe, expect, it, jest } from '@jest/globals';
import { CrashDisk, effort } from '#testing';
import { brokenPromise, Ledger, liveUntilFailure } from './crash-workload.ts';
import { MemoryLog, openStore, putAll, valueOf } from './store-harness.ts';

jest.setTimeout(600_000);

const SEEDS = effort([1, 2, 3], [1]);
/** Interval of the disk calls that are the last. */
const STRIDE = effort(1, 5);

/** Disk calls of a run that merges the newest segments beside an older one, and all of them. */
async function callsOfWholeRun(seed: number): Promise<number> {
  const disk = new CrashDisk(seed);
  const log = new MemoryLog();
  expect(await liveUntilFailure(disk, new Ledger(), seed, log)).toBe('end');
  const merges = log.of('storage.compacted');
  const partial = merges.filter(({ fields }) => Number(fields['older']) > 0);
  expect(partial.length).toBeGreaterThan(0);
  expect(merges.length).toBeGreaterThan(partial.length);
  return disk.calls;
}

async function callsOfOpen(disk: CrashDisk): Promise<number> {
  disk.plan({});
  const store = await openStore(disk);
  const { calls } = disk;
  await store.close();
  return calls;
}

/** A disk whose run ended at `call`. */
async function endedRun(seed: number, call: number): Promise<{ disk: CrashDisk; ledger: Ledger }> {
  const disk = new CrashDisk(seed * 1000 + call);
  const ledger = new Ledger();
  disk.plan({ crashAt: call });
  await liveUntilFailure(disk, ledger, seed);
  return { disk, ledger };
}

async function crashedDisk(seed: number, call: number): Promise<{ disk: CrashDisk; ledger: Ledger }> {
  const { disk, ledger } = await endedRun(seed, call);
  return { disk: disk.restart(), ledger };
}

describe('Storage after a power failure', () => {
  it.each(SEEDS)('keeps its promises at every write, sync and rename (seed %i)', async (seed) => {
    const calls = await callsOfWholeRun(seed);
    const broken: string[] = [];

    for (let call = 1; call <= calls; call += STRIDE) {
      const { disk, ledger } = await crashedDisk(seed, call);
      const store = await openStore(disk);
      const promise = await brokenPromise(store, ledger);
      if (promise !== undefined) broken.push(`call ${call}: ${promise}`);
      await store.close();
    }

    expect(calls).toBeGreaterThan(100);
    expect(broken).toEqual([]);
  });

  it.each(SEEDS)(
    'keeps its promises after a second power failure at any disk call of the open (seed %i)',
    async (seed) => {
      const calls = await callsOfWholeRun(seed);
      const broken: string[] = [];

      for (let call = 1; call <= calls; call += 7 * STRIDE) {
        const again = await callsOfOpen((await crashedDisk(seed, call)).disk);
        for (let second = 1; second <= again; second++) {
          const { disk, ledger } = await crashedDisk(seed, call);
          disk.plan({ crashAt: second });
          await openStore(disk).catch(() => undefined);
          const store = await openStore(disk.restart());
          const promise = await brokenPromise(store, ledger);
          if (promise !== undefined) broken.push(`calls ${call} and ${second}: ${promise}`);
          await store.close();
        }
      }

      expect(broken).toEqual([]);
    },
  );

  it('accepts new batches after every crash, and keeps them', async () => {
    const [seed = 1] = SEEDS;
    const calls = await callsOfWholeRun(seed);
    const lost: number[] = [];

    for (let call = 1; call <= calls; call += 3 * STRIDE) {
      const { disk } = await crashedDisk(seed, call);
      await putAll(await openStore(disk), { after: String(call) });
      const store = await openStore(disk.restart());
      if ((await valueOf(store, 'after')) !== String(call)) lost.push(call);
      await store.close();
    }

    expect(lost).toEqual([]);
  });
});

describe.each([
  ['only reads', []],
  ['also writes', ['after', 'after that']],
])('Storage after the end of its process, with a next process that %s', (_does, written) => {
  it.each(SEEDS)(
    'keeps all batches read by the next process despite a power failure (seed %i)',
    async (seed) => {
      const calls = await callsOfWholeRun(seed);
      const broken: string[] = [];

      for (let call = 1; call <= calls; call += STRIDE) {
        const { disk, ledger } = await endedRun(seed, call);
        const next = disk.endProcess();
        const seen = await openStore(next);
        ledger.acknowledged = Math.max(ledger.acknowledged, seen.seq);
        const value = 'x'.repeat(3000);
        for (const key of written) {
          ledger.batches[seen.seq] = [{ key, value }];
          ledger.acknowledged = await putAll(seen, { [key]: value });
        }
        ledger.batches.length = ledger.acknowledged;
        const store = await openStore(next.restart());
        const promise = await brokenPromise(store, ledger);
        if (promise !== undefined) broken.push(`call ${call}: ${promise}`);
        await store.close();
      }

      expect(broken).toEqual([]);
    },
  );
});

describe.each(['EIO', 'ENOSPC'])('Storage with a disk that fails with %s', (code) => {
  it('keeps its promises when any single disk call fails', async () => {
    const [seed = 1] = SEEDS;
    const calls = await callsOfWholeRun(seed);
    const broken: string[] = [];

    for (let call = 1; call <= calls; call += STRIDE) {
      const disk = new CrashDisk(call);
      const ledger = new Ledger();
      disk.plan({ failAt: { call, code } });
      await liveUntilFailure(disk, ledger, seed);
      const store = await openStore(disk.restart());
      const promise = await brokenPromise(store, ledger);
      if (promise !== undefined) broken.push(`call ${call}: ${promise}`);
      await store.close();
    }

    expect(broken).toEqual([]);
  });
});

describe('Storage on a full disk', () => {
  it('keeps its promises at every size of the disk', async () => {
    const [seed = 1] = SEEDS;
    const broken: string[] = [];
    const ends = new Set<string>();

    for (let capacityBytes = 300; capacityBytes < 24_000; capacityBytes += 251) {
      const disk = new CrashDisk(capacityBytes);
      const ledger = new Ledger();
      disk.plan({ capacityBytes });
      ends.add(await liveUntilFailure(disk, ledger, seed));
      const store = await openStore(disk.restart());
      const promise = await brokenPromise(store, ledger);
      if (promise !== undefined) broken.push(`capacity ${capacityBytes}: ${promise}`);
      await store.close();
    }

    expect(broken).toEqual([]);
    expect(ends).toContain('STORE_UNAVAILABLE');
  });
});
