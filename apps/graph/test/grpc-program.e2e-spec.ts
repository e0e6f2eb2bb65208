import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GraphCaller } from '#graph/testing';
import { runProgram, startServer } from './support/built-program.ts';
import { TakenPort } from './support/taken-port.ts';

describe('plexus serve --grpc-port', () => {
  let directory: string;
  let taken: TakenPort;

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'plexus-grpc-'));
    taken = await TakenPort.open();
  });
  afterEach(async () => {
    taken.close();
    await rm(directory, { recursive: true });
  });

  it('prints its address, answers there, and exits on SIGTERM', async () => {
    const server = await startServer(['--data-dir', directory, '--grpc-port', '0']);
    const listening = server.log.find((line) => line.includes('server.listening')) ?? '{}';
    const { grpc, tls } = JSON.parse(listening) as { readonly grpc: string; readonly tls: boolean };
    const caller = new GraphCaller(grpc);
    const { verbs } = await caller.schema();
    const code = await server.end('SIGTERM');
    caller.close();

    expect([verbs, tls, code]).toEqual([[], false, 0]);
  });

  it('reports a port in use and exits as for HTTP', async () => {
    const flags = ['serve', '--port', '0', '--data-dir', directory];
    const grpc = await runProgram([...flags, '--grpc-port', taken.port]);
    const http = await runProgram([
      'serve',
      '--port',
      taken.port,
      '--data-dir',
      directory,
      '--grpc-port',
      '0',
    ]);

    expect(grpc.stderr).toContain(`plexus: cannot listen on 127.0.0.1:${taken.port} for gRPC: EADDRINUSE`);
    expect(http.stderr).toContain('EADDRINUSE');
    expect([grpc.code, http.code]).toEqual([1, 1]);
  });

  it.each([
    [['--grpc-tls-cert', 'x.pem'], 'expected both --grpc-tls-cert and --grpc-tls-key, or neither'],
    [['--grpc-tls-ca', 'x.pem'], 'expected both --grpc-tls-cert and --grpc-tls-key, or neither'],
    [['--grpc-tls-cert', 'x.pem', '--grpc-tls-key', 'x.key'], 'x.pem: cannot be read: ENOENT'],
    [
      ['--grpc-tls-cert', 'package.json', '--grpc-tls-key', 'x.key'],
      'package.json: expected a certificate in PEM',
    ],
    [['--grpc-port', '70000'], '--grpc-port: expected a whole number from 0 to 65535'],
  ])('ends with 2 for %j', async (flags, message) => {
    const { code, stderr } = await runProgram(['serve', '--data-dir', directory, ...flags]);

    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  });
});
