import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PostgresServer } from '#graph/testing';
import { type Run, runProgram } from './support/built-program.ts';

describe('plexus store check', () => {
  let server: PostgresServer;

  beforeAll(async () => {
    server = await PostgresServer.start();
  });
  afterAll(() => server.stop());

  const check = (
    args: readonly string[],
    { user = 'postgres', password = server.password } = {},
  ): Promise<Run> =>
    runProgram(['store', 'check', `postgres://${user}@127.0.0.1:${String(server.port)}/postgres`, ...args], {
      environment: { PLEXUS_STORE_PASSWORD: password },
    });

  it('prints the held checks and exits with 0', async () => {
    const run = await check(['--only', 'leases,WS']);

    expect([run.code, run.stderr]).toEqual([0, '']);
    expect(run.stdout).toMatch(
      new RegExp(
        [
          '^PostgreSQL 18.*',
          'at 127\\.0\\.0\\.1:\\d+, in a schema of its own, plexus_check_[0-9a-f]{8}',
          'fsync: off, so a crash of its machine may lose the store',
          'synchronous_commit: on',
          'synchronous standby: none, so the loss of its machine may lose the last writes',
          'news: by NOTIFY',
          "clock: \\d+ ms (?:behind|ahead of) this machine's",
          '',
          'Conformance: .*',
          '  held     leases     one node at a time holds a lease +10 leases, held, released, ended',
          '',
          'Isolation: .*',
          '  held     WS         write skew +\\d+ pairs on two nodes each; the deletion came first \\d+ times',
          '',
          '2 held, 0 broken, 0 unknown\n$',
        ].join('\n'),
      ),
    );
  });

  it('prints the same as JSON', async () => {
    const run = await check(['--only', 'leases', '--format', 'json']);

    expect(run.code).toBe(0);
    expect(JSON.parse(run.stdout)).toMatchObject({
      database: { fsync: 'off', synchronous_commit: 'on', synchronous_standby: false, notify: true },
      checks: [{ group: 'conformance', id: 'leases', verdict: 'held', violations: [] }],
      counts: { held: 1, broken: 0, unknown: 0 },
    });
  });

  it('rejects unknown checks, and reports missing rights', async () => {
    await server.run('postgres', `CREATE ROLE reader LOGIN PASSWORD 'secret-of-reader'`);

    const unknown = await check(['--only', 'leases,G9']);
    const short = await check(['--seconds', '0']);
    const refused = await check([], { password: 'another-secret' });
    const reader = await check([], { user: 'reader', password: 'secret-of-reader' });

    expect([unknown.code, unknown.stderr.includes('there is no check G9')]).toEqual([2, true]);
    expect([short.code, short.stderr.includes('expected a whole number from 1')]).toEqual([2, true]);
    expect([refused.code, refused.stdout]).toEqual([1, '']);
    expect(refused.stderr).toMatch(/^plexus: .*password authentication failed.*\n$/);
    expect([reader.code, reader.stdout]).toEqual([1, '']);
    expect(reader.stderr).toMatch(/^plexus: .*cannot be made.*permission denied for database postgres.*\n$/);
    expect(refused.stderr + reader.stderr).not.toMatch(/another-secret|secret-of-reader/);
  });
});
