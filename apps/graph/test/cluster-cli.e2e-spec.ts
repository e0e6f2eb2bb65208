import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PostgresServer } from '#graph/testing';
import { hostsOf } from './support/seq-token.ts';
import { type Run, runProgram } from './support/built-program.ts';
import { TestService } from './support/test-service.ts';

describe('plexus wal dump --store', () => {
  let server: PostgresServer;
  let url: string;
  let service: TestService;

  beforeAll(async () => {
    server = await PostgresServer.start();
    url = `postgres://postgres@127.0.0.1:${String(server.port)}/postgres`;
    const environment = { PLEXUS_STORE_URL: url, PLEXUS_STORE_PASSWORD: server.password };
    service = await TestService.start({ environment });
    for (const keys of [['web-01'], ['db', 'cache']])
      await service.json(200, 'POST', '/v1/ingest/write', hostsOf(...keys));
  });
  afterAll(async () => {
    await service.stop();
    await server.stop();
  });

  const dump = (...args: string[]): Promise<Run> =>
    runProgram(['wal', 'dump', '--store', url, ...args], {
      environment: { PLEXUS_STORE_PASSWORD: server.password },
    });

  it('prints the batches of a shared log in the form of a local log, beside a running service', async () => {
    const brief = await dump();
    const verbose = await dump('--verbose');

    expect([brief.code, brief.stderr]).toEqual([0, '']);
    expect(brief.stdout).toMatch(
      /^seq 1 {2}4 operations {2}\d+ bytes\nseq 2 {2}5 operations {2}\d+ bytes\n2 batches, 9 operations, \d+ bytes\n$/,
    );
    expect(verbose.stdout).toContain(' + former records of batch 1\n');
    expect(verbose.stdout).toMatch(/ \+ entity \[host\] web-01 \([0-9a-f]{32}\)\n/);
  });

  it('creates no schema, and rejects a directory beside the store', async () => {
    const nowhere = await dump('--store-schema', 'nowhere');
    const both = await dump('--data-dir', 'x');
    const schemas = await server.rows('postgres', `SELECT 1 FROM pg_namespace WHERE nspname = 'nowhere'`);

    expect(nowhere).toEqual({
      code: 1,
      stdout: '',
      stderr: 'plexus: there is no store in the schema nowhere\n',
    });
    expect(both.code).toBe(2);
    expect(schemas).toEqual([]);
  });

  it('names a damaged batch, shows the others, and exits with 1', async () => {
    await service.json(200, 'POST', '/v1/ingest/write', hostsOf('last'));
    await server.run('postgres', `UPDATE plexus.frame SET body = 'nonsense' WHERE seq = 2`);

    const run = await dump();

    expect([run.code, run.stderr]).toEqual([1, 'plexus: the log is corrupt in the database\n']);
    expect(run.stdout).toMatch(/^seq 1 .*\ncorrupt: batch 2 .* is damaged\nseq 3 .*\n2 batches, /);
  });
});
