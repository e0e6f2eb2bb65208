import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The innermost package folder of a path: `node_modules/a/node_modules/@b/c`. */
const FOLDER = /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/;
const LICENCE_FILE = /^(?:licen[cs]e|copying|notice)/i;

/**
 * The packages of these files, and those bundled into the pages, by folder.
 *
 * @returns {readonly { folder: string, name: string, version: string, licence: string | undefined,
 *   dependencies: readonly string[], isBundled: boolean, licenceFiles: readonly string[] }[]}
 */
export function packagesOf(root, files, pages) {
  const loaded = new Set(files.flatMap((path) => FOLDER.exec(path)?.[0] ?? []));
  const bundled = pages.flatMap((page) =>
    JSON.parse(readFileSync(join(root, 'dist/web', `${page}.packages.json`))),
  );
  const byFile = JSON.parse(readFileSync(join(root, 'dist/programs/packages.json'), 'utf8'));
  const inPrograms = files.flatMap((path) => byFile[path.replace('dist/programs/', '')] ?? []);
  const folders = [...new Set([...loaded, ...inPrograms, ...bundled])].sort();
  return folders
    .filter((folder) => existsSync(join(root, folder, 'package.json')))
    .map((folder) => ({
      ...describe(root, folder),
      isBundled: !loaded.has(folder),
    }));
}

function describe(root, folder) {
  const manifest = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
  const {
    name,
    version,
    license,
    dependencies = {},
    peerDependencies = {},
    optionalDependencies = {},
  } = manifest;
  return {
    folder,
    name,
    version,
    licence: typeof license === 'string' ? license : license?.type,
    dependencies: Object.keys({ ...dependencies, ...peerDependencies, ...optionalDependencies }).sort(),
    licenceFiles: readdirSync(join(root, folder))
      .filter((file) => LICENCE_FILE.test(file))
      .sort(),
  };
}
