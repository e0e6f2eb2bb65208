/** Each Nest module of the libraries imports what it injects: it compiles without any other module. */
import { afterEach, describe, expect, it } from '@jest/globals';
import type { DynamicModule, Type } from '@nestjs/common';
import { Test, type TestingModule } from '@nestjs/testing';
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { StorageSettings } from '#graph/storage';
import { EDGE_SHAPE } from '#load/worker';
import { Admission, GRAPH_ACCESS, openSingleSignOn } from '#platform/auth';
import { parseSettings, readDocument } from '#platform/config';
import { Disk } from '#platform/disk';
import { Resources, StopSignal } from '#platform/foundation';
import { createLogger } from '#platform/observability';
import { ProgramSettings } from '#platform/runtime';
import { ProxyModule } from '#proxy/engine/module';
import { CrashDisk } from '#testing';
import { SETTING_PREFIX, SETTING_TABLE } from '../apps/hive/src/settings.ts';
import { proxyConfig } from '../apps/proxy-admin/test/support/proxy-config.ts';

const ROOT = join(import.meta.dirname, '..');
const FILES = [
  ...globSync('libs/**/src/**/*.module.ts', { cwd: ROOT }),
  'apps/graph/test/guide/inventory.module.ts',
];

interface ConfiguredModule {
  forRoot(options: unknown): DynamicModule;
}

const ADMISSION = new Admission({
  apiKey: undefined,
  host: '127.0.0.1',
  allowedHosts: [],
  publicPages: false,
  publicDocs: false,
});
const SIGN_ON = await openSingleSignOn(
  {
    oidcIssuer: 'https://login.example',
    oidcClientId: 'pages',
    oidcAudience: 'plexus',
    oidcRoles: 'groups: {staff: viewer}',
    publicUrl: '',
  },
  GRAPH_ACCESS,
  undefined,
);
const PROXY = proxyConfig({ host: '127.0.0.1' });
const EMBEDDED = ProxyModule.embedded({
  file: 'proxy.yaml',
  environment: {},
  lines: undefined,
  workers: undefined,
});

/** Options of the modules that have some. A module that needs options and has none here fails. */
const OPTIONS: Readonly<Record<string, unknown>> = {
  AdminModule: { proxy: ProxyModule.forRoot({ config: PROXY, source: EMBEDDED }), config: PROXY },
  ApiModule: { firstStart: undefined },
  AuthModule: ADMISSION,
  BoltModule: {
    listen: { host: '127.0.0.1', port: 0, tls: undefined, advertised: undefined },
    admission: ADMISSION,
    bodyBytesMax: 1_000,
    transactionMs: 1_000,
    closeGraceMs: 1_000,
  },
  CoordinationModule: {
    settings: parseSettings(SETTING_TABLE, {
      environment: { PLEXUS_HIVE_DATA_DIR: '/data' },
      prefix: SETTING_PREFIX,
    }),
    environment: {},
    tls: undefined,
  },
  FirstStartModule: { lockFile: undefined },
  GraphGrpcModule: {
    host: '127.0.0.1',
    port: 0,
    tls: undefined,
    admission: ADMISSION,
    bodyBytesMax: 1_000,
    closeGraceMs: 1_000,
  },
  HaproxyModule: { ...PROXY, engine: { kind: 'haproxy', socket: '/run/haproxy.sock', config: undefined } },
  McpModule: { admission: ADMISSION },
  MetricsModule: {},
  OpenApiModule: { title: 'Test', description: '', version: '0', publicPaths: [], metricsPath: '/metrics' },
  PagesModule: { page: 'console' },
  ProgramModule: {
    logger: createLogger({ format: 'json', level: 'silent' }),
    resources: new Resources(),
    stop: new StopSignal(),
    settings: new ProgramSettings(),
  },
  ProxyModule: { config: PROXY, source: EMBEDDED },
  SignInModule: SIGN_ON,
  WorkerModule: {
    config: readDocument(EDGE_SHAPE, { edge_id: 'a', hive: { address: '127.0.0.1:1' } }, 'edge.toml'),
    tls: undefined,
    environment: {},
  },
};

/** The exported classes of a file that Nest knows as modules. */
async function modulesOf(file: string): Promise<readonly Type[]> {
  const exported = Object.values((await import(join(ROOT, file))) as Record<string, unknown>);
  return exported.filter((value): value is Type => typeof value === 'function' && /Module$/.test(value.name));
}

function isConfigured(type: Type | (Type & ConfiguredModule)): type is Type & ConfiguredModule {
  return 'forRoot' in type;
}

function imported(type: Type): Type | DynamicModule {
  const options = OPTIONS[type.name];
  return isConfigured(type) ? type.forRoot(options) : type;
}

describe('the Nest module of', () => {
  let compiled: TestingModule[] = [];

  afterEach(async () => {
    await Promise.all(compiled.map((module) => module.close()));
    compiled = [];
  });

  it.each(FILES)('%s compiles alone', async (file) => {
    const modules = await modulesOf(file);

    for (const type of modules) {
      const module = await Test.createTestingModule({ imports: [imported(type)] })
        .overrideProvider(Disk)
        .useValue(new CrashDisk(1))
        .overrideProvider(StorageSettings)
        .useValue(Object.assign(new StorageSettings(), { dataDir: '/data' }))
        .compile();
      compiled.push(module);

      expect(module.get(type, { strict: false })).toBeInstanceOf(type);
    }
    expect(modules.length).toBeGreaterThan(0);
  });
});
