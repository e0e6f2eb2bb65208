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

  it('names the schemas of other checks, and drops what killed ones have left', async () => {
    const schemas = { left: 'plexus_check_00000001', runs: 'plexus_check_00000002' };
    const [own, foreign] = ['plexus_check_00000003', 'plexus_check_of_mine'];
    const marked = (schema: string, until: string): string =>
      `CREATE SCHEMA ${schema};
       CREATE TABLE ${schema}.lease (name text PRIMARY KEY, node text NOT NULL, until timestamptz NOT NULL);
       INSERT INTO ${schema}.lease VALUES ('store check', 'x', ${until})`;
    await server.run('postgres', marked(schemas.left, `now() - interval '1 second'`));
    await server.run('postgres', marked(schemas.runs, `now() + interval '1 hour'`));
    await server.run('postgres', `CREATE SCHEMA ${own}; CREATE SCHEMA ${foreign}`);
    let renewals = 0;
    const renewed = setInterval(() => {
      renewals++;
      void server.run('postgres', `UPDATE ${schemas.runs}.lease SET until = now() + interval '1 hour'`);
    }, 100);

    const [named, dropped, after] = [
      await check(['--only', 'leases']),
      await check(['--only', 'leases', '--drop-leftovers']),
      await check(['--only', 'leases', '--format', 'json']),
    ];
    clearInterval(renewed);
    const kept = await server.rows(
      'postgres',
      `SELECT nspname FROM pg_namespace WHERE nspname LIKE 'plexus_check_%' ORDER BY nspname`,
    );

    expect([named.code, dropped.code, after.code]).toEqual([0, 0, 0]);
    expect(named.stdout).toContain(
      `\n${schemas.left}: left by a check that was killed: --drop-leftovers drops`,
    );
    expect(dropped.stdout).toContain(`\n${schemas.left}: left by a check that was killed, and dropped\n`);
    for (const { stdout } of [named, dropped]) {
      expect(stdout).toContain(`\n${schemas.runs}: of another check, which is running\n`);
      expect(stdout).toContain(`\n${own}: perhaps of another check`);
      expect(stdout).not.toContain(foreign);
    }
    expect(JSON.parse(after.stdout)).toMatchObject({
      database: {
        other_schemas: [
          { schema: schemas.runs, state: 'running' },
          { schema: own, state: 'unknown' },
        ],
      },
    });
    expect(kept.map(({ nspname }) => nspname)).toEqual([schemas.runs, own, foreign]);
    expect(renewals).toBeGreaterThan(0);
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
