/**
 * The pages' client of the graph service, as @hey-api/openapi-ts makes it from the service's OpenAPI document
 * (ADR 0204). The built service is put together for it and never listens.
 *
 *   npm run api-client         writes web/console/api/generated
 *   npm run api-client:check   fails when that is not what the service's document says
 */
import { createClient } from '@hey-api/openapi-ts';
import { NestFactory } from '@nestjs/core';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { format, resolveConfig } from 'prettier';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const TARGET = join(root, 'web/console/api/generated');
const COMMAND = 'npm run api-client';

const built = (path) => import(join(root, 'dist', path));

async function documentOf(dataDirectory) {
  const { graphApp } = await built('apps/graph/src/graph-app.module.js');
  const { SETTING_PREFIX, SETTING_TABLE } = await built('apps/graph/src/settings.js');
  const { parseSettings } = await built('libs/platform/config/src/index.js');
  const { assembleApp, NEST_OPTIONS, OpenApi } = await built('libs/platform/http/src/index.js');
  const environment = { PLEXUS_DATA_DIR: dataDirectory, PLEXUS_LOG_LEVEL: 'silent' };
  const settings = parseSettings(SETTING_TABLE, { environment, prefix: SETTING_PREFIX });
  const { module, adapter, prepare } = assembleApp(graphApp({ settings }));
  const app = await NestFactory.create(module, adapter, NEST_OPTIONS);
  try {
    await prepare(app);
    return app.get(OpenApi).document;
  } finally {
    await app.close();
  }
}

async function generate(folder) {
  await createClient({
    input: await documentOf(join(folder, 'data')),
    output: { path: join(folder, 'client'), module: { extension: '.ts' }, entryFile: false },
    plugins: [
      '@hey-api/typescript',
      { name: '@hey-api/client-fetch', bundle: true },
      { name: '@hey-api/sdk', auth: true },
    ],
    logs: { level: 'silent' },
  });
}

/** By its path in the folder, the text of each file in the house's format. */
async function readFormatted(folder) {
  const options = await resolveConfig(join(TARGET, 'sdk.gen.ts'));
  const texts = new Map();
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    const text = await format(readFileSync(path, 'utf8'), { ...options, parser: 'typescript' });
    texts.set(path.slice(folder.length + 1), text);
  }
  return texts;
}

function write(texts) {
  rmSync(TARGET, { recursive: true, force: true });
  for (const [path, text] of texts) {
    const file = join(TARGET, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
}

function isWritten(texts) {
  const files = readdirSync(TARGET, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  return (
    files.length === texts.size &&
    Array.from(texts).every(([path, text]) => readFileSync(join(TARGET, path), 'utf8') === text)
  );
}

const folder = mkdtempSync(join(tmpdir(), 'plexus-client-'));
try {
  await generate(folder);
  const texts = await readFormatted(join(folder, 'client'));
  if (!process.argv.includes('--check')) write(texts);
  else if (!isWritten(texts)) {
    console.error(`web/console/api/generated is not what the OpenAPI document says: ${COMMAND}`);
    process.exitCode = 1;
  }
} finally {
  rmSync(folder, { recursive: true });
}
