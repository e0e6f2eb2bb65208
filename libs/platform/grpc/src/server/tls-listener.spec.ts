import { expect, it } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeUnless } from '#testing';
import { type RefusedHandshake, TlsListener } from './tls-listener.ts';
import type { ServerTls } from '#platform/tls';

const HANDSHAKE_MS = 20;

const describeWithOpenssl = describeUnless(
  isOpensslInstalled() ? undefined : 'openssl is not installed; Debian: apt-get install openssl',
);

describeWithOpenssl('TlsListener', () => {
  it.each([
    ['sends nothing', ''],
    ['stops in its first message', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
  ])('closes a client that %s', async (_, sent) => {
    const refused: RefusedHandshake[] = [];
    const listener = new TlsListener({
      material: makeMaterial(),
      onConnection: (socket) => socket.destroy(),
      onRefused: (each) => refused.push(each),
      handshakeMs: HANDSHAKE_MS,
    });
    const port = await listener.listen('127.0.0.1', 0);

    const client = connect(port, '127.0.0.1').on('error', () => undefined);
    client.resume().write(sent, 'latin1');
    await new Promise((resolve) => client.once('close', resolve));
    listener.close();

    expect(refused).toEqual([
      { peer: expect.stringContaining('127.0.0.1:'), reason: 'ERR_TLS_HANDSHAKE_TIMEOUT' },
    ]);
  });
});

function isOpensslInstalled(): boolean {
  try {
    execFileSync('openssl', ['version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

function makeMaterial(): ServerTls {
  const directory = mkdtempSync(join(tmpdir(), 'plexus-tls-listener-'));
  const [cert, key] = [join(directory, 'cert.pem'), join(directory, 'key.pem')];
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
  try {
    execFileSync('openssl', ['req', '-x509', ...kind, '-subj', '/CN=a', '-keyout', key, '-out', cert], {
      stdio: 'pipe',
    });
    return { cert: readFileSync(cert), key: readFileSync(key) };
  } finally {
    rmSync(directory, { recursive: true });
  }
}
