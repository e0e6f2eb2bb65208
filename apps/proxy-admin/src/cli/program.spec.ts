import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runProgram } from '#platform/cli';
import { proxyProgram } from './program.ts';

const ROOT = join(import.meta.dirname, '../../../..');
const CONFIG = `admin_address: 127.0.0.1:0
listeners: [{ name: web, address: '127.0.0.1:0' }]
clusters: [{ name: api, endpoints: [{ address: '127.0.0.1:1' }] }]
routes: [{ prefix: /, cluster: api }]
`;

describe('plexus-proxy', () => {
  let taken: Server;
  let takenPort: number;
  let directory: string;
  let file: string;
  let out: string[];
  let err: string[];

  beforeAll(async () => {
    taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    takenPort = (taken.address() as AddressInfo).port;
    process.env['PLEXUS_LOG_LEVEL'] = 'silent';
  });
  afterAll(() => {
    delete process.env['PLEXUS_LOG_LEVEL'];
    taken.close();
  });
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'plexus-proxy-'));
    file = join(directory, 'proxy.yaml');
    [out, err] = [[], []];
    jest.spyOn(console, 'log').mockImplementation((text: string) => void out.push(text));
    jest.spyOn(console, 'error').mockImplementation((text: string) => void err.push(text));
    jest.spyOn(process.stdout, 'write').mockImplementation((text) => !!out.push(String(text)));
    jest.spyOn(process.stderr, 'write').mockImplementation((text) => !!err.push(String(text)));
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    await rm(directory, { recursive: true });
  });

  const run = async (command: string, config: string) => {
    await writeFile(file, config);
    const code = await runProgram(proxyProgram(), [command, file]);
    return { code, out: out.join('\n'), err: err.join('\n') };
  };

  it.each([
    [['run', '/no/such/file.yaml'], 2],
    [['check', '/'], 2],
    [['check'], 2],
    [['run', 'a', 'b'], 2],
    [['frob'], 2],
    [[], 2],
    [['run', 'a', '--frob'], 2],
    [['--log-format', 'xml', 'run', 'a'], 2],
    [['--help'], 0],
    [['run', '--help'], 0],
  ])('exits %j with %d', async (args, expected) => {
    const code = await runProgram(proxyProgram(), args);

    expect(code).toBe(expected);
    expect(err.join('\n')).not.toMatch(/^ {4}at /m);
  });

  it('prints the version of the package', async () => {
    const { version } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as { version: string };

    const code = await runProgram(proxyProgram(), ['--version']);

    expect([code, out]).toEqual([0, [`${version}\n`]]);
  });

  describe('check', () => {
    it('summarizes a valid file, and opens no socket', async () => {
      const end = await run(
        'check',
        CONFIG.replaceAll('127.0.0.1:0', `127.0.0.1:${takenPort}`).replace('admin_address', '#'),
      );

      expect(end).toEqual({ code: 0, out: `${file}: valid, 1 listener, 1 cluster, 1 route`, err: '' });
    });

    it('prints all faults, each with its position', async () => {
      const end = await run(
        'check',
        CONFIG.replace('cluster: api', 'clustr: api').replace('name: web', 'name: 7'),
      );

      expect([end.code, end.out]).toEqual([2, '']);
      expect(end.err).toMatch(/proxy\.yaml:2:\d+: [^]*\n.*proxy\.yaml:4:\d+: .*clustr/);
    });

    it('shows warnings of a valid file', async () => {
      const end = await run('check', CONFIG.replace('admin_address: 127.0.0.1', 'admin_address: 0.0.0.0'));

      expect([end.code, end.err]).toEqual([
        0,
        expect.stringMatching(/^warning: .*proxy\.yaml:1:\d+: .*token_env/),
      ]);
    });

    it('accepts the sample', async () => {
      const code = await runProgram(proxyProgram(), ['check', join(ROOT, 'samples/proxy.yaml')]);

      expect([code, err]).toEqual([0, []]);
    });
  });

  describe('run', () => {
    const listeners = (): readonly string[] =>
      ['SIGTERM', 'SIGINT', 'SIGHUP']
        .flatMap((name) => process.listeners(name as NodeJS.Signals))
        .map(String);

    it('exits with the position of an admin address that is in use', async () => {
      const end = await run(
        'run',
        `# first line\n${CONFIG.replace('admin_address: 127.0.0.1:0', `admin_address: 127.0.0.1:${takenPort}`)}`,
      );

      expect(end.code).toBe(2);
      expect(end.err).toBe(
        `${file}:2:16: admin_address: cannot listen on 127.0.0.1:${takenPort}: EADDRINUSE`,
      );
    });

    it('exits with the name and position of each listener whose port is in use, and binds none', async () => {
      const before = listeners();
      const two = `[{ name: web, address: '127.0.0.1:${takenPort}' }, { name: b, address: '192.0.2.1:80' }]`;

      const end = await run('run', CONFIG.replace(/\[\{ name: web.*$/m, two));

      expect(end.code).toBe(2);
      expect(end.err.replaceAll(/:\d+: listener/g, ':COLUMN: listener')).toBe(
        [
          `${file}:2:COLUMN: listener web: cannot listen on 127.0.0.1:${takenPort}: EADDRINUSE`,
          `${file}:2:COLUMN: listener b: cannot listen on 192.0.2.1:80: EADDRNOTAVAIL`,
        ].join('\n'),
      );
      expect(listeners()).toEqual(before);
    });

    it.each([
      ['192.0.2.1:9901', 'EADDRNOTAVAIL'],
      ['no-such-host.invalid:9901', 'ENOTFOUND|EAI_AGAIN'],
    ])('exits for an invalid admin address: %s', async (address, reason) => {
      const end = await run('run', CONFIG.replace('127.0.0.1:0', address));

      expect([end.code, end.err]).toEqual([
        2,
        expect.stringMatching(new RegExp(`^${file}:1:16: admin_address: .*(${reason})$`)),
      ]);
    });

    it('rejects a misspelt setting', async () => {
      process.env['PLEXUS_LOG_FORMATT'] = 'json';

      const end = await run('run', CONFIG).finally(() => delete process.env['PLEXUS_LOG_FORMATT']);

      expect([end.code, end.err]).toEqual([2, expect.stringContaining('did you mean PLEXUS_LOG_FORMAT?')]);
    });
  });
});
