import { nodeFileTrace } from '@vercel/nft';
import { globSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename } from 'node:path';

/** Found for the tracer's guesses, and never loaded: code that Node keeps, types, maps. */
const NEVER = /^dist\/programs\/\.compiled\/|^node_modules\/@foundry-rs\/|\.map$|\.d\.[mc]?ts$/;
const FOLDER = /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/;

/** Of the tracer: what one product loads is mostly what the others load. */
const cache = {};

/** Folders of packages that only development needs, as the lock file tells. */
function foldersOfDevelopment(root) {
  const { packages } = JSON.parse(readFileSync(`${root}/package-lock.json`, 'utf8'));
  return new Set(Object.keys(packages).filter((folder) => packages[folder].dev));
}

/**
 * Paths of all files that a product loads, from the checkout on, sorted: the programs, their threads, and
 * what both import, as the tracer finds it; and those that the product lists.
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
