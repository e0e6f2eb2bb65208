/** Tries mutations one by one, and stores each result, so that an interrupted run can continue. */
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { keyOf } from './sample.mjs';
import { TestRun } from './test-run.mjs';

export function readJson(path, otherwise) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    if (error.code === 'ENOENT') return otherwise;
    throw error;
  }
}

export function writeJson(path, value) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(`${path}.new`, `${JSON.stringify(value, undefined, 1)}\n`);
  renameSync(`${path}.new`, path);
}

export class MutationSession {
  #copy;
  #tests;
  #cache;

  constructor({ copy, tests, cache }) {
    this.#copy = copy;
    this.#tests = tests;
    this.#cache = cache;
  }

  /** `{status: 'killed' | 'survived' | 'untested' | 'broken', by?}`. */
  async outcomeOf(mutation) {
    const files = this.#tests.for(mutation.file);
    if (files.length === 0) return { status: 'untested' };
    const limitOf = (file) => this.#tests.limitOf(file);
    const run = await this.#copy.with(mutation, () =>
      TestRun.of(this.#copy.folder, { files, cache: this.#cache, limitOf }),
    );
    if (run.status === 'passed') return { status: 'survived' };
    if (run.status === 'broken') return { status: 'broken' };
    this.#tests.noticed(run.file);
    return { status: 'killed', by: `${run.file} › ${run.status === 'timeout' ? 'does not end' : run.test}` };
  }
}

/** The equivalents that apply to a mutation: identified by texts, like the mutation itself. */
export function argumentOf(equivalents, mutation) {
  const key = keyOf({ ...mutation, nth: 0 });
  const isSame = (known) =>
    keyOf({ ...known, context: known.context, nth: 0 }) === key && (known.nth ?? 0) === mutation.nth;
  return equivalents.find(isSame)?.why;
}
