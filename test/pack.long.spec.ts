/** Archives of `npm run pack`, each unpacked outside the repository, in the first minute of use. */
import { Metadata } from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { basename, dirname, join } from 'node:path';
import { GraphCaller } from '#graph/testing';
import { ReflectingClient } from '../apps/graph/test/support/reflecting-client.ts';
import { parquetRows } from '../apps/hive/test/support/parquet-rows.ts';
import {
  Archives,
  billOf,
  commandOf,
  filesBelow,
  type Product,
  ROOT,
  VERSION,
  whyNone,
} from './support/archives.ts';
import { BareRoot, whyNoRoot } from './support/bare-root.ts';
import { type Environment, InstalledProgram, run } from './support/installed-program.ts';
import { instructions } from './support/packaging.ts';
import { Served } from './support/served.ts';
import { describeUnless } from '#testing';

const MEGABYTE = 1e6;
const PRODUCTS: readonly (readonly [product: Product, megabytesMax: number, programs: readonly string[]])[] =
  [
    ['plexus', 140, ['plexus']],
    ['plexus-proxy', 125, ['plexus-proxy']],
    ['plexus-load', 210, ['plexus-edge', 'plexus-hive', 'plexus-sequencer']],
  ];
/** The libraries of glibc and GCC's run time; docs/install.md lists the versions. */
const SYSTEM_LIBRARIES = /^(?:ld-linux-x86-64|libc|libdl|libgcc_s|libm|libpthread|libstdc\+\+)\.so\.\d+$/;
const NEWEST = { GLIBC: '2.28', GLIBCXX: '3.4.22', CXXABI: '1.3.11', GCC: '3.4' };

const missing = whyNone();
const rootless = whyNoRoot();

describeUnless(missing)('archives', () => {
  let archives: Archives;
  const folders = new Map<Product, string>();
  const children: InstalledProgram[] = [];

  beforeAll(async () => {
    archives = await Archives.make();
    for (const [product] of PRODUCTS) folders.set(product, await archives.unpack(product));
  });
  afterAll(async () => {
    await Promise.all(children.map((child) => child.end('SIGKILL')));
    await archives.remove();
  });

  const folderOf = (product: Product): string => folders.get(product) ?? '';
  /** Runs from an unrelated folder. */
  const started = (words: readonly string[], environment?: Environment): InstalledProgram => {
    const child = new InstalledProgram(words, {
      folder: archives.folder,
      ...(environment && { environment }),
    });
    children.push(child);
    return child;
  };
  const ran = (product: Product, program: string, ...args: readonly string[]) =>
    run([join(folderOf(product), 'bin', program), ...args], { folder: archives.folder });

  describe.each(PRODUCTS)('%s', (product, megabytesMax, programs) => {
    it('is unpacked where no other package can be found', () => {
      for (let at = dirname(folderOf(product)); at !== dirname(at); at = dirname(at))
        expect([at, existsSync(join(at, 'node_modules'))]).toEqual([at, false]);
    });

    it('matches its checksums, without further files, and within its size', () => {
      const folder = folderOf(product);
      const files = filesBelow(folder).filter((path) => path !== 'SHA256SUMS');

      const sums = files.map((path) => {
        const sum = createHash('sha256')
          .update(readFileSync(join(folder, path)))
          .digest('hex');
        return `${sum}  ${path}\n`;
      });
      const bytes = files.reduce((sum, path) => sum + statSync(join(folder, path)).size, 0);

      expect(readFileSync(join(folder, 'SHA256SUMS'), 'utf8')).toBe(sums.join(''));
      expect(bytes / MEGABYTE).toBeLessThanOrEqual(megabytesMax);
    });

    it('has a licence for each component of its bill, and a component for each package', () => {
      const folder = folderOf(product);
      const { components, metadata } = billOf(folder);
      const names = components.map(
        ({ group, name, version }) => `${group ? `${group}+` : ''}${name}@${version}`,
      );

      const unlicensed = components.filter(({ licenses = [] }) => licenses.length === 0);
      const textless = names.filter((name) => {
        const place = join(folder, 'licences', name);
        return !name.startsWith('node@') && (!existsSync(place) || readdirSync(place).length === 0);
      });
      const unknown = packagesIn(folder)
        .map((path) => JSON.parse(readFileSync(join(folder, path, 'package.json'), 'utf8')) as Manifest)
        .map(({ name, version }) => `${name.replace('/', '+')}@${version}`)
        .filter((name) => !names.includes(name));

      expect(metadata.component.version).toBe(VERSION);
      expect([unlicensed, textless, unknown]).toEqual([[], [], []]);
      expect(readFileSync(join(folder, 'licences/node.txt'), 'utf8')).toContain('Node.js is licensed');
    });

    it('has no package that only development needs, unless it is bundled into a page', () => {
      const folder = folderOf(product);
      const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as LockFile;
      const isDev = (path: string) => packages[path]?.dev === true;
      const inPages = readdirSync(join(folder, 'lib/app/dist/web')).flatMap(
        (page) => JSON.parse(readFileSync(join(ROOT, `dist/web/${page}.packages.json`), 'utf8')) as string[],
      );
      const paths = Object.keys(packages).filter((path) => path.includes('node_modules/'));
      const purl = (path: string) => purlOf(path, packages[path]?.version ?? '');
      const wanted = new Set(paths.filter((path) => !isDev(path) || inPages.includes(path)).map(purl));
      const purls = billOf(folder).components.map((component) => component.purl);

      const installed = packagesIn(folder).map((path) => path.replace('lib/app/', ''));

      expect(installed.filter(isDev)).toEqual([]);
      expect(purls.filter((each) => each.startsWith('pkg:npm/') && !wanted.has(each))).toEqual([]);
    });

    it('contains no path of the build machine', () => {
      const folder = folderOf(product);
      const places = ['node_modules', 'dist', 'apps', 'libs', 'web', 'tools'].map((name) => join(ROOT, name));

      const found = filesBelow(folder).filter((path) => {
        const content = readFileSync(join(folder, path));
        return places.some((place) => content.includes(place));
      });

      expect(found).toEqual([]);
    });

    it('needs only glibc, libstdc++ and libgcc, in the documented versions', async () => {
      const folder = folderOf(product);
      const binaries = filesBelow(folder).filter((path) => /^lib\/node$|\.node$|\.so$/.test(path));
      const own = binaries.map((path) => path.replace(/^.*\//, ''));

      const told = await run(['readelf', '--wide', '-dV', ...binaries], { folder });
      const needed = [...told.stdout.matchAll(/\(NEEDED\).*\[(.+)\]/g)].map(([, name = '']) => name);
      const versions = [...told.stdout.matchAll(/Name: ([A-Z]+)_([\d.]+)/g)];

      expect(needed.filter((name) => !SYSTEM_LIBRARIES.test(name) && !own.includes(name))).toEqual([]);
      expect(
        versions.filter(([, name, version]) => isNewer(version, NEWEST, name)).map(([all]) => all),
      ).toEqual([]);
    });

    it('has each thread that its programs start', () => {
      const place = join(folderOf(product), 'lib/app/dist/programs');
      const names = readdirSync(place);

      const code = names
        .filter((name) => name.endsWith('.js'))
        .map((name) => readFileSync(join(place, name), 'utf8'));
      const threads = code.flatMap((text) =>
        [...text.matchAll(/workerUrl\("([\w-]+)"/g)].map(([, name = '']) => `${name}.js`),
      );

      expect(threads.filter((name) => !names.includes(name))).toEqual([]);
      expect(readdirSync(join(folderOf(product), 'bin'))).toEqual(programs);
    });

    it.each(programs)('%s prints its version and usage', async (program) => {
      const version = await ran(product, program, '--version');
      const help = await ran(product, program, '--help');

      expect(version).toEqual({ code: 0, stdout: `${VERSION}\n`, stderr: '' });
      expect([help.code, help.stdout, help.stderr]).toEqual([
        0,
        expect.stringContaining(`Usage: ${program}`),
        '',
      ]);
    });
  });

  /**
   * By product: additional arguments of the container's command, and the log line with its health address.
   */
  const IMAGES = [
    ['plexus', ['--port', '0'], /"event":"server.listening","url":"([^"]+)"/],
    ['plexus-proxy', [], /"event":"admin.listening".*?"url":"([^"]+)"/],
    ['plexus-load', ['--http-port', '0', '--grpc-port', '0'], /"event":"server.listening","url":"([^"]+)"/],
  ] as const;

  describeUnless(rootless)('in a root with only the C and C++ run time', () => {
    it.each(IMAGES)(
      "%s runs and is healthy with its container's command lines",
      async (product, more, said) => {
        const unpacked = await archives.unpack(product);
        const root = new BareRoot(unpacked, product);
        if (product === 'plexus-proxy') {
          mkdirSync(join(root.folder, 'etc/plexus'), { recursive: true });
          const sample = readFileSync(join(unpacked, 'etc/proxy.yaml'), 'utf8');
          writeFileSync(join(root.folder, 'etc/plexus/proxy.yaml'), onAnyPorts(sample));
        }
        const lines = instructions(readFileSync(join(unpacked, 'Containerfile'), 'utf8'));
        const wordsOf = (name: string) => lines.find((line) => line.name === name)?.words ?? [];
        const command = [...wordsOf('ENTRYPOINT'), ...wordsOf('CMD'), ...more];

        const program = started(root.inside(command.map((word) => word.replace('0.0.0.0', '127.0.0.1'))));
        const [, url = ''] = await program.said(said);
        const health = wordsOf('HEALTHCHECK').map((word) => word.replace(/http:\/\/[\d.:]+/, url));
        const healthy = await run(root.inside(health), { folder: root.folder });
        const code = await program.end('SIGTERM');
        const ill = await run(root.inside(health), { folder: root.folder });

        expect(healthy).toEqual({ code: 0, stdout: '', stderr: '' });
        expect([code, ill.code]).toEqual([0, 1]);
      },
    );
  });

  describe('docs/install.md', () => {
    const page = readFileSync(join(ROOT, 'docs/install.md'), 'utf8');
    const blocks = Array.from(page.matchAll(/^```(\w*)\n(.*?)^```/gms), ([, type = '', text = '']) => ({
      type,
      text,
    }));
    /** A command line, and its output in the page. */
    const shown = (first: string) => {
      const at = blocks.findIndex(({ text }) => text.includes(first));
      return { command: blocks[at]?.text ?? '', answer: blocks[at + 1]?.text ?? '' };
    };

    it.each(['bin/plexus query', 'bin/plexus-proxy check'])('shows the output of %s', async (first) => {
      const { command, answer } = shown(first);
      const site = mkdtempSync(join(archives.folder, 'docs-'));
      for (const [product] of PRODUCTS) {
        const path = archives.pathOf(product);
        symlinkSync(path, join(site, basename(path)));
      }

      const told = await run(['sh', '-e', '-c', command], { folder: site });

      expect([told.code, withoutCounts(told.stdout)]).toEqual([0, withoutCounts(answer)]);
    });

    it('begins with the output shown', () => {
      expect(shown('bin/plexus query').command).toBe(blocks[0]?.text);
    });

    it('and packaging name this version', () => {
      const files = globSync('packaging/**/*.*', { cwd: ROOT });
      const texts = [page, ...files.map((path) => readFileSync(join(ROOT, path), 'utf8'))];

      const named = texts.flatMap((text) =>
        Array.from(text.matchAll(/plexus[\w-]*[-:](\d+\.\d+\.\d+)/g), ([, version = '']) => version),
      );

      expect(named.length).toBeGreaterThan(5);
      expect(named.filter((version) => version !== VERSION)).toEqual([]);
    });
  });

  it('have the same bytes when they are packed again', async () => {
    const again = await Archives.make('plexus-proxy');
    const sumOf = (path: string) => createHash('sha256').update(readFileSync(path)).digest('hex');

    const sums = [archives, again].map((each) => sumOf(each.pathOf('plexus-proxy')));
    await again.remove();

    expect(sums[0]).toBe(sums[1]);
  });

  describe('plexus', () => {
    const folder = () => folderOf('plexus');
    const serve = async () => {
      const places = { '/opt/plexus': folder(), '/var/lib/plexus': join(archives.folder, 'graph-data') };
      const words = [...commandOf(folder(), 'plexus.service', places), '--port', '0', '--grpc-port', '0'];
      const connectors = ['--connectors', join(folder(), 'etc/connectors')];
      const server = started([...words, ...connectors], { PLEXUS_MCP: 'on' });
      const [line] = await server.said(/^.*"event":"server.listening".*$/);
      const { url, grpc } = JSON.parse(line) as { readonly url: string; readonly grpc: string };
      return { server, grpc, served: new Served(url) };
    };

    it('is served according to its unit, with pages, a connector that reads its own bill, rules, MCP and gRPC', async () => {
      const { server, grpc, served } = await serve();
      const types = billOf(folder()).components.map(({ purl }) => /^pkg:(\w+)/.exec(purl)?.[1]);

      const assets = [...(await served.assetsOf('/')), ...(await served.assetsOf('/docs'))];
      const ingested = await served.connectorRun('bill');
      const found = await served.post('/v1/query', { pql: 'FIND npm_package RETURN COUNT' });
      const rules = await served.post('/v1/policies/evaluate', {});
      const { tools, reference } = await served.seenByModels();
      const caller = new GraphCaller(grpc);
      const schema = await caller.schema();
      caller.close();
      const reflecting = new ReflectingClient(grpc, new Metadata());
      const services = await reflecting.list();
      reflecting.close();

      expect(assets.length).toBeGreaterThan(5);
      expect(Math.min(...assets)).toBeGreaterThan(0);
      expect(ingested).toMatchObject({ status: 'complete', warnings: [] });
      expect(found).toMatchObject({ count: types.filter((type) => type === 'npm').length });
      expect(rules).toMatchObject({ total: 31, error: 0 });
      expect([tools.includes('query'), reference.includes('# PQL, the query language')]).toEqual([
        true,
        true,
      ]);
      expect(JSON.stringify(schema)).toContain('npm_package');
      expect(services).toEqual(expect.arrayContaining(['plexus.graph.v1.Graph', 'grpc.health.v1.Health']));
      expect(await server.end('SIGTERM')).toBe(0);
    });

    it.each(PRODUCTS)('reads the bill of %s completely', async (product) => {
      const connectors = mkdtempSync(join(archives.folder, 'connectors-'));
      const file = join(folderOf(product), 'sbom.cdx.json');
      writeFileSync(join(connectors, 'bill.yaml'), `connector: sbom\nconfig: { file: '${file}' }\n`);
      const data = ['--data-dir', join(connectors, 'data')];

      const told = await ran(
        'plexus',
        'plexus',
        'connector',
        'run',
        'bill',
        '--connectors',
        connectors,
        ...data,
      );
      const found = await ran('plexus', 'plexus', 'query', ...data, 'FIND npm_package RETURN COUNT');

      const packages = billOf(folderOf(product)).components.filter(({ purl }) => purl.startsWith('pkg:npm/'));
      expect([told.code, told.stderr.includes('warning')]).toEqual([0, false]);
      expect(found.stdout).toContain(String(packages.length));
    });

    it('has the data written before SIGKILL after its next start', async () => {
      const { server, served } = await serve();
      const line = `${JSON.stringify({ op: 'entity', type: 'host', key: 'web-01', class: 'Host' })}\n`;
      const words = [join(folder(), 'bin/plexus'), 'ingest', '-', '--url', served.url];
      const written = await run(words, { folder: archives.folder }, line);
      const code = await server.end('SIGKILL');

      const next = await serve();
      const found = await ran('plexus', 'plexus', 'query', '--url', next.served.url, 'FIND host RETURN _key');

      expect([written.code, code]).toEqual([0, null]);
      expect(found.stdout).toContain('web-01');
      expect(await next.server.end('SIGTERM')).toBe(0);
    });
  });

  it('of plexus-proxy: checks its sample, forwards, shows its page and drains', async () => {
    const folder = folderOf('plexus-proxy');
    const upstream = createServer((_, reply) => reply.end('from behind')).listen(0, '127.0.0.1');
    await once(upstream, 'listening');
    const sample = readFileSync(join(folder, 'etc/proxy.yaml'), 'utf8');
    const file = join(archives.folder, 'proxy.yaml');
    const behind = `:${String((upstream.address() as AddressInfo).port)}`;
    writeFileSync(file, onAnyPorts(sample).replace(':7700', behind));

    const checked = await ran('plexus-proxy', 'plexus-proxy', 'check', join(folder, 'etc/proxy.yaml'));
    const places = { '/opt/plexus-proxy': folder, '/etc/plexus/proxy.yaml': file };
    const proxy = started(commandOf(folder, 'plexus-proxy.service', places));
    const [, admin = ''] = await proxy.said(/"event":"admin.listening".*?"url":"([^"]+)"/);
    const [, web = ''] = await proxy.said(/"event":"proxy.running".*?"web":"([^"]+)"/);
    const answer = await new Served(`http://${web}`).text('/anything');
    const assets = await new Served(admin).assetsOf('/admin/ui');
    const stats = await new Served(admin).text('/stats');
    const code = await proxy.end('SIGTERM');
    upstream.close();

    expect([checked.code, checked.stdout]).toEqual([0, expect.stringContaining('valid, 1 listener')]);
    expect(answer).toBe('from behind');
    expect(assets.length).toBeGreaterThan(1);
    expect(stats).toContain('# TYPE');
    expect(code).toBe(0);
  });

  describe('plexus-load', () => {
    const folder = () => folderOf('plexus-load');
    const serve = async () => {
      const places = {
        '/opt/plexus-load': folder(),
        '/var/lib/plexus-hive': join(archives.folder, 'hive-data'),
      };
      const words = [
        ...commandOf(folder(), 'plexus-hive.service', places),
        '--http-port',
        '0',
        '--grpc-port',
        '0',
      ];
      const hive = started(words);
      const [, url = '', grpc = ''] = await hive.said(/"server.listening","url":"([^"]+)","grpc":"([^"]+)"/);
      return { hive, served: new Served(url), grpc };
    };
    /** The sample of a file, with other addresses. */
    const moved = (name: string, addresses: Readonly<Record<string, string>>): string => {
      const sample = readFileSync(join(folder(), 'etc', name), 'utf8');
      const file = join(archives.folder, name);
      const text = Object.entries(addresses).reduce((told, [from, to]) => told.replace(from, to), sample);
      writeFileSync(file, text);
      return file;
    };

    it('runs its sample on its sequencer, and has the report after SIGKILL', async () => {
      const sequencer = started([
        ...[join(folder(), 'bin/plexus-sequencer'), '--mode', 'sim'],
        ...['--rpc-port', '0', '--feed-port', '0'],
      ]);
      const [, rpc = '', feed = ''] = await sequencer.said(/is ready: .*, rpc (\S+), feed (\S+)$/);
      const { hive, served, grpc } = await serve();
      const config = moved('edge.toml', { '127.0.0.1:9090': grpc, '127.0.0.1:9464': '127.0.0.1:0' });
      const edge = started(
        commandOf(folder(), 'plexus-edge.service', {
          '/opt/plexus-load': folder(),
          '/etc/plexus/edge.toml': config,
        }),
      );
      await edge.said(/"event":"hive.connected"/);
      const scenario = moved('scenario.yaml', { 'http://127.0.0.1:8547': rpc, 'ws://127.0.0.1:9642': feed });

      const assets = [...(await served.assetsOf('/')), ...(await served.assetsOf('/docs'))];
      const ended = await ran('plexus-load', 'plexus-hive', 'run', scenario, '--wait', '--url', served.url);
      const code = await hive.end('SIGKILL');
      const next = await serve();
      const { runs } = await next.served.json<Runs>('/runs');
      const { run_id: id = '', status } = runs[0] ?? {};
      const report = await next.served.text(`/runs/${id}/report?format=html`);
      const part = await next.served.bytes(`/runs/${id}/files/transactions-part-00001.parquet`);

      expect([ended.code, ended.stdout, code]).toEqual([
        0,
        expect.stringContaining('first: Completed'),
        null,
      ]);
      expect(assets.length).toBeGreaterThan(5);
      expect([runs.length, status]).toEqual([1, 'Completed']);
      expect(report).toContain('Passed');
      expect((await parquetRows(part)).length).toBeGreaterThan(10);
      expect(await edge.end('SIGTERM')).toBe(0);
      expect(await next.hive.end('SIGTERM')).toBe(0);
      expect(await sequencer.end('SIGTERM')).toBe(0);
    });

    it('signs with its native library', async () => {
      const app = join(folder(), 'lib/app/package.json');
      const code = `require('node:module').createRequire(${JSON.stringify(app)})('secp256k1/bindings.js')`;

      const { stdout } = await run([join(folder(), 'lib/node'), '-p', `typeof ${code}.ecdsaSign`], {
        folder: archives.folder,
      });

      expect(stdout).toBe('function\n');
    });
  });
});

interface Manifest {
  readonly name: string;
  readonly version: string;
}

interface LockFile {
  readonly packages: Readonly<Record<string, { readonly version?: string; readonly dev?: boolean }>>;
}

interface Runs {
  readonly runs: readonly { readonly run_id: string; readonly status: string }[];
}

/** The proxy's sample, with a short drain. */
function onAnyPorts(sample: string): string {
  const moved = sample.replaceAll(/127\.0\.0\.1:(?:9901|8080)/g, '127.0.0.1:0');
  return `${moved}\ndrain: { grace: 100ms, timeout: 5s }\n`;
}

/** Folders of the packages whose files are in an archive. */
function packagesIn(folder: string): readonly string[] {
  return filesBelow(folder)
    .filter((path) => /node_modules\/(?:@[^/]+\/)?[^/]+\/package\.json$/.test(path))
    .map(dirname);
}

/** Removes counts, which depend on the packages, and the padding of columns. */
function withoutCounts(text: string): string {
  return text.replaceAll(/\d+ */g, 'n ');
}

/** The package URL of a folder in node_modules. */
function purlOf(path: string, version: string): string {
  return `pkg:npm/${path.replace(/^.*node_modules\//, '').replace('@', '%40')}@${version}`;
}

/** Whether a symbol version, such as `2.28`, is later than the newest allowed of its name. */
function isNewer(version = '', newest: Readonly<Record<string, string>>, name = ''): boolean {
  const bound = (newest[name] ?? '0').split('.').map(Number);
  const parts = version.split('.').map(Number);
  const at = parts.findIndex((part, index) => part !== (bound[index] ?? 0));
  return at >= 0 && (parts[at] ?? 0) > (bound[at] ?? 0);
}
