/**
 * Mutation tests of a library: `npm run mutants -- <library>`. Small changes are made to its sources, one at
 * a time, and its tests are run; a change that no test detects survives, and is printed as file:line.
 *
 *   --count 100     how many mutations, a sample
 *   --seed 1        selects the sample
 *   --again         retries survivors of earlier runs, after tests have been added
 *   --only <text>   all mutations whose `file:line` contains the text
 *   --list          prints the mutations and tries none
 *
 * Results are kept under `node_modules/.cache/mutants/`; an interrupted run continues there. Equivalent
 * mutations, which no test can detect, are listed with their reason in `tools/mutants/equivalents.json`, and
 * not tried.
 */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { argumentOf, MutationSession, readJson, writeJson } from './mutants/mutation-session.mjs';
import { mutationsOf } from './mutants/mutations.mjs';
import { keyOf, numbered, sampled } from './mutants/sample.mjs';
import { libraryOf, sourcesOf, TestFiles } from './mutants/test-files.mjs';
import { WorkingCopy } from './mutants/working-copy.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    count: { type: 'string', default: '100' },
    seed: { type: 'string', default: '1' },
    again: { type: 'boolean', default: false },
    only: { type: 'string' },
    list: { type: 'boolean', default: false },
  },
});

const cacheOf = (name) => join(root, 'node_modules', '.cache', 'mutants', name.replace('/', '-'));
const equivalents = readJson(join(root, 'tools', 'mutants', 'equivalents.json'), []);
const placeOf = ({ file, line }) => `${file}:${line}`;
const shortened = (text) => (text.length > 60 ? `${text.slice(0, 57)}…` : text).replaceAll(/\s+/g, ' ');
const textOf = (mutation) => `${placeOf(mutation)}  ${shortened(mutation.from)} → ${shortened(mutation.to)}`;

function chosen(library) {
  const read = (file) => readFileSync(join(root, file), 'utf8');
  const all = numbered(sourcesOf(root, library).flatMap((file) => mutationsOf(file, read(file))));
  const { only } = values;
  return only === undefined
    ? sampled(all, Number(values.count), values.seed)
    : all.filter((mutation) => placeOf(mutation).includes(only));
}

async function tryAll(library, mutations, kept) {
  const copy = new WorkingCopy(root);
  try {
    const known = readJson(cacheOf(`${library}-tests.json`), {});
    const tests = new TestFiles(root, library, known);
    await tests.measure(copy.folder, cacheOf('jest'));
    writeJson(cacheOf(`${library}-tests.json`), known);
    for (const file of tests.failing()) console.log(`fails without a mutation, and is not used: ${file}`);
    const session = new MutationSession({ copy, tests, cache: cacheOf('jest') });
    for (const [index, mutation] of mutations.entries()) {
      const outcome = await session.outcomeOf(mutation);
      kept[keyOf(mutation)] = outcome;
      writeJson(cacheOf(`${library}.json`), kept);
      console.log(
        `${index + 1}/${mutations.length} ${outcome.status} ${textOf(mutation)}  ${outcome.by ?? ''}`,
      );
    }
  } finally {
    copy.remove();
  }
}

function report(library, mutations, kept) {
  const why = (mutation) => argumentOf(equivalents, mutation);
  const equivalent = mutations.filter((mutation) => why(mutation) !== undefined);
  const rest = mutations.filter((mutation) => why(mutation) === undefined);
  const of = (status) => rest.filter((mutation) => kept[keyOf(mutation)]?.status === status);
  const [killed, broken] = [of('killed'), of('broken')];
  const survived = [...of('survived'), ...of('untested')];
  for (const mutation of broken) console.log(`not tried, Jest broke off: ${textOf(mutation)}`);
  for (const mutation of survived) {
    console.log(`survived  ${textOf(mutation)}\n          ${mutation.context}`);
  }
  const tried = killed.length + survived.length;
  const score = tried === 0 ? '–' : `${((100 * killed.length) / tried).toFixed(1)} %`;
  console.log(
    `${library}, seed ${values.seed}: ${mutations.length} mutations, ${killed.length} killed, ` +
      `${survived.length} survived, ${equivalent.length} equivalent, ${broken.length} not tried: ${score}`,
  );
}

// Child processes end with this process, and the copy is removed.
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(130));

const [named] = positionals;
const library = named === undefined ? undefined : libraryOf(root, named);
const mutations = library === undefined ? [] : chosen(library);
if (mutations.length === 0) {
  console.error(
    library === undefined ? 'usage: npm run mutants -- <library>, as graph/policy' : 'no such mutation',
  );
  process.exit(2);
}
if (values.list) {
  for (const mutation of mutations) console.log(`${textOf(mutation)}  (${mutation.operator})`);
} else {
  const kept = readJson(cacheOf(`${library}.json`), {});
  const isDone = (mutation) => {
    const status = kept[keyOf(mutation)]?.status;
    return status === 'killed' || (!values.again && (status === 'survived' || status === 'untested'));
  };
  const open = mutations.filter(
    (mutation) => argumentOf(equivalents, mutation) === undefined && !isDone(mutation),
  );
  if (open.length > 0) await tryAll(library, open, kept);
  report(library, mutations, kept);
}
