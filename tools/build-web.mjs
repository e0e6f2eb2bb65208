/**
 * Builds the pages of web/ to dist/web/<page>: `index.html`, and assets with content hashes in their names,
 * each with its gzip and brotli forms, so that the server compresses nothing. Beside the page it writes
 * dist/web/<page>.packages.json, the packages that are bundled in it.
 *
 *   build-web.mjs            all pages
 *   build-web.mjs <page>…    only these
 */
import { svelte } from '@sveltejs/vite-plugin-svelte';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { build } from 'vite';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** The server's path of the assets of each page. */
const BASES = { console: '/', docs: '/docs/', hive: '/', proxy: '/admin/' };
const COMPRESSED = /\.(?:js|css|svg|json)$/;
const COMPRESSED_BYTES_MIN = 1024;

async function buildPage(page, base) {
  const folder = join(root, 'dist', 'web', page);
  const { output } = await build({
    configFile: false,
    root: join(root, 'web', page),
    base,
    logLevel: 'warn',
    plugins: [svelte({ configFile: false, compilerOptions: { runes: true } })],
    build: {
      outDir: folder,
      emptyOutDir: true,
      target: 'es2023',
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      reportCompressedSize: false,
      chunkSizeWarningLimit: 1024,
    },
  });
  await compressAssets(join(folder, 'assets'));
  writeFileSync(`${folder}.packages.json`, `${JSON.stringify(packagesOf(output), null, 2)}\n`);
}

/** Package folders of the modules, relative to the checkout. */
function packagesOf(output) {
  const modules = output.flatMap((chunk) => chunk.moduleIds ?? []);
  const folders = modules.flatMap(
    (id) => /(?:^|\/)(node_modules\/(?:.*\/node_modules\/)?(?:@[^/]+\/)?[^/]+)/.exec(id)?.[1] ?? [],
  );
  return [...new Set(folders)].sort();
}

async function compressAssets(folder) {
  const names = readdirSync(folder).filter((name) => COMPRESSED.test(name));
  await Promise.all(names.map((name) => compressAsset(join(folder, name))));
}

async function compressAsset(path) {
  const bytes = readFileSync(path);
  if (bytes.length < COMPRESSED_BYTES_MIN) return;
  const params = { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length };
  writeFileSync(`${path}.br`, await promisify(brotliCompress)(bytes, { params }));
  writeFileSync(`${path}.gz`, await promisify(gzip)(bytes, { level: constants.Z_BEST_COMPRESSION }));
}

const named = process.argv.slice(2);
for (const [page, base] of Object.entries(BASES)) {
  if (named.length === 0 || named.includes(page)) await buildPage(page, base);
}
