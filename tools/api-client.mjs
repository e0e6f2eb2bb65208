/**
 * Generates the pages' clients of the services with @hey-api/openapi-ts from the services' OpenAPI documents
 * (ADR 0204). The built services are assembled for it and never listen.
 *
 *   npm run api-client         writes web/<page>/api/generated
 *   npm run api-client:check   fails when a client differs from its service's document
 */
import { createClient } from '@hey-api/openapi-ts';
import { NestFactory } from '@nestjs/core';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { format, resolveConfig } from 'prettier';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const targetOf = (page) => join(root, 'web', page, 'api/generated');
const COMMAND = 'npm run api-client';

const built = (path) => import(join(root, 'dist', path));

async function settingsOf(app, environment) {
  const { SETTING_PREFIX, SETTING_TABLE } = await built(`apps/${app}/src/settings.js`);
  const { parseSettings } = await built('libs/platform/config/src/index.js');
  return parseSettings(SETTING_TABLE, { environment, prefix: SETTING_PREFIX });
}

/** The service of each page; each gets an empty directory. */
const SERVICES = {
  async console(directory) {
    const { graphApp } = await built('apps/graph/src/graph-app.module.js');
    const environment = { PLEXUS_DATA_DIR: directory, PLEXUS_LOG_LEVEL: 'silent' };
    return graphApp({ settings: await settingsOf('graph', environment) });
  },
  async hive(directory) {
    const { hiveApp } = await built('apps/hive/src/hive-app.module.js');
    const environment = {
      PLEXUS_HIVE_DATA_DIR: directory,
      PLEXUS_HIVE_GRPC_PORT: '0',
      PLEXUS_HIVE_LOG_LEVEL: 'silent',
    };
    return hiveApp({ settings: await settingsOf('hive', environment), environment, tls: undefined });
  },
  async proxy(directory) {
    const { proxyAdminApp } = await built('apps/proxy-admin/src/proxy-admin-app.module.js');
    const { AdminServer } = await built('libs/proxy/admin/src/index.js');
    const { loadProxyConfig } = await built('libs/proxy/engine/src/index.js');
    const { NodeDisk } = await built('libs/platform/disk/src/index.js');
    const file = join(directory, 'proxy.yaml');
    mkdirSync(directory);
    writeFileSync(file, 'admin_address: 127.0.0.1:0\nadmin: { extensions: true }\n');
    const environment = {};
    const { config } = await loadProxyConfig({ disk: new NodeDisk(), file, environment });
    const server = new AdminServer(config.admin, config.adminAddress);
    const logging = { format: 'json', level: 'silent' };
    return proxyAdminApp({ file, config, environment, lines: undefined, logging, server });
  },
};

async function documentOf(definition) {
  const { assembleApp, NEST_OPTIONS, OpenApi } = await built('libs/platform/http/src/index.js');
  const { module, adapter, prepare } = assembleApp({
    ...definition,
    prepare: (made) => made.get(OpenApi).describe(made),
  });
  const app = await NestFactory.create(module, adapter, NEST_OPTIONS);
  try {
    await prepare(app);
    return app.get(OpenApi).document;
  } finally {
    await app.close();
  }
}

async function generate(page, folder) {
  await createClient({
    input: await documentOf(await SERVICES[page](join(folder, 'data'))),
    output: { path: join(folder, 'client'), module: { extension: '.ts' }, entryFile: false },
    plugins: [
      '@hey-api/typescript',
      { name: '@hey-api/client-fetch', bundle: true },
      { name: '@hey-api/sdk', auth: true },
    ],
    logs: { level: 'silent' },
  });
}

/** The formatted text of each file, by its path in the folder. */
async function readFormatted(folder) {
  const options = await resolveConfig(join(targetOf('console'), 'sdk.gen.ts'));
  const texts = new Map();
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    const text = await format(readFileSync(path, 'utf8'), { ...options, parser: 'typescript' });
    texts.set(path.slice(folder.length + 1), text);
  }
  return texts;
}

function write(target, texts) {
  rmSync(target, { recursive: true, force: true });
  for (const [path, text] of texts) {
    const file = join(target, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
}

function isWritten(target, texts) {
  if (!existsSync(target)) return false;
  const files = readdirSync(target, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  return (
    files.length === texts.size &&
    Array.from(texts).every(([path, text]) => readFileSync(join(target, path), 'utf8') === text)
  );
}

async function writeOrCheck(page) {
  const folder = mkdtempSync(join(tmpdir(), 'plexus-client-'));
  try {
    await generate(page, folder);
    const texts = await readFormatted(join(folder, 'client'));
    if (!process.argv.includes('--check')) write(targetOf(page), texts);
    else if (!isWritten(targetOf(page), texts)) {
      console.error(`web/${page}/api/generated differs from the OpenAPI document: ${COMMAND}`);
      process.exitCode = 1;
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
}

for (const page of Object.keys(SERVICES)) await writeOrCheck(page);
