import { resolve } from 'node:path';
import { type Reading, refuse, type Shape } from '#platform/config';

/** The content of a file named by a configuration, or the reason why it cannot be read. */
export type FileContent = { readonly text: string } | { readonly fault: string };

/**
 * The files named by a configuration. A shape cannot wait for a disk: a file that has not been read yet is
 * recorded in `missing`, and is a fault; then it is read, and the configuration is parsed again.
 */
export class ConfigFiles {
  readonly #directory: string;
  readonly #contents: ReadonlyMap<string, FileContent>;
  readonly #missing = new Set<string>();

  /** Relative paths start at `directory`. */
  constructor(directory: string, contents: ReadonlyMap<string, FileContent>) {
    this.#directory = directory;
    this.#contents = contents;
  }

  get missing(): readonly string[] {
    return Array.from(this.#missing);
  }

  pathOf(name: string): string {
    return resolve(this.#directory, name);
  }

  /** A path, read as the value that `make` builds from the file; undefined from `make` is a fault. */
  shape<T>(expects: string, make: (path: string, text: string) => T | undefined): Shape<T> {
    const read = (value: unknown, at: Reading): T | undefined => {
      const path = typeof value === 'string' && /^[^\0]+$/.test(value) ? this.pathOf(value) : undefined;
      const content = path === undefined ? { fault: 'no path' } : this.#contentOf(path);
      const made = path === undefined || 'fault' in content ? undefined : make(path, content.text);
      if (made === undefined) refuse(at, 'fault' in content ? `${expects}, got ${content.fault}` : expects);
      return made;
    };
    return { expects, read };
  }

  #contentOf(path: string): FileContent {
    const content = this.#contents.get(path);
    if (content !== undefined) return content;
    this.#missing.add(path);
    return { fault: 'nothing yet' };
  }
}
