/**
 * Which copy answers when a package asks for another: npm's layout of node_modules, and Node's search in it.
 *
 * 1. The asking package stands at a path, `node_modules/a/node_modules/b`; the project itself at `''`.
 * 2. The search goes from that folder upwards, and looks at `<folder>/node_modules/<name>`.
 * 3. A link (a workspace) stands for the entry that it leads to.
 */
import type { LockEntry } from './lock-entry.ts';

const NODE_MODULES = 'node_modules';

export class InstalledTree {
  readonly #entries: ReadonlyMap<string, LockEntry>;

  constructor(entries: ReadonlyMap<string, LockEntry>) {
    this.#entries = entries;
  }

  /** The path of the entry that answers `name` for the package at `from`; undefined when there is none. */
  resolve(from: string, name: string): string | undefined {
    for (const folder of foldersUpwards(from)) {
      const path = folder === '' ? `${NODE_MODULES}/${name}` : `${folder}/${NODE_MODULES}/${name}`;
      const entry = this.#entries.get(path);
      if (entry !== undefined) return entry.linkTarget ?? path;
    }
    return undefined;
  }
}

function* foldersUpwards(from: string): Generator<string> {
  for (let folder = from; folder !== ''; folder = parentOf(folder)) {
    if (folder !== NODE_MODULES && !folder.endsWith(`/${NODE_MODULES}`)) yield folder;
  }
  yield '';
}

function parentOf(folder: string): string {
  const slash = folder.lastIndexOf('/');
  return slash < 0 ? '' : folder.slice(0, slash);
}

/** The name that a package is asked for by, from where it stands: undefined for a project. */
export function installedName(path: string): string | undefined {
  const at = path.lastIndexOf(`${NODE_MODULES}/`);
  const isInstalled = at === 0 || (at > 0 && path[at - 1] === '/');
  return isInstalled ? path.slice(at + NODE_MODULES.length + 1) : undefined;
}
