/** The files reached by imports from a test, including worker files. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import ts from 'typescript';

const WORKER = /new URL\(\s*'(\.[^']+)'( \+ extname)?/g;

export class ImportGraph {
  #root;
  #imports = new Map();

  constructor(root) {
    this.#root = root;
  }

  /** The length of the shortest import path from the file to each reached file. */
  distancesFrom(file) {
    const distances = new Map([[file, 0]]);
    for (const [reached, distance] of distances) {
      for (const next of this.#importsOf(reached)) {
        if (!distances.has(next)) distances.set(next, distance + 1);
      }
    }
    return distances;
  }

  #importsOf(file) {
    let imports = this.#imports.get(file);
    if (imports === undefined) {
      imports = this.#read(file);
      this.#imports.set(file, imports);
    }
    return imports;
  }

  #read(file) {
    if (!file.endsWith('.ts')) return [];
    const text = readFileSync(join(this.#root, file), 'utf8');
    const names = ts.preProcessFile(text, true, true).importedFiles.map(({ fileName }) => fileName);
    const workers = Array.from(text.matchAll(WORKER), ([, name, extension]) =>
      extension === undefined ? name : `${name}.ts`,
    );
    return [...names, ...workers]
      .map((name) => this.#resolved(file, name))
      .filter((path) => path !== undefined);
  }

  #resolved(from, name) {
    const library = /^#(testing|[a-z]+\/[a-z]+)$/.exec(name)?.[1];
    if (library !== undefined) return `libs/${library}/src/index.ts`;
    if (!name.startsWith('.')) return undefined;
    const path = normalize(join(dirname(from), name));
    return existsSync(join(this.#root, path)) ? path : undefined;
  }
}
