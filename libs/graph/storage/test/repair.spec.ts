import { describe, expect, it } from '@jest/globals';
import { repairStore } from '#graph/storage';
import { CrashDisk } from '#testing';
import { bytes, contentOf, DIRECTORY, openStore, putAll } from './store-harness.ts';

/** Nothing is flushed. */
const NO_JOBS = {
  start: () => ({ result: new Promise<never>(() => undefined), cancel: () => Promise.resolve() }),
};
const BATCHES = 8;

/** The position of the damage in a log file, and the number of batches before it. */
interface Damage {
  readonly file: string;
  readonly offset: number;
  readonly left: number;
}

const IN_A_FRAME: Damage = { file: 'wal-0000000002', offset: 550, left: 2 };
const IN_A_HEADER: Damage = { file: 'wal-0000000003', offset: 8, left: 4 };
const DAMAGES: [string, Damage][] = [
  ['frame', IN_A_FRAME],
  ['header', IN_A_HEADER],
];

const sortedFiles = (files: ReadonlyMap<string, Uint8Array>): string[] => [...files.keys()].sort();

/** The log files and the image with their content; copies have the names of their originals. */
async function filesOf(disk: CrashDisk, prefix = ''): Promise<Map<string, Uint8Array>> {
  const names = (await disk.list(DIRECTORY)).filter((name) => name.startsWith(prefix));
  const kept = names.filter((name) => /^(wal|image)-0/.test(name.slice(prefix.length)));
  const read = kept.map(async (name): Promise<[string, Uint8Array]> => {
    return [name.slice(prefix.length), await disk.readBytes(`${DIRECTORY}/${name}`)];
  });
  return new Map(await Promise.all(read));
}

/** Four log files of two batches each, an image of all batches, and a damage. */
async function damagedStore(seed: number, { file, offset }: Damage): Promise<CrashDisk> {
  const disk = new CrashDisk(seed);
  const store = await openStore(disk, { walFileBytes: 600, jobs: NO_JOBS });
  for (let i = 1; i <= BATCHES; i++) await putAll(store, { [`k${i}`]: 'x'.repeat(300) });
  await store.saveImage(BATCHES, [{ bytes: bytes('image') }]);
  await disk.syncDirectory(DIRECTORY);
  const damaged = disk.restart();
  const broken = await damaged.open(`${DIRECTORY}/${file}`, 'write');
  await broken.write(Uint8Array.of(255), offset);
  await broken.sync();
  await broken.close();
  return damaged;
}

const keysUpTo = (count: number): string[] => Array.from({ length: count }, (_, i) => `k${i + 1}`);

async function keysIn(disk: CrashDisk): Promise<string[]> {
  const store = await openStore(disk);
  const keys = (await contentOf(store)).map(([key]) => key);
  await store.close();
  return keys;
}

describe.each(DAMAGES)('a repair of a log with a damaged %s', (_, damage) => {
  it('returns to the batch before, and keeps the damaged file and all later files', async () => {
    const disk = await damagedStore(1, damage);
    const before = await filesOf(disk);
    const later = sortedFiles(before).filter((name) => name >= damage.file || name.startsWith('image'));

    const report = await repairStore(disk, DIRECTORY);

    expect(report).toMatchObject({ file: damage.file, lastSeq: damage.left });
    expect([...(report?.kept ?? [])].sort()).toEqual(later.map((name) => `damaged-${name}`));
    const kept = await filesOf(disk, 'damaged-');
    expect(kept).toEqual(new Map(later.map((name) => [name, before.get(name)])));
    expect(await keysIn(disk)).toEqual(keysUpTo(damage.left));
    expect(await repairStore(disk, DIRECTORY)).toBeUndefined();
  });

  it('is durable, with all kept files, when power fails right after', async () => {
    for (let seed = 1; seed <= 20; seed++) {
      const disk = await damagedStore(seed, damage);
      await repairStore(disk, DIRECTORY);
      const kept = await filesOf(disk, 'damaged-');

      const after = disk.restart();

      expect(await filesOf(after, 'damaged-')).toEqual(kept);
      expect(await keysIn(after)).toEqual(keysUpTo(damage.left));
    }
  });

  it('can be repeated after a power failure at any disk call', async () => {
    const measured = await damagedStore(1, damage);
    measured.plan({});
    await repairStore(measured, DIRECTORY);

    for (let crashAt = 1; crashAt <= measured.calls; crashAt++) {
      const disk = await damagedStore(crashAt, damage);
      disk.plan({ crashAt });
      await expect(repairStore(disk, DIRECTORY)).rejects.toMatchObject({ code: 'ECRASH' });
      const after = disk.restart();
      await repairStore(after, DIRECTORY);

      expect(await keysIn(after)).toEqual(keysUpTo(damage.left));
    }
  });
});
