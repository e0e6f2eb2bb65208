import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { command } from './command.mjs';

const SETTINGS = [
  'tsconfig.json',
  'tsconfig.build.json',
  'package.json',
  'package-lock.json',
  'tools/build-web.mjs',
  'tools/bundle.mjs',
];
const SOURCES = { apps: /\.ts$/, libs: /\.ts$/, web: /\.(?:ts|svelte|css|html|svg)$/ };
const stampPath = (root) => join(root, 'dist', '.sources');

function* sourceFiles(root) {
  for (const [folder, name] of Object.entries(SOURCES)) {
    for (const path of readdirSync(join(root, folder), { recursive: true })) {
      if (name.test(path) && !path.endsWith('spec.ts')) yield join(folder, path);
    }
  }
}

/** A hash of contents, so that touched files and repeated checkouts do not trigger a build. */
function hashOfSources(root) {
  const hash = createHash('sha256');
  for (const path of [...SETTINGS, ...Array.from(sourceFiles(root)).sort()]) {
    const content = readFileSync(join(root, path));
    hash.update(`${path}\0${content.length}\0`).update(content);
  }
  return hash.digest('hex');
}

/** Whether dist is a complete build of the current sources. */
export function isBuildCurrent(root) {
  try {
    return readFileSync(stampPath(root), 'utf8') === hashOfSources(root);
  } catch (error) {
    if (error.code === 'ENOENT') return false;
    throw error;
  }
}

/** tsc keeps the output of deleted and renamed sources, which could still be imported. */
function removeStale(root) {
  for (const folder of ['apps', 'libs']) {
    for (const path of readdirSync(join(root, 'dist', folder), { recursive: true })) {
      const [, source] = /^(.*)\.js(?:\.map)?$/.exec(path) ?? [];
      if (source === undefined || existsSync(join(root, folder, `${source}.ts`))) continue;
      rmSync(join(root, 'dist', folder, path));
    }
  }
}

export async function build(root, node, say) {
  say('building …');
  const hash = hashOfSources(root);
  await command(node, ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json'], { cwd: root });
  removeStale(root);
  await command(node, ['tools/bundle.mjs'], { cwd: root });
  await command(node, ['tools/build-web.mjs'], { cwd: root });
  writeFileSync(stampPath(root), hash);
}
