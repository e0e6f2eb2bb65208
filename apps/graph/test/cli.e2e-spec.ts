import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { VERSION } from '#platform/foundation';
import { type Run, runProgram, startProgram, startServer } from './support/built-program.ts';

const LINES = [
  { op: 'entity', type: 'host', key: 'web-01', properties: { os: 'linux', note: 'a,"b"' } },
  { op: 'entity', type: 'service', key: 'nginx' },
  {
    op: 'relationship',
    from: { type: 'host', key: 'web-01' },
    verb: 'RUNS',
    to: { type: 'service', key: 'nginx' },
  },
]
  .map((line) => `${JSON.stringify(line)}\n`)
  .join('');

describe('plexus', () => {
  let directory: string;
  let dataDir: string;

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'plexus-cli-'));
    dataDir = join(directory, 'data');
  });
  afterEach(() => rm(directory, { recursive: true, force: true }));

  const local = (...args: string[]): Promise<Run> => runProgram([...args, '--data-dir', dataDir]);
  const load = (): Promise<Run> => runProgram(['ingest', '-', '--data-dir', dataDir], { stdin: LINES });

  it('prints its version and its help', async () => {
    const version = await runProgram(['version']);
    const help = await runProgram(['--help']);

    expect(version).toEqual({ code: 0, stdout: `${VERSION}\n`, stderr: '' });
    expect([help.code, help.stdout]).toEqual([0, expect.stringContaining('serve')]);
  });

  it.each([
    [['nonsense']],
    [['serve', '--nonsense']],
    [['query']],
    [['query', 'FIND host', '--format', 'xml']],
    [['query', 'FIND host', '--param', 'nonsense']],
    [['query', 'FIND host', '--limit', '0']],
    [['serve', '--port', '70000']],
    [['version', 'more']],
    [['--log-format', 'xml', 'version']],
  ])('ends with 2 for %j', async (args) => {
    const run = await runProgram(args);

    expect([run.code, run.stdout]).toEqual([2, '']);
    expect(run.stderr).not.toBe('');
  });

  it.each([
    ['without rules', 2, ['--rules', '/nonexistent']],
    ['whose data directory cannot be created', 1, ['--data-dir', '/proc/plexus/data']],
    ['whose port is in use', 1, []],
  ])('ends a start %s with %i, and leaves no directory behind', async (_, code, args) => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const { port } = taken.address() as AddressInfo;

    const run = await runProgram(['serve', '--port', String(port), '--data-dir', dataDir, ...args]);
    taken.close();

    expect([run.code, await readdir(directory)]).toEqual([code, []]);
    expect(run.stderr).toMatch(/^plexus: .*(cannot|\/nonexistent)/m);
  });

  it('ends with 2 for the data directory of a hive', async () => {
    await mkdir(dataDir);
    await writeFile(join(dataDir, 'edges.json'), '');

    const run = await runProgram(['serve', '--port', '0', '--data-dir', dataDir]);

    expect([run.code, await readdir(dataDir)]).toEqual([2, ['edges.json']]);
    expect(run.stderr).toContain(`got ${dataDir}, which is that of a hive: it has edges.json`);
  });

  it('names every invalid variable in one message, without values', async () => {
    const environment = { PLEXUS_PORT: 'hunter2', PLEXUS_APIKEY: 'hunter2' };

    const run = await runProgram(['stats'], { environment });

    expect(run.code).toBe(2);
    expect(run.stderr).toMatch(
      /PLEXUS_APIKEY: no such setting, did you mean PLEXUS_API_KEY\?.*PLEXUS_PORT: expected/s,
    );
    expect(run.stderr).not.toContain('hunter2');
  });

  it('loads lines from a file and from standard input, and reports each rejected line', async () => {
    const file = join(directory, 'lines.ndjson');
    await writeFile(file, `${LINES}nonsense\n`);

    const piped = await load();
    const read = await local('ingest', file);

    expect(piped).toEqual({
      code: 0,
      stdout: '3 lines: 2 entities and 1 relationship written, 0 and 0 deleted, 0 errors\n',
      stderr: '',
    });
    expect([read.code, read.stdout]).toEqual([1, expect.stringContaining(', 1 error\n')]);
    expect(read.stderr).toContain('line 4: INVALID_REQUEST');
  });

  it.each([
    ['table', /^type +key +class .*\n─+ .*\nhost +web-01 +Host/],
    ['json', /^\{\n {2}"count": 1,\n {2}"entities": \[/],
    ['ndjson', /^\{"id":"[0-9a-f]{32}","type":"host".*\n\{"end":true,"count":1\}\n$/],
    ['csv', /^type,key,class,display_name,note,os\r\nhost,web-01,Host,web-01,.+,linux\r\n/],
  ])('shows a result as %s', async (format, expected) => {
    await load();

    const run = await local('query', 'FIND host WITH os = $os', '--param', 'os=linux', '--format', format);

    expect([run.code, run.stderr]).toEqual([0, '']);
    expect(run.stdout).toMatch(expected);
  });

  it.each(['query', 'cypher'])('reads the text of %s from a file or from standard input', async (command) => {
    await load();
    const text = command === 'query' ? 'FIND host RETURN COUNT' : 'MATCH (h:host) RETURN count(h) AS count';
    const file = join(directory, 'query.txt');
    await writeFile(file, `${text}\n`);
    const piped = (...args: readonly string[]): Promise<Run> =>
      runProgram([command, ...args, '--data-dir', dataDir], { stdin: text });

    const [given, read] = [await local(command, text), await local(command, '-f', file)];

    expect([given.code, given.stderr]).toEqual([0, '']);
    expect(await piped('-')).toEqual(given);
    expect(await piped('--file', '-')).toEqual(given);
    expect(read).toEqual(given);
  });

  it('expects one query: an argument or a file in UTF-8', async () => {
    const file = join(directory, 'query.txt');
    await writeFile(file, Buffer.from([0x46, 0xff]));
    const runs = [
      await local('query'),
      await local('query', 'FIND *', '-f', file),
      await local('query', '-f', file),
    ];

    expect(runs.map(({ code, stderr }) => [code, stderr.split('\n')[0]])).toEqual([
      [2, 'plexus: expected a query, - for standard input, or --file <file>'],
      [2, 'plexus: expected a query or --file, and there are both'],
      [2, `plexus: ${file}: expected UTF-8`],
    ]);
  });

  it('names a missing input file', async () => {
    const run = await local('ingest', 'no-such-file');

    expect(run).toEqual({ code: 1, stdout: '', stderr: 'plexus: no file at no-such-file\n' });
  });

  it.each([['ingest'], ['import']])('says that the input of %s is a directory', async (command) => {
    const run = await local(command, '/');

    expect(run).toEqual({
      code: 1,
      stdout: '',
      stderr: 'plexus: /: expected a file, got a directory (read: EISDIR)\n',
    });
  });

  it('shows the position of a syntax error', async () => {
    await load();

    const run = await local('query', 'FIND host LIMIT ten');

    expect([run.code, run.stdout]).toEqual([1, '']);
    expect(run.stderr).toContain('1 | FIND host LIMIT ten\n  |                 ^^^');
  });

  it.each(['query', 'backup', 'wal'])('makes no store where %s finds none', async (command) => {
    const args =
      { query: ['query', 'FIND host'], backup: ['backup', dataDir], wal: ['wal', 'dump'] }[command] ?? [];

    const run = await local(...args);

    expect(run).toEqual({ code: 1, stdout: '', stderr: `plexus: no data directory at ${dataDir}\n` });
    expect(await readdir(directory)).toEqual([]);
  });

  it('shows warnings beside the result', async () => {
    await load();

    const run = await local('query', 'FIND spaceship');

    expect(run.code).toBe(0);
    expect(run.stderr).toMatch(/^warning: .*spaceship/);
  });

  it('dumps the log, on request with each operation, and changes nothing', async () => {
    await load();
    const before = await readdir(dataDir);

    const brief = await local('wal', 'dump');
    const verbose = await local('wal', 'dump', '--verbose');

    expect(brief.stdout).toMatch(
      /^seq 1 {2}\d+ operations {2}\d+ bytes\n1 batch, \d+ operations, \d+ bytes\n$/,
    );
    expect(verbose.stdout).toMatch(/ \+ entity \[host\] web-01 \([0-9a-f]{32}\)\n/);
    expect(verbose.stdout).toMatch(/ \+ relationship \[RUNS\] .*web-01.* → .*nginx/);
    expect(await readdir(dataDir)).toEqual(before);
  });

  it('prints no control characters of the data, in the log nor in messages', async () => {
    const odd = 'a\u001b[2Jb\u009bc\rd\ne';
    const stdin = [
      { op: 'entity', type: 'host', key: 'k', display_name: odd },
      { op: 'entity', type: 'host', key: odd },
      {
        op: 'relationship',
        from: { type: 'host', key: `x${odd}` },
        verb: 'RUNS',
        to: { type: 'host', key: 'k' },
      },
    ].map((line) => `${JSON.stringify(line)}\n`);

    const loaded = await runProgram(['ingest', '-', '--data-dir', dataDir], { stdin: stdin.join('') });
    const outputs = [
      loaded.stderr,
      (await local('wal', 'dump', '--verbose')).stdout,
      (await local('query', `FIND BLAST RADIUS FROM 'a [2Jb c d e'`)).stderr,
      (await local('query', 'FIND host')).stdout,
    ];

    expect(loaded).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('line 3: DANGLING_RELATIONSHIP'),
    });
    expect(outputs[1]).toContain('[host] a [2Jb c d e (');
    for (const text of outputs) expect(text.replaceAll('\n', '')).not.toMatch(/\p{C}/u);
    expect(outputs[1]?.split('\n')).toHaveLength(8);
  });

  it('shows statistics, and copies the store', async () => {
    await load();
    const copy = join(directory, 'copy');

    const backup = await local('backup', copy);
    const stats = await runProgram(['stats', '--data-dir', copy]);

    expect([backup.code, stats.code]).toEqual([0, 0]);
    expect(JSON.parse(stats.stdout)).toMatchObject({ total_entities: 2, total_relationships: 1 });
  });

  it('serves other commands and exits with 0 on SIGTERM', async () => {
    const environment = { PLEXUS_API_KEY: 'k' };
    const server = await startServer(['--data-dir', dataDir], environment);
    const remote = (...args: string[]): Promise<Run> =>
      runProgram([...args, '--url', server.url], { environment, stdin: LINES });

    const loaded = await remote('ingest', '-');
    const found = await remote('query', 'FIND host RETURN _key, os', '--format', 'csv');
    const lines = await remote('query', 'FIND host', '--format', 'ndjson');
    const stats = await remote('stats');
    const keyless = await runProgram(['stats', '--url', server.url]);
    const second = await local('stats');
    const dump = await local('wal', 'dump');
    const code = await server.end('SIGTERM');

    expect(loaded.stdout).toContain('3 lines: 2 entities');
    expect(found.stdout).toBe('_key,os\r\nweb-01,linux\r\n');
    expect(lines.stdout).toMatch(/"end":true/);
    expect(JSON.parse(stats.stdout)).toMatchObject({ total_entities: 2 });
    expect([keyless.code, keyless.stderr]).toEqual([1, 'plexus: missing or invalid API key\n']);
    expect([second.code, second.stderr]).toEqual([1, expect.stringMatching(/lock|held/i)]);
    expect(dump.code).toBe(0);
    expect(code).toBe(0);
    for (const line of server.log) expect(JSON.parse(line)).toMatchObject({ level: expect.any(Number) });
    expect(server.log.join()).not.toContain('"k"');
  });

  it('accepts the log format before the command, and logs text by default', async () => {
    const before = startProgram(['--log-format', 'json', 'serve', '--port', '0', '--data-dir', dataDir]);
    const [json] = (await once(before.stderr, 'data')) as [Buffer];
    before.kill('SIGTERM');
    await once(before, 'close');
    const without = startProgram(['serve', '--port', '0', '--data-dir', dataDir]);
    const [text] = (await once(without.stderr, 'data')) as [Buffer];
    without.kill('SIGTERM');
    await once(without, 'close');

    expect(json.toString('utf8')).toMatch(/^\{"level":/);
    expect(text.toString('utf8')).toMatch(/^\[\d{4}-\d\d-\d\d .*INFO/);
  });

  it('warns if it listens beyond loopback without a key', async () => {
    const open = await startServer(['--data-dir', dataDir, '--host', '0.0.0.0']);
    await open.end('SIGTERM');

    expect(open.log.join('\n')).toMatch(/"event":"server.open"/);
  });

  it('exits with 1 if the port is in use', async () => {
    const server = await startServer(['--data-dir', dataDir]);
    const port = new URL(server.url).port;

    const second = await runProgram(['serve', '--port', port, '--data-dir', join(directory, 'other')]);

    await server.end('SIGTERM');
    expect(second.code).toBe(1);
    expect(second.stderr).toContain(`plexus: cannot listen on 127.0.0.1:${port} for HTTP: EADDRINUSE`);
  });

  it('ends with 2 and releases the data directory if the connectors cannot be read', async () => {
    const missing = join(directory, 'nowhere');

    const { code, stderr } = await local('serve', '--port', '0', '--connectors', missing);

    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining(`connectors: cannot read the directory ${missing}`),
    ]);
    expect(await readdir(directory)).toEqual([]);
  });

  it('ends cleanly if its reader closes the pipe early', async () => {
    await runProgram(['ingest', '-', '--data-dir', dataDir], {
      stdin: Array.from({ length: 20_000 }, (_, i) => `{"op":"entity","type":"host","key":"h${i}"}\n`).join(
        '',
      ),
    });
    const child = startProgram(['query', 'FIND host', '--format', 'ndjson', '--data-dir', dataDir]);
    const errors: Buffer[] = [];
    child.stderr.on('data', (chunk: Buffer) => errors.push(chunk));

    await once(child.stdout, 'data');
    child.stdout.destroy();
    const [code] = (await once(child, 'close')) as [number];

    expect([code, Buffer.concat(errors).toString('utf8')]).toEqual([0, '']);
  });
});
