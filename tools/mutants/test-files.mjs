/** Selects the test files for a mutated file, and their order. */
import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { ImportGraph } from './import-graph.mjs';
import { TestRun } from './test-run.mjs';

/** Tests outside the library named for it; they run when the library's own tests have passed. */
const OTHERS = {
  'graph/engine': ['apps/graph/test/{ingest,records,sources,cross-source}.e2e-spec.ts'],
  'load/oracle': ['libs/load/report/src/**/*.spec.ts', 'libs/load/coordination/src/telemetry/*.spec.ts'],
  'graph/policy': ['apps/graph/test/policies.e2e-spec.ts'],
  'proxy/engine': ['apps/proxy-admin/test/{admin-answers,control,conformance,breaker,events}.e2e-spec.ts'],
  'graph/query': ['apps/graph/test/{query,large-integers}.e2e-spec.ts'],
  'graph/storage': ['libs/graph/engine/test/graph.spec.ts', 'apps/graph/test/backup.e2e-spec.ts'],
  'load/telemetry': ['libs/load/report/src/**/*.spec.ts', 'apps/hive/test/report-data.e2e-spec.ts'],
};
const DURATION_OF_UNKNOWN_MS = 5_000;
const SPARE_MS = 20_000;
const SLOWER = 8;

const isSpec = (path) => /\.(spec|e2e-spec)\.ts$/.test(path);
const stemOf = (path) => basename(path).split('.', 1)[0];

/** `policy` or `graph/policy`; undefined when no library or several match. */
export function libraryOf(root, name) {
  const all = globSync('libs/*/**/src', { cwd: root }).map((path) =>
    path.slice('libs/'.length, -'/src'.length),
  );
  const named = all.filter((library) => library === name || library.endsWith(`/${name}`));
  return named.length === 1 ? named[0] : undefined;
}

export function sourcesOf(root, library) {
  const paths = globSync(`libs/${library}/src/**/*.ts`, { cwd: root }).sort();
  return paths.filter((path) => !isSpec(path) && basename(path) !== 'index.ts');
}

export class TestFiles {
  #root;
  #library;
  #known;
  #reach = new Map();
  #kills = new Map();

  /** `known`: measurements of earlier runs, `{[file]: {hash, ms, passed}}`; updated by this class. */
  constructor(root, library, known) {
    this.#root = root;
    this.#library = library;
    this.#known = known;
    const graph = new ImportGraph(root);
    const own = globSync(`libs/${library}/**/*.spec.ts`, { cwd: root }).filter(isSpec);
    const others = (OTHERS[library] ?? []).flatMap((pattern) => globSync(pattern, { cwd: root }));
    for (const file of [...own, ...others].sort()) this.#reach.set(file, graph.distancesFrom(file));
  }

  /** Runs changed files without a mutation; a file that fails then cannot detect one. */
  async measure(folder, cache) {
    const changed = Array.from(this.#reach.keys()).filter(
      (file) => this.#known[file]?.hash !== this.#hashOf(file),
    );
    if (changed.length === 0) return;
    const limitOf = () => 600_000;
    const { durations, failures } = await TestRun.of(folder, {
      files: changed,
      cache,
      limitOf,
      untilFailure: false,
    });
    for (const file of changed) {
      const passed = durations.has(file) && !failures.includes(file);
      this.#known[file] = { hash: this.#hashOf(file), ms: durations.get(file) ?? 0, passed };
    }
  }

  /** Files that fail without a mutation. */
  failing() {
    return Array.from(this.#reach.keys()).filter((file) => this.#known[file]?.passed === false);
  }

  /**
   * Files with the same name first, then the library's own; the most likely to fail soon first in each group.
   */
  for(source) {
    const reaching = Array.from(this.#reach).filter(
      ([file, reach]) => reach.has(source) && this.#isUsable(file),
    );
    const places = new Map(reaching.map(([file]) => [file, this.#place(file, source)]));
    return Array.from(places.keys()).sort((a, b) => places.get(a) - places.get(b));
  }

  limitOf(file) {
    return SPARE_MS + SLOWER * this.#durationOf(file);
  }

  noticed(file) {
    this.#kills.set(file, (this.#kills.get(file) ?? 0) + 1);
  }

  #isUsable(file) {
    return this.#known[file]?.passed !== false;
  }

  #place(file, source) {
    const cost = (1 + this.#durationOf(file)) / (1 + (this.#kills.get(file) ?? 0));
    if (stemOf(file) === stemOf(source)) return cost;
    return file.startsWith(`libs/${this.#library}/`) ? 1e9 + cost : 2e9 + cost;
  }

  #durationOf(file) {
    return this.#known[file]?.ms ?? DURATION_OF_UNKNOWN_MS;
  }

  #hashOf(file) {
    return createHash('sha256')
      .update(readFileSync(join(this.#root, file)))
      .digest('hex');
  }
}
