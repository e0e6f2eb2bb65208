import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import neo4j from 'neo4j-driver';
import { runProgram, type RunningServer, startServer } from './support/built-program.ts';
import { TakenPort } from './support/taken-port.ts';

describe('plexus serve --bolt-port', () => {
  let directory: string;
  let taken: TakenPort;

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'plexus-bolt-'));
    taken = await TakenPort.open();
  });
  afterEach(async () => {
    taken.close();
    await rm(directory, { recursive: true });
  });

  function boltOf({ log }: RunningServer): string {
    const listening = log.find((line) => line.includes('server.listening')) ?? '{}';
    return (JSON.parse(listening) as { readonly bolt: string }).bolt;
  }

  it('prints its address, and lets an open transaction end before it exits on SIGTERM', async () => {
    const server = await startServer(['--data-dir', directory, '--bolt-port', '0']);
    const driver = neo4j.driver(boltOf(server));
    const idle = driver.session();
    await idle.run('RETURN 1');
    const session = driver.session();
    const transaction = await session.beginTransaction();
    await transaction.run('CREATE (:box)');
    const ended = server.end('SIGTERM');
    await server.lineWith('server.stopping', 1);
    await transaction.commit();
    const code = await ended;
    await driver.close();
    const again = await startServer(['--data-dir', directory, '--bolt-port', '0']);
    const reader = neo4j.driver(boltOf(again));
    const { records } = await reader.executeQuery('MATCH (b:box) RETURN b');
    await reader.close();
    await again.end('SIGTERM');

    expect([code, records.length]).toEqual([0, 1]);
  });

  it('reports a port in use', async () => {
    const { code, stderr } = await runProgram([
      'serve',
      '--port',
      '0',
      '--data-dir',
      directory,
      '--bolt-port',
      taken.port,
    ]);

    expect(stderr).toContain(`plexus: cannot listen on 127.0.0.1:${taken.port} for Bolt: EADDRINUSE`);
    expect(code).toBe(1);
  });

  it.each([
    [['--bolt-tls-cert', 'x.pem'], 'expected both --bolt-tls-cert and --bolt-tls-key, or neither'],
    [['--bolt-tls-cert', 'x.pem', '--bolt-tls-key', 'y.pem'], 'x.pem: cannot be read: ENOENT'],
    [['--bolt-port', '70000'], '--bolt-port: expected a whole number from 0 to 65535'],
  ])('refuses %j', async (flags, message) => {
    const { code, stderr } = await runProgram(['serve', '--port', '0', '--data-dir', directory, ...flags]);

    expect(stderr).toContain(message);
    expect(code).not.toBe(0);
  });
});
