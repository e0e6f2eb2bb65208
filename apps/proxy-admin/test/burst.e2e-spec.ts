/** More simultaneous clients than a listener accepts at once: the system queues them, and resets none. */
import { expect, it } from '@jest/globals';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BURST, burstMissing, describeUnless, waitingOf } from '#testing';
import { BuiltProxy } from './support/built-proxy.ts';

const CONFIG = `admin_address: 127.0.0.1:0
admin: { extensions: true }
listeners: [{ name: web, address: '127.0.0.1:0' }]
clusters: [{ name: api, endpoints: [{ address: '127.0.0.1:1' }] }]
routes: [{ prefix: /, cluster: api }]
`;

describeUnless(burstMissing())('a burst of clients', () => {
  it('waits until the listener accepts it', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'plexus-burst-'));
    const file = join(directory, 'proxy.yaml');
    await writeFile(file, CONFIG);
    const proxy = await BuiltProxy.start(file);
    try {
      proxy.child.kill('SIGSTOP');

      const { port } = new URL(`http://${proxy.addressOf('web')}`);
      expect(await waitingOf(Number(port))).toBe(BURST);
    } finally {
      await proxy.end('SIGKILL');
      await rm(directory, { recursive: true, force: true });
    }
  });
});
