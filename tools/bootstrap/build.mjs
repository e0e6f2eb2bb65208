import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { command } from './command.mjs';

const SETTINGS = ['package.json', 'package-lock.json'];
const SERVER = {
  settings: [...SETTINGS, 'tsconfig.json', 'tsconfig.build.json'],
  sources: { apps: /\.ts$/, libs: /\.ts$/ },
};

/**
 * What is built, in the order of the build. Each part has a stamp of its own in dist, the hash of what it is
 * made of, so that an edit of a page compiles no server, and an edit of a server builds no page.
 */
const PARTS = {
  server: {
    ...SERVER,
    run: async (root, node) => {
      await command(node, ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json'], { cwd: root });
      removeStale(root);
    },
  },
  programs: {
    settings: [...SERVER.settings, 'tools/bundle.mjs'],
    sources: SERVER.sources,
    run: (root, node) => command(node, ['tools/bundle.mjs'], { cwd: root }),
  },
  pages: {
    settings: [...SETTINGS, 'tools/build-web.mjs'],
    sources: { web: /\.(?:ts|svelte|css|html|svg)$/ },
    run: (root, node) => command(node, ['tools/build-web.mjs'], { cwd: root }),
  },
};

/** Everything that can be built. */
export const ALL_PARTS = Object.keys(PARTS);
/** The parts of the build for a program that serves no page. */
export const PARTS_WITHOUT_PAGES = ALL_PARTS.filter((name) => name !== 'pages');

const stampPath = (root, name) => join(root, 'dist', `.${name}`);

function* sourceFiles(root, sources) {
  for (const [folder, name] of Object.entries(sources)) {
    for (const path of readdirSync(join(root, folder), { recursive: true })) {
      if (name.test(path) && !path.endsWith('spec.ts')) yield join(folder, path);
    }
  }
}

/** A hash of contents, so that touched files and repeated checkouts do not trigger a build. */
function hashOf(root, { settings, sources }) {
  const hash = createHash('sha256');
  for (const path of [...settings, ...Array.from(sourceFiles(root, sources)).sort()]) {
    const content = readFileSync(join(root, path));
    hash.update(`${path}\0${content.length}\0`).update(content);
  }
  return hash.digest('hex');
}

function isCurrent(root, name) {
  try {
    return readFileSync(stampPath(root, name), 'utf8') === hashOf(root, PARTS[name]);
  } catch (error) {
    if (error.code === 'ENOENT') return false;
    throw error;
  }
}

/** Whether dist has complete builds of the parts from the current sources. */
export function isBuildCurrent(root, parts) {
  return parts.every((name) => isCurrent(root, name));
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

/** Builds those of the parts that are missing or stale. */
export async function build(root, node, { parts, say }) {
  const stale = parts.filter((name) => !isCurrent(root, name));
  say(`building ${stale.join(', ')} …`);
  for (const name of stale) {
    const hash = hashOf(root, PARTS[name]);
    await PARTS[name].run(root, node);
    writeFileSync(stampPath(root, name), hash);
  }
}
