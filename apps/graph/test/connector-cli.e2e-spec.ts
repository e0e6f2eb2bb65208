import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RunRecord } from '#graph/connector';
import { type Run, runProgram, startProgram, startServer } from './support/built-program.ts';

const LOCK = JSON.stringify({
  name: 'shop',
  lockfileVersion: 3,
  packages: { '': { name: 'shop', dependencies: { a: '1' } }, 'node_modules/a': { version: '1.0.0' } },
});

describe('plexus connector', () => {
  let directory: string;
  let dataDir: string;
  let connectors: string;

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'plexus-connector-'));
    dataDir = join(directory, 'data');
    connectors = join(directory, 'connectors');
    await mkdir(connectors);
    await writeFile(join(directory, 'package-lock.json'), LOCK);
    await writeFile(
      join(connectors, 'bill.yaml'),
      'connector: sbom\nconfig:\n  file: ../package-lock.json\n',
    );
    await writeFile(
      join(connectors, 'demo.yaml'),
      'connector: synthetic\nconfig: { hosts: 5, services: 2 }\n',
    );
  });
  afterEach(() => rm(directory, { recursive: true, force: true }));

  const local = (...args: string[]): Promise<Run> =>
    runProgram(['connector', ...args, '--connectors', connectors, '--data-dir', dataDir]);

  it('lists the configured connectors without creating a store', async () => {
    const { code, stdout } = await local('list');

    expect(code).toBe(0);
    expect(stdout).toMatch(/^bill +sbom +manual +never +never$/m);
    expect(stdout).toMatch(/^demo +synthetic +manual +never +never$/m);
    expect(await readdir(directory)).not.toContain('data');
  });

  it('ends although a module leaves a timer behind', async () => {
    const steps = `[{ id: 'a', emits: { entities: ['host'] }, run() { setInterval(() => undefined, 1000); } }]`;
    const text = `({ defineConnector }) => defineConnector({ name: 'own', about: 'x', config: {}, steps: () => ${steps} })`;
    await writeFile(join(connectors, 'own.mjs'), `export const connector = ${text};\n`);
    await writeFile(join(connectors, 'own.yaml'), 'connector: ./own.mjs\n');

    expect(await local('run', 'own')).toMatchObject({ code: 0 });
  });

  it('writes a module, a test and a sample that pass and run as they are', async () => {
    const written = await runProgram(['connector', 'new', 'crm-hosts', '--connectors', connectors]);
    const again = await runProgram(['connector', 'new', 'crm-hosts', '--connectors', connectors]);
    const tested = await runProgram(['connector', 'test', 'crm-hosts', '--connectors', connectors]);
    const list = await local('list');

    expect(written.code).toBe(0);
    expect(await readdir(connectors)).toEqual(
      expect.arrayContaining(['crm-hosts.mjs', 'crm-hosts.test.mjs', 'crm-hosts.yaml']),
    );
    expect(again.code).toBe(1);
    expect(again.stderr).toContain('nothing is overwritten');
    expect(tested).toMatchObject({
      code: 0,
      stdout: [
        'ok  reads all pages, also after it was told to wait',
        'ok  reads only what has changed since the last run',
        'ok  sends the token, and fails with the status of a refusal',
        '',
      ].join('\n'),
    });
    expect(list.stdout).toContain(
      'crm-hosts cannot run: config.token_env: the environment variable CRM_HOSTS_TOKEN',
    );
  });

  it('reports a test of a module that fails, and a file without tests', async () => {
    await runProgram(['connector', 'new', 'own', '--connectors', connectors]);
    const test = join(connectors, 'own.test.mjs');
    await writeFile(
      test,
      "export const tests = () => ({ 'knows a': () => { throw new Error('no a'); } });\n",
    );
    const failed = await runProgram(['connector', 'test', 'own', '--connectors', connectors]);
    await writeFile(test, 'export const x = 1;\n');
    const none = await runProgram(['connector', 'test', 'own', '--connectors', connectors]);
    const wrong = await runProgram(['connector', 'new', '../own', '--connectors', connectors]);

    expect(failed).toMatchObject({ code: 1, stdout: 'FAILED  knows a\n    no a\n' });
    expect(none.stderr).toContain('expected a file that exports tests');
    expect(wrong).toMatchObject({ code: 2 });
  });

  it('stops a run of a server, which then syncs nothing', async () => {
    const steps = `[{ id: 'a', emits: { entities: ['host'] }, async run(context) { context.emitEntity({ type: 'host', key: 'a' }); await context.sleep(600000); } }]`;
    const text = `({ defineConnector }) => defineConnector({ name: 'own', about: 'x', config: {}, steps: () => ${steps} })`;
    await writeFile(join(connectors, 'own.mjs'), `export const connector = ${text};\n`);
    await writeFile(join(connectors, 'own.yaml'), 'connector: ./own.mjs\n');
    const server = await startServer(['--data-dir', dataDir, '--connectors', connectors]);
    const begun = await fetch(`${server.url}/v1/connectors/own/run`, { method: 'POST' });

    const stopped = await runProgram(['connector', 'stop', 'own', '--url', server.url]);
    const again = await runProgram(['connector', 'stop', 'own', '--url', server.url]);
    const hosts = await runProgram(['query', 'FIND host', '--format', 'csv', '--url', server.url]);
    await server.end('SIGTERM');

    expect(begun.status).toBe(202);
    expect(stopped).toMatchObject({ code: 0, stdout: 'the run of own is aborted\n' });
    expect(again).toMatchObject({ code: 1 });
    expect(again.stderr).toContain('no run of own is in progress');
    expect(hosts.stdout).not.toContain('host');
  });

  it('lists why a connector cannot run, also of a server', async () => {
    await writeFile(
      join(connectors, 'crm.yaml'),
      'connector: postgres\nconfig: { host: localhost, database: crm, user: u, password_env: CRM_UNSET }\n',
    );
    await writeFile(join(connectors, 'gone.yaml'), 'connector: ./gone.mjs\n');
    await writeFile(join(connectors, 'left.yaml'), 'connector: ./left.mjs\n');
    await writeFile(join(connectors, 'left.mjs'), "Promise.reject(new Error('at its top level'));\n");
    const here = await local('list');
    const server = await startServer(['--data-dir', dataDir, '--connectors', connectors]);

    const lists = [here, await runProgram(['connector', 'list', '--url', server.url])];
    await server.end('SIGTERM');

    for (const { code, stdout } of lists) {
      expect(code).toBe(0);
      expect(stdout).toMatch(/^crm +postgres +manual +never +never$/m);
      expect(stdout).toMatch(
        /^crm cannot run: config.password_env: the environment variable CRM_UNSET is not set$/m,
      );
      expect(stdout).toMatch(/^gone cannot run: connector: cannot load .\/gone.mjs: Cannot find module/m);
      expect(stdout).toMatch(/^left cannot run: connector: cannot load .\/left.mjs: at its top level$/m);
    }
  });

  it('runs one on a data directory, with plain lines of progress on standard error', async () => {
    const run = await local('run', 'bill');
    const list = await local('list');
    const count = await runProgram(['query', 'FIND npm_package', '--format', 'csv', '--data-dir', dataDir]);

    expect(run.code).toBe(0);
    expect(run.stderr).toMatch(/^wave 1 {2}bill done: 2 entities, 1 relationship in \d+ ms$/m);
    expect(run.stderr).toMatch(/^total {3}complete: 2 entities, 1 relationship, 0 mapped$/m);
    expect(run.stdout).toMatch(/^created +2 +1$/m);
    expect(list.stdout).toMatch(/^bill +sbom +manual +complete +\d{4}-\S+Z +2 +0 +0 +0$/m);
    expect(count.stdout).toContain('a@1.0.0');
  });

  it('writes only to a given place, and to one place only', async () => {
    const nowhere = 'http://127.0.0.1:1';
    const here = ['--connectors', connectors];
    const runs = await Promise.all([
      runProgram(['connector', 'run', 'demo', ...here]),
      runProgram(['ingest', '-'], { stdin: '' }),
      runProgram(['queries', 'import', '-'], { stdin: '' }),
      runProgram(['restore', '-'], { stdin: '' }),
      runProgram(['connector', 'run', 'demo', ...here, '--url', nowhere]),
      runProgram(['query', 'FIND host', '--data-dir', dataDir, '--url', nowhere]),
      runProgram(['mcp', '--rules', connectors, '--url', nowhere]),
      runProgram(['connector', 'list', '--url', 'http://ops:correct-horse@127.0.0.1:1']),
    ]);

    expect(runs.map(({ code }) => code)).toEqual([2, 2, 2, 2, 2, 2, 2, 1]);
    expect(runs.map(({ stderr }) => stderr.split('\n', 1)[0])).toEqual([
      'plexus: expected --data-dir or --url: where to write',
      'plexus: expected --data-dir or --url: where to write',
      'plexus: expected --data-dir or --url: where to write',
      'plexus: expected --data-dir: where to write',
      'plexus: expected --connectors or --url, got both: a server has its own',
      'plexus: expected --data-dir or --url, got both: a server has its own',
      'plexus: expected --rules or --url, got both: a server has its own',
      'plexus: no server answers at http://127.0.0.1:1',
    ]);
    expect(await readdir(directory)).not.toContain('data');
  });

  it('prefers a directory of the command line to a server of the environment', async () => {
    await local('run', 'demo');
    const environment = { PLEXUS_URL: 'http://127.0.0.1:1' };
    const query = ['query', 'FIND host RETURN COUNT(*)', '--data-dir', dataDir];

    expect(await runProgram(query, { environment })).toMatchObject({ code: 0 });
  });

  it('hints at the server that holds the directory', async () => {
    const server = await startServer(['--data-dir', dataDir]);
    const run = await runProgram(['query', 'FIND host', '--data-dir', dataDir]);
    await server.end('SIGTERM');

    expect(run.code).toBe(1);
    expect(run.stderr).toMatch(
      /^plexus: the data directory is held by process \d+: if that is a server, ask it/,
    );
    expect(run.stderr).toContain('--url http://127.0.0.1:');
  });

  it('prints the report as JSON', async () => {
    const { code, stdout } = await local('run', 'demo', '--format', 'json');

    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ connector_id: 'demo', status: 'complete', entities: 27 });
  });

  it('exits with 1 and the reason if the source is unreachable', async () => {
    await rm(join(directory, 'package-lock.json'));

    const { code, stdout, stderr } = await local('run', 'bill');

    expect([code, stdout]).toEqual([1, 'nothing was synced\n']);
    expect(stderr).toContain(
      'plexus: the run of bill is failed: bill: cannot open the file package-lock.json: ENOENT',
    );
  });

  it('exits with 1 for an unknown connector, and with 2 and the position for a file with a typo', async () => {
    const unknown = await local('run', 'dmo');
    await writeFile(join(connectors, 'bill.yaml'), 'connector: sbom\nconfig:\n  flie: x\n');
    const typo = await local('list');

    expect([unknown.code, unknown.stderr]).toEqual([1, 'plexus: no such connector: did you mean demo?\n']);
    expect(typo.code).toBe(2);
    expect(typo.stderr).toMatch(/bill\.yaml:3:3: unknown key "flie", did you mean file\?/);
  });

  it('runs the connectors of a server, which does not start with an invalid file', async () => {
    const server = await startServer(['--data-dir', dataDir, '--connectors', connectors]);
    const run = await runProgram(['connector', 'run', 'demo', '--url', server.url]);
    const list = await runProgram(['connector', 'list', '--url', server.url]);
    await server.end('SIGTERM');
    await writeFile(join(connectors, 'bad.yaml'), 'connector: nonsense\n');
    const refused = await runProgram(['serve', '--data-dir', dataDir, '--connectors', connectors]);

    expect(run.code).toBe(0);
    expect(run.stderr).toMatch(/^total {3}complete: 27 entities/m);
    expect(list.stdout).toMatch(/^demo +synthetic +manual +complete +\d{4}-\S+Z +27 /m);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain('bad.yaml:1:12: there is no connector "nonsense"');
  });

  it('charges errors outside of the promise of a step to the step, and the server continues', async () => {
    const module = `
      import { existsSync } from 'node:fs';
      const isOver = new URL('./over', import.meta.url);
      const forever = () => new Promise(() => undefined);
      const stepsOf = ({ hasEnded, hasEmitted }) => ({
        rejects: async () => { [1].forEach(async () => { await null; throw new Error('not awaited'); }); await forever(); },
        throws: async () => { setTimeout(() => { throw new Error('in a timer'); }, 0); await forever(); },
        early: async (context) => {
          hasEnded.promise.then(() => context.emitEntity({ type: 'host', key: 'b' })).finally(hasEmitted.resolve);
        },
        late: async () => {
          const look = setInterval(() => {
            if (!existsSync(isOver)) return;
            clearInterval(look);
            throw new Error('after the run');
          }, 10);
        },
      });
      export const connector = ({ defineConnector, wordField }) => defineConnector({
        name: 'own', about: 'faulty', config: { step: wordField({ about: 'which' }, ['rejects', 'throws', 'early', 'late']) },
        steps: ({ step }) => {
          const [hasEnded, hasEmitted] = [Promise.withResolvers(), Promise.withResolvers()];
          const next = async () => { if (step === 'early') { hasEnded.resolve(); await hasEmitted.promise; } };
          return [
            { id: 'one', emits: { entities: ['host'] }, run: stepsOf({ hasEnded, hasEmitted })[step] },
            { id: 'next', dependsOn: ['one'], run: next },
          ];
        },
      });`;
    await writeFile(join(connectors, 'own.mjs'), module);
    const names = ['rejects', 'throws', 'early', 'late'];
    for (const name of names) {
      await writeFile(join(connectors, `${name}.yaml`), `connector: ./own.mjs\nconfig: { step: ${name} }\n`);
    }
    const server = await startServer(['--data-dir', dataDir, '--connectors', connectors]);

    const runs: Run[] = [];
    for (const name of names)
      runs.push(await runProgram(['connector', 'run', name, '--url', server.url, '--format', 'json']));
    await writeFile(join(connectors, 'over'), '');
    await server.lineWith('connector.late_error', 2);
    const health = await fetch(`${server.url}/v1/health`);
    await server.end('SIGTERM');

    expect(runs.map(({ stdout }) => JSON.parse(stdout) as RunRecord)).toMatchObject([
      { status: 'failed', reason: 'one: not awaited' },
      { status: 'failed', reason: 'one: in a timer' },
      { status: 'partial', partial_types: ['host'], warnings: [expect.stringContaining('has ended')] },
      { status: 'complete' },
    ]);
    expect(health.status).toBe(200);
  });

  it('keeps the runs of a killed server, the interrupted one included', async () => {
    const { listener, port } = await silence();
    await writeFile(join(connectors, 'silent.yaml'), silentLdap(port));
    const args = ['--data-dir', dataDir, '--connectors', connectors];
    const begun = async (url: string, id: string) => {
      const reply = await fetch(`${url}/v1/connectors/${id}/run`, { method: 'POST' });
      return ((await reply.json()) as RunRecord).run_id;
    };
    const server = await startServer(args);
    const done = await begun(server.url, 'demo');
    await server.lineWith('connector.ended', 1);
    let record = await runOf(server.url, done);
    while (record.ended_at === null) record = await runOf(server.url, done);
    const killed = await begun(server.url, 'silent');
    await server.end('SIGKILL');
    listener.close();

    const survivor = await startServer(args);
    const after = [await runOf(survivor.url, done), await runOf(survivor.url, killed)];
    const history = (await (await fetch(`${survivor.url}/v1/connectors/silent/runs`)).json()) as object;
    const list = await runProgram(['connector', 'list', '--url', survivor.url]);
    await survivor.end('SIGTERM');

    expect(after[0]).toEqual(record);
    expect(after[1]).toMatchObject({ run_id: killed, status: 'interrupted', ended_at: expect.any(String) });
    expect(history).toEqual({ count: 1, runs: [after[1]] });
    expect(list.stdout).toMatch(/^demo +synthetic +manual +complete +\d{4}-/m);
    expect(list.stdout).toMatch(/^silent +ldap +manual +interrupted +never$/m);
  });

  it.each([
    ['SIGTERM', 'an LDAP', silentLdap],
    ['SIGTERM', 'a PostgreSQL', silentPostgres],
    ['SIGKILL', 'an LDAP', silentLdap],
  ] as const)(
    'leaves nothing of a run that %s ends while %s server is silent',
    async (signal, _name, silent) => {
      const { listener, port } = await silence();
      await writeFile(join(connectors, 'silent.yaml'), silent(port));

      const child = startProgram([
        'connector',
        'run',
        'silent',
        '--connectors',
        connectors,
        '--data-dir',
        dataDir,
      ]);
      const ended = once(child, 'close') as Promise<[number | null]>;
      await once(listener, 'connection');
      child.kill(signal);
      const [code] = await ended;
      listener.close();

      const stats = await runProgram(['stats', '--data-dir', dataDir]);
      expect(code).toBe(signal === 'SIGKILL' ? null : 1);
      expect(JSON.parse(stats.stdout)).toMatchObject({ total_entities: 0 });
    },
  );
});

async function runOf(url: string, id: string): Promise<RunRecord> {
  return (await (await fetch(`${url}/v1/connectors/runs/${id}`)).json()) as RunRecord;
}

/** Accepts connections and sends nothing. */
async function silence(): Promise<{ readonly listener: Server; readonly port: number }> {
  const listener = createServer().listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const address = listener.address();
  return { listener, port: typeof address === 'object' ? (address?.port ?? 0) : 0 };
}

function silentLdap(port: number): string {
  return `connector: ldap\nconfig: { url: 'ldap://127.0.0.1:${port}', base_dn: 'dc=x' }\n`;
}

function silentPostgres(port: number): string {
  return `connector: postgres\nconfig: { host: 127.0.0.1, port: ${port}, user: reader }\n`;
}
