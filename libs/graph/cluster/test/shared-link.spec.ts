import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Secret } from '#platform/foundation';
import { SharedLink } from '../src/shared-link.ts';
import { parseStoreAddress } from '../src/index.ts';
import { Cluster } from './cluster-harness.ts';

const SILENT = { info: () => undefined, warn: () => undefined, error: () => undefined };

describe('SharedLink', () => {
  let cluster: Cluster;

  beforeAll(async () => {
    cluster = await Cluster.start();
  });
  afterAll(() => cluster.stop());

  it('holds and releases a lease as soon as it is open', async () => {
    const address = parseStoreAddress(cluster.url, new Secret(cluster.server.password));
    const open = (node: string) => SharedLink.open({ address, schema: 'plexus', node, log: SILENT });

    const first = await open('first');
    const isHeld = await first.hold('work', 60_000);
    await first.release('work');
    const second = await open('second');
    const isHeldNext = await second.hold('work', 60_000);
    await Promise.all([first.close(), second.close()]);

    expect([isHeld, isHeldNext]).toEqual([true, true]);
  });
});
