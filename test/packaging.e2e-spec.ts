/** The files in packaging/ are well formed, and use only existing features of the programs. */
import { beforeAll, describe, expect, it } from '@jest/globals';
import { loadAll } from 'js-yaml';
import { spawnSync } from 'node:child_process';
import { globSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { parse as parseToml } from 'smol-toml';
import { SETTING_TABLE as EDGE } from '../apps/edge/src/settings.ts';
import { SETTING_TABLE as GRAPH } from '../apps/graph/src/settings.ts';
import { SETTING_TABLE as HIVE } from '../apps/hive/src/settings.ts';
import { VERSION } from './support/archives.ts';
import { run } from './support/installed-program.ts';
import {
  Helps,
  instructions,
  nodeFlags,
  type ProductEntry,
  products,
  read,
  ROOT,
  unitLines,
} from './support/packaging.ts';

const UNITS = globSync('packaging/systemd/*.service', { cwd: ROOT }).sort();
const CONTAINERS = globSync('packaging/container/*.Containerfile', { cwd: ROOT }).sort();
const MANIFESTS = globSync('packaging/kubernetes/*.yaml', { cwd: ROOT }).sort();
const VARIABLES = new Set([
  ...[GRAPH, HIVE, EDGE].flatMap((table) => Object.values(table).map(({ env }) => env)),
  ...(read('docs/tracing.md').match(/\bOTEL_[A-Z_]+/g) ?? []),
]);
const PORTS: Readonly<Record<string, readonly number[]>> = {
  plexus: [GRAPH.port.fallback],
  'plexus-proxy': [8080],
  'plexus-load': [HIVE.httpPort.fallback, HIVE.grpcPort.fallback],
};

describe('packaging', () => {
  let entries: Readonly<Record<string, ProductEntry>>;
  let helps: Helps;

  beforeAll(async () => {
    entries = await products();
    helps = new Helps(
      Object.assign({}, ...Object.values(entries).map(({ programs }) => programs)) as Programs,
    );
  });

  const programsOf = (product: string): Programs => entries[product]?.programs ?? {};
  /** The program in dist/programs that a command line starts with its Node. */
  const startedBy = (product: string, words: readonly string[]) => {
    const at = words.findIndex((word, place) => place > 0 && !word.startsWith('--'));
    const [main = '', ...args] = words.slice(at);
    const app = main.replace(`/opt/${product}/lib/app/dist/programs/`, '').replace('.js', '');
    const program = Object.entries(programsOf(product)).find(([, file]) => file === app)?.[0] ?? `no ${main}`;
    return { node: words[0], flags: words.slice(1, at), expectedFlags: nodeFlags(app), program, args };
  };

  describe.each(UNITS)('%s', (path) => {
    const lines = unitLines(read(path));
    const valuesOf = (key: string) => lines.filter((line) => line.key === key).map(({ value }) => value);

    it('starts a program with existing flags', async () => {
      for (const command of [...valuesOf('ExecStart'), ...valuesOf('ExecStartPre')]) {
        const [program = '', ...args] = command.split(' ');
        const product = program.split('/')[2] ?? '';

        expect(program).toBe(`/opt/${product}/bin/${basename(program)}`);
        expect(Object.keys(programsOf(product))).toContain(basename(program));
        expect(entries[product]?.packaging).toContain(basename(path));
        expect(await helps.unknownWords(basename(program), args)).toEqual([]);
      }
      expect(valuesOf('ExecStart')).toHaveLength(1);
    });

    it('does not run as root, and writes to its own state only', () => {
      expect(valuesOf('DynamicUser')).toEqual(['yes']);
      expect([valuesOf('ProtectSystem'), valuesOf('NoNewPrivileges')]).toEqual([['strict'], ['yes']]);
    });
  });

  it('units pass systemd-analyze, if installed', () => {
    const folder = mkdtempSync(join(tmpdir(), 'plexus-units-'));
    const paths = UNITS.map((path) => join(folder, basename(path)));
    for (const [index, path] of UNITS.entries())
      writeFileSync(paths[index] ?? '', read(path).replaceAll(/\/opt\/[\w-]+\/bin\/[\w-]+/g, '/bin/true'));

    const { error, stderr, status } = spawnSync('systemd-analyze', ['verify', ...paths], {
      encoding: 'utf8',
    });
    rmSync(folder, { recursive: true });

    if (error !== undefined)
      process.stderr.write('systemd-analyze is not here: units were parsed by us alone\n');
    else expect([status, stderr]).toEqual([0, '']);
  });

  describe.each(CONTAINERS)('%s', (path) => {
    const product = basename(path, '.Containerfile');
    const lines = instructions(read(path));
    const last = (name: string) => lines.findLast((line) => line.name === name);

    it('starts a program of its archive with existing flags, and not as root', async () => {
      const words = [...(last('ENTRYPOINT')?.words ?? []), ...(last('CMD')?.words ?? [])];
      const { node, flags, expectedFlags, program, args } = startedBy(product, words);

      expect(node).toBe(`/opt/${product}/lib/node`);
      expect(flags).toEqual(expectedFlags);
      expect(await helps.unknownWords(program, args)).toEqual([]);
      expect(last('USER')?.text).toBe('10001:10001');
      expect(read(path)).toContain(`--build-arg ARCHIVE=${product}-<version>-linux-x64.tar.gz`);
    });

    it('opens the ports of the program, and checks its health', () => {
      const health = last('HEALTHCHECK')?.words ?? [];

      const ports = last('EXPOSE')?.text.split(' ').map(Number);
      const asked = Number(/127\.0\.0\.1:(\d+)/.exec(health.at(-1) ?? '')?.[1]);

      expect(ports).toEqual(PORTS[product]);
      expect([...(PORTS[product] ?? []), 9901]).toContain(asked);
      expect(health.slice(0, 2)).toEqual([`/opt/${product}/lib/node`, '-e']);
    });
  });

  describe.each(MANIFESTS)('%s', (path) => {
    const product = basename(path, '.yaml').replace(/-cluster$/, '');
    const documents = loadAll(read(path)) as readonly Manifest[];
    const pods = documents.flatMap(({ spec }) => (spec?.template === undefined ? [] : [spec]));
    const containers = pods.flatMap(({ template }) => template?.spec.containers ?? []);

    it('consists of objects with a kind, a version and a name', () => {
      expect(documents.map(({ apiVersion, kind }) => `${apiVersion} ${kind}`)).toEqual(
        documents.map(() =>
          expect.stringMatching(/^(?:v1 (?:Service|ConfigMap)|apps\/v1 (?:StatefulSet|Deployment))$/),
        ),
      );
      expect(documents.filter(({ metadata }) => !/^[a-z][a-z0-9-]*$/.test(metadata.name))).toEqual([]);
    });

    it('starts this version of the program, with existing flags and variables', async () => {
      for (const { image, command, args, env = [] } of containers) {
        const entry = instructions(read(`packaging/container/${product}.Containerfile`));
        const words = command ?? entry.findLast(({ name }) => name === 'ENTRYPOINT')?.words ?? [];
        const { flags, expectedFlags, program } = startedBy(product, words);

        expect(flags).toEqual(expectedFlags);
        expect(image).toBe(`${product}:${VERSION}`);
        expect(await helps.unknownWords(program, args)).toEqual([]);
        expect(env.filter(({ name }) => !VARIABLES.has(name))).toEqual([]);
      }
      expect(containers.length).toBeGreaterThan(0);
    });

    it('runs without root privileges on a read-only root, and mounts what it declares', () => {
      for (const { template, volumeClaimTemplates = [] } of pods) {
        const { containers: own = [], volumes = [], securityContext } = template?.spec ?? {};
        const declared = [
          ...volumes.map(({ name }) => name),
          ...volumeClaimTemplates.map(({ metadata }) => metadata.name),
        ];

        expect(securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 10001 });
        for (const { securityContext: inner, volumeMounts = [] } of own) {
          expect(inner).toMatchObject({ readOnlyRootFilesystem: true, allowPrivilegeEscalation: false });
          expect(volumeMounts.filter(({ name }) => !declared.includes(name))).toEqual([]);
        }
      }
    });

    it('has probes and services for existing ports and pods', () => {
      for (const { ports, livenessProbe, readinessProbe, startupProbe } of containers) {
        const names = ports.map(({ name }) => name);
        const asked = [livenessProbe, readinessProbe, startupProbe].flatMap(
          (probe) => probe?.httpGet.port ?? [],
        );

        expect(asked.filter((name) => !names.includes(name))).toEqual([]);
        expect(asked.length).toBeGreaterThan(0);
      }
      for (const { spec } of documents.filter(({ kind }) => kind === 'Service')) {
        const pod = pods.find(({ template }) => template?.metadata.labels['app'] === spec?.selector?.['app']);
        const names =
          pod?.template?.spec.containers.flatMap(({ ports }) => ports.map(({ name }) => name)) ?? [];

        expect(spec?.ports?.filter(({ targetPort }) => !names.includes(targetPort))).toEqual([]);
      }
    });
  });

  it('configurations within manifests are valid', async () => {
    const [proxy = '', edge = ''] = ['plexus-proxy', 'plexus-load'].map((product) => {
      const documents = loadAll(read(`packaging/kubernetes/${product}.yaml`)) as readonly Manifest[];
      return Object.values(documents.find(({ kind }) => kind === 'ConfigMap')?.data ?? {})[0] ?? '';
    });
    const folder = mkdtempSync(join(tmpdir(), 'plexus-manifests-'));
    writeFileSync(join(folder, 'proxy.yaml'), proxy);
    const words = [process.execPath, join(ROOT, 'dist/programs/proxy-admin.js'), 'check', 'proxy.yaml'];
    const checked = await run(words, { folder });
    rmSync(folder, { recursive: true });

    expect([checked.code, checked.stdout]).toEqual([0, expect.stringContaining('valid, 1 listener')]);
    // Probes of a pod connect from other addresses.
    expect(checked.stderr).toMatch(/^(?:warning: proxy.yaml:\d+:\d+: admin_address: .*\n)?$/);
    expect(keysOf(parseToml(edge))).toEqual(keysOf(parseToml(read('packaging/etc/edge.toml'))));
  });

  it('samples of variables name existing ones', () => {
    const samples = globSync('packaging/etc/*.env', { cwd: ROOT });
    const named = samples.flatMap((path) =>
      Array.from(read(path).matchAll(/^#? ?(\w+)=/gm), ([, name = '']) => name),
    );

    expect(named.length).toBeGreaterThan(5);
    expect(named.filter((name) => !VARIABLES.has(name))).toEqual([]);
  });

  it('every file is in an archive, together with the pages that it mentions', () => {
    const files = globSync('packaging/{etc,systemd}/**/*.*', { cwd: ROOT });
    const packed = Object.values(entries).flatMap(({ packaging }) => packaging);

    const left = files.filter((path) => !packed.includes(path.replace(/^packaging\/\w+\//, '')));
    const unknown = Object.values(entries).flatMap(({ packaging, docs }) =>
      packaging.flatMap((file) => {
        const text = read(`packaging/${file.endsWith('.service') ? 'systemd' : 'etc'}/${file}`);
        const pages = Array.from(text.matchAll(/docs\/([\w-]+)\.md/g), ([, page = '']) => page);
        return pages.filter((page) => ![...docs, 'install', 'tracing'].includes(page));
      }),
    );

    expect([left, unknown]).toEqual([[], []]);
  });
});

type Programs = Readonly<Record<string, string>>;

interface Named {
  readonly name: string;
}

interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string };
}

interface Container {
  readonly image: string;
  readonly command?: readonly string[];
  readonly args: readonly string[];
  readonly env?: readonly Named[];
  readonly ports: readonly Named[];
  readonly livenessProbe?: Probe;
  readonly readinessProbe?: Probe;
  readonly startupProbe?: Probe;
  readonly securityContext?: unknown;
  readonly volumeMounts?: readonly Named[];
}

interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Named;
  readonly data?: Readonly<Record<string, string>>;
  readonly spec?: {
    readonly selector?: Readonly<Record<string, unknown>>;
    readonly ports?: readonly { readonly targetPort: string }[];
    readonly volumeClaimTemplates?: readonly { readonly metadata: Named }[];
    readonly template?: {
      readonly metadata: { readonly labels: Readonly<Record<string, string>> };
      readonly spec: {
        readonly containers: readonly Container[];
        readonly volumes?: readonly Named[];
        readonly securityContext?: unknown;
      };
    };
  };
}

/** Names of a document and of its sections. */
function keysOf(value: object): readonly string[] {
  return Object.entries(value).flatMap(([key, inner]: [string, unknown]) =>
    typeof inner === 'object' && inner !== null
      ? [key, ...keysOf(inner).map((each) => `${key}.${each}`)]
      : [key],
  );
}
