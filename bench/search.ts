/**
 * Search by a part of a name over all types: the service, as REST calls it, beside SQLite's trigram index
 * (FTS5) over the same names, and beside a PQL query that reads every name. The names are those of a fleet:
 * hosts with a role, a place and a number, and random hexadecimal keys.
 */
import { DatabaseSync } from 'node:sqlite';
import { fraction } from './data/random.ts';
import { ENTITY_TYPES } from './data/vocabulary.ts';
import { describeMachine } from './harness/machine.ts';
import { readOptions } from './harness/options.ts';
import { percentile, timeEach } from './harness/stopwatch.ts';
import { significant } from './harness/table.ts';
import { builtLibrary } from './targets/built-library.ts';

const ROLES = ['web', 'api', 'worker', 'cache', 'postgres', 'gateway', 'build', 'search', 'mail', 'auth'];
const PLACES = ['prod', 'staging', 'test', 'dev'];
const REGIONS = ['eu-west', 'eu-north', 'us-east', 'us-west', 'ap-south'];
const CALLS = 400;
const PEER_CALLS = 20;
const SCANS = 1;
const LIMIT = 20;
const P99_MAX_MS = 50;
const MB = 1e6;
const PATIENT = { aborted: false };

const options = readOptions(process.argv.slice(2));
const memoryLibrary = await builtLibrary('graph/memory');
const modelLibrary = await builtLibrary('graph/model');
const searchLibrary = await builtLibrary('graph/search');
const executionLibrary = await builtLibrary('graph/execution');
const { systemClock } = await builtLibrary('platform/foundation');
const { QueryEngine } = await builtLibrary('graph/query');

type MemoryGraph = ReturnType<typeof memoryLibrary.MemoryGraph.create>;

interface Named {
  readonly type: string;
  readonly class: string;
  readonly key: string;
  readonly displayName: string;
}

function pick(list: readonly string[], at: number, salt: number): string {
  return list[Math.floor(fraction(options.seed, at, salt) * list.length)] ?? '';
}

function namedAt(at: number): Named {
  const kind = ENTITY_TYPES[at % ENTITY_TYPES.length];
  const key = Math.floor(fraction(options.seed, at, 1) * 2 ** 48).toString(16);
  const number = String(Math.floor(fraction(options.seed, at, 2) * 100_000)).padStart(5, '0');
  const host = `${pick(ROLES, at, 3)}-${pick(PLACES, at, 4)}-${number}`;
  return {
    type: kind?.type ?? '',
    class: kind?.class ?? '',
    key: `i-${key}${at.toString(16)}`,
    displayName: `${host}.${pick(REGIONS, at, 5)}.example.com`,
  };
}

function loaded(): MemoryGraph {
  const graph = memoryLibrary.MemoryGraph.create({ sealIdleMs: 0 });
  const stamp = { connectorId: 'bench', syncId: '', syncedAtMs: 1, createdAtMs: 1, updatedAtMs: 1, lastSeenAtMs: 1, deletedAtMs: null, version: 1 }; // prettier-ignore
  for (let at = 0; at < options.entities; at++) {
    const input = { ...namedAt(at), properties: {} };
    const id = modelLibrary.entityId(input.type, input.key);
    graph.putEntity(1, { id, head: memoryLibrary.encodeEntityHead(id, input), input, stamp, owners: [] });
  }
  graph.publish(1);
  return graph;
}

/** Bytes of the index by name in the image of a base, which is what it takes in memory. */
function indexBytes(graph: MemoryGraph): number {
  const [description, ...parts] = graph.exportImage().parts;
  const { grams } = JSON.parse(Buffer.from(description?.bytes ?? []).toString('utf8')) as {
    readonly grams: readonly { readonly offsets: number; readonly postings: number }[];
  };
  return grams
    .flatMap(({ offsets, postings }) => [offsets, postings])
    .reduce((sum, part) => sum + (parts[part]?.bytes.byteLength ?? 0), 0);
}

const TEXTS = new Map<string, (at: number) => string>([
  ['a whole name', (at) => entityAt(at).displayName],
  ['a whole key', (at) => entityAt(at).key],
  ['a name as it is typed, 3 to 8 letters', (at) => entityAt(at).displayName.slice(0, 3 + (at % 6))],
  ['4 digits of a number', (at) => /\d{4}/.exec(entityAt(at).displayName)?.[0] ?? '0000'],
  ['4 to 6 letters from the middle of a key', (at) => entityAt(at).key.slice(4, 8 + (at % 3))],
  ['a word that a tenth has', (at) => ROLES[at % ROLES.length] ?? ''],
  ['what all have', () => 'example'],
  ['nothing has it', (at) => `zq${at}xk`],
  ['one or two letters', (at) => entityAt(at).displayName.slice(0, 1 + (at % 2))],
]);

function entityAt(at: number): Named {
  return namedAt(Math.floor(fraction(options.seed, at, 9) * options.entities));
}

function sqlite(): (text: string) => unknown {
  const database = new DatabaseSync(':memory:');
  database.exec("CREATE VIRTUAL TABLE names USING fts5(key, name, tokenize='trigram', detail='full')");
  const insert = database.prepare('INSERT INTO names (rowid, key, name) VALUES (?, ?, ?)');
  database.exec('BEGIN');
  for (let at = 0; at < options.entities; at++) {
    const { key, displayName } = namedAt(at);
    insert.run(at + 1, key, displayName);
  }
  database.exec('COMMIT');
  const count = database.prepare(
    'SELECT count(*) FROM (SELECT 1 FROM names WHERE names MATCH ? LIMIT 10000)',
  );
  const first = database.prepare(
    'SELECT rowid, key, name FROM names WHERE names MATCH ? ORDER BY rank LIMIT 20',
  );
  return (text) => [count.get(`"${text}"`), first.all(`"${text}"`)];
}

const graph = loaded();
const sealStart = performance.now();
await graph.seal();
const sealMs = performance.now() - sealStart;
const settings = new executionLibrary.ExecutionSettings();
const scheduler = executionLibrary.createScheduler(settings, systemClock);
const service = new searchLibrary.SearchService(
  {
    snapshotWithin: () => graph.snapshot(),
    get history(): never {
      throw new Error('only the present is searched');
    },
  },
  scheduler,
  settings,
  systemClock,
);
const vocabulary = { hasClass: () => true, hasVerb: () => true, classes: [], verbs: [] };
const engine = new QueryEngine({ vocabulary });
const peer = sqlite();
const snapshot = graph.snapshot();

function figures(times: Float64Array): string {
  return [0.5, 0.99, 1].map((share) => significant(percentile(times, share))).join(' / ');
}

const rows: string[] = [];
let worst = 0;
for (const [title, textOf] of TEXTS) {
  await timeEach((at) => service.search({ text: textOf(at), limit: LIMIT }, PATIENT), PEER_CALLS);
  const own = await timeEach((at) => service.search({ text: textOf(at), limit: LIMIT }, PATIENT), CALLS);
  worst = Math.max(worst, percentile(own, 0.99));
  const isShort = textOf(0).length < 3;
  const other = isShort ? undefined : await timeEach((at) => peer(textOf(at)), PEER_CALLS);
  const scan = await timeEach(
    (at) =>
      engine.run(snapshot, 'FIND * WITH display_name ILIKE $t OR _key ILIKE $t LIMIT 20', {
        params: { t: `%${textOf(at)}%` },
      }),
    SCANS,
  );
  const ratio = other === undefined ? '–' : `${significant(percentile(other, 0.5) / percentile(own, 0.5))}×`;
  rows.push(
    `| ${title} | ${figures(own)} | ${other === undefined ? '–' : figures(other)} | ${ratio} | ${significant(percentile(scan, 0.5))} |`,
  );
}

console.log(`## Search by name, ${options.entities.toLocaleString('en-US')} entities

${describeMachine()}. Milliseconds: median, 99th percentile and most of ${CALLS} searches (${PEER_CALLS} of SQLite, ${SCANS} of PQL). Each search counts its matches, up to 10,000, and gives the best ${LIMIT}; SQLite orders by its own rank.

| text | plexus | SQLite FTS5, trigram | ratio of medians | PQL, reading all names: median |
| --- | --- | --- | --- | --- |
${rows.join('\n')}

The 99th percentile is at most ${significant(worst)} ms (${worst <= P99_MAX_MS ? 'within' : '**beyond**'} the ${P99_MAX_MS} ms to reach). The index takes ${significant(indexBytes(graph) / MB)} MB, ${significant(indexBytes(graph) / options.entities)} bytes an entity, of the ${significant(graph.stats().bytes / MB)} MB of the sealed graph, whose seal took ${significant(sealMs / 1_000)} s.
`);
snapshot.release();
await graph.close();
