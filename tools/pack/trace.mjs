import { nodeFileTrace } from '@vercel/nft';
import { globSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename } from 'node:path';

/** Found by the tracer's guesses, and never loaded: Node's headers, types, source maps. */
const NEVER = /^dist\/programs\/\.compiled\/|^node_modules\/@foundry-rs\/|\.map$|\.d\.[mc]?ts$/;
const FOLDER = /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/;

/** Cache of the tracer: the products load mostly the same files. */
const cache = {};

/** Package folders that only development needs, according to the lock file. */
function foldersOfDevelopment(root) {
  const { packages } = JSON.parse(readFileSync(`${root}/package-lock.json`, 'utf8'));
  return new Set(Object.keys(packages).filter((folder) => packages[folder].dev));
}

/**
 * Paths of all files that a product loads, relative to the checkout, sorted: the programs, their threads, and
 * their imports as found by the tracer; and the files listed by the product.
 */
export async function traceProgram(root, { programs, libraries, packages, files }) {
  const mains = Object.values(programs).map((app) => `dist/programs/${app}.js`);
  const workers = globSync(`dist/libs/{${libraries.join(',')}}/**/*-worker.js`, { cwd: root }).map(
    (path) => `dist/programs/${basename(path)}`,
  );
  const unwanted = foldersOfDevelopment(root);
  const find = createRequire(`${root}/package.json`);
  const { fileList } = await nodeFileTrace(
    [
      ...[...mains, ...workers].map((path) => `${root}/${path}`),
      ...packages.map((name) => find.resolve(name)),
    ],
    {
      base: root,
      processCwd: root,
      cache,
      ignore: (path) => NEVER.test(path) || unwanted.has(FOLDER.exec(path)?.[0]),
    },
  );
  const listed = globSync([...files], { cwd: root, exclude: (path) => /\/test(?:s)?$/.test(path) });
  const isOurs = (path) => /^(?:dist\/programs|docs|node_modules|proto|rules)\//.test(path);
  return [...new Set([...fileList, ...listed])].filter(isOurs).filter(isFile).sort();
}

function isFile(path) {
  return /\.[\w-]+$|\/LICEN[CS]E$/.test(path.replace(/^.*\//, '/'));
}
