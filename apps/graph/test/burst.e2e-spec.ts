/** More simultaneous clients than the server accepts at once: the backlog holds them, and none is reset. */
import { expect, it } from '@jest/globals';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BURST, burstMissing, describeUnless, waitingOf } from '#testing';
import { startServer } from './support/built-program.ts';

describeUnless(burstMissing())('a burst of clients', () => {
  it('waits in the backlog until the server accepts it', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'plexus-burst-'));
    const server = await startServer(['--data-dir', directory]);
    try {
      server.child.kill('SIGSTOP');

      expect(await waitingOf(Number(new URL(server.url).port))).toBe(BURST);
    } finally {
      await server.end('SIGKILL');
      await rm(directory, { recursive: true, force: true });
    }
  });
});
