import { describe, expect, it } from '@jest/globals';
import type { EdgeIdentity } from '#load/protocol';
import { systemClock } from '#platform/foundation';
import { CrashDisk } from '#testing';
import { EdgeRegistry } from './edge-registry.ts';

function identity(edgeId: string, instanceId = '1'): EdgeIdentity {
  return { edgeId, instanceId, version: '0.1.0', hostname: 'h', labels: { zone: 'a' }, workers: 1, cores: 2 };
}

async function makeDisk(): Promise<CrashDisk> {
  const disk = new CrashDisk(11);
  await disk.makeDirectory('/data');
  return disk;
}

function open(disk: CrashDisk): Promise<EdgeRegistry> {
  return EdgeRegistry.open({ disk, directory: '/data', clock: systemClock });
}

describe('EdgeRegistry', () => {
  it('restores registrations in order, and removals, after a crash', async () => {
    const disk = await makeDisk();
    const registry = await open(disk);
    await Promise.all(['c', 'a', 'b'].map((id) => registry.register(identity(id))));
    await registry.remove('a');

    const found = await open(disk.restart());

    expect(found.list()).toEqual(registry.list());
    expect(found.list().map(({ edgeId }) => edgeId)).toEqual(['c', 'b']);
  });

  it('keeps an edge if the disk is too full to save its removal, and removes it once there is space', async () => {
    const disk = await makeDisk();
    const registry = await open(disk);
    const a = await registry.register(identity('a'));
    await registry.register(identity('b'));
    disk.plan({ capacityBytes: 10 });

    await expect(registry.remove('a')).rejects.toMatchObject({ code: 'NO_DISK_SPACE' });

    expect(registry.admit(a)).toBe(a);
    disk.plan({});
    expect(await registry.remove('a')).toBe(true);
    expect((await open(disk.restart())).list().map(({ edgeId }) => edgeId)).toEqual(['b']);
  });

  it('returns a higher fence with each registration, also after a restart', async () => {
    const disk = await makeDisk();
    const registry = await open(disk);
    const first = await registry.register(identity('a'));
    const second = await registry.register(identity('a', '2'));
    const third = await (await open(disk.restart())).register(identity('a', '2'));

    expect(second.fence).toBeGreaterThan(first.fence);
    expect(third.fence).toBeGreaterThan(second.fence);
  });

  it('admits only the latest registration of an edge', async () => {
    const registry = await open(await makeDisk());
    const earlier = await registry.register(identity('a'));
    const later = await registry.register(identity('a', '2'));

    expect(registry.admit(later)).toBe(later);
    for (const credential of [earlier, { ...later, fence: 99 }, { ...later, edgeId: 'b' }]) {
      expect(() => registry.admit(credential)).toThrow(expect.objectContaining({ code: 'EDGE_EVICTED' }));
    }
  });

  it('rejects an instance that was replaced by another, also after a restart', async () => {
    const disk = await makeDisk();
    const registry = await open(disk);
    await registry.register(identity('a', '1'));
    await registry.register(identity('a', '2'));
    const found = await open(disk.restart());

    await expect(found.register(identity('a', '1'))).rejects.toMatchObject({ code: 'EDGE_EVICTED' });

    expect((await found.register(identity('a', '2'))).formerInstances).toEqual(['1']);
    expect((await found.register(identity('a', '3'))).formerInstances).toEqual(['1', '2']);
  });

  it('drops a registration that the full disk could not store', async () => {
    const disk = await makeDisk();
    const registry = await open(disk);
    await registry.register(identity('a'));
    disk.plan({ capacityBytes: 300 });

    await expect(registry.register(identity('b'))).rejects.toMatchObject({ code: 'NO_DISK_SPACE' });

    expect(registry.list().map(({ edgeId }) => edgeId)).toEqual(['a']);
  });

  it.each(['', '{', '[]', '{"format":2}', '{"format":1,"fence":1,"edges":[{}]}'])(
    'rejects a file with the content %j',
    async (text) => {
      const disk = await makeDisk();
      await disk.writeNew('/data/edges.json', Buffer.from(text));

      await expect(open(disk)).rejects.toMatchObject({ code: 'STORE_CORRUPT' });
    },
  );
});
