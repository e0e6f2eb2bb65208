/**
 * Cypher beside Ladybug and Grafeo, and beside PQL for the same question: questions over the benchmark's
 * graph, LSQB's nine, and MERGE. An answer that differs between engines is an error, and is not timed.
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { CypherEngine, OpenEngine } from './cypher/engine.ts';
import { openGrafeo } from './cypher/grafeo.ts';
import { type GraphTables, tablesOfDataset, tablesOfLsqb } from './cypher/graph-tables.ts';
import { openLadybug } from './cypher/ladybug.ts';
import { mergedRates } from './cypher/merge.ts';
import { openPlexus, type PlexusEngine } from './cypher/plexus.ts';
import { type CypherQuestion, lsqbQuestions, type PqlQuestion, questionsOf } from './cypher/questions.ts';
import { Dataset } from './data/dataset.ts';
import { askOf } from './data/questions.ts';
import { emptied } from './harness/emptied.ts';
import { describeMachine } from './harness/machine.ts';
import { readOptions } from './harness/options.ts';
import { timeRound } from './harness/stopwatch.ts';
import { type Line, renderTable } from './harness/table.ts';

const LSQB = join(import.meta.dirname, '../tools/suites/lsqb/social-network-sf0.003-projected-fk');
const PEERS: readonly OpenEngine[] = [openLadybug, openGrafeo];
const PQL = 'pql';
const REACH = [
  { against: 'ladybug', factor: 3 },
  { against: 'grafeo', factor: 3 },
  { against: PQL, factor: 1 / 1.5 },
];
const options = readOptions(process.argv.slice(2));
const directory = join(options.directory, 'cypher');
const faults: string[] = [];
const versions = new Map<string, string>();
const lines: Line[] = [];

const data = new Dataset(options.entities, options.seed);
await measure(tablesOfDataset(data), questionsOf(data, askOf(data, options.seed)));
await measure(tablesOfLsqb(LSQB), lsqbQuestions());
const merged = await mergedRates({ data, directory, rounds: options.rounds });
rmSync(directory, { recursive: true, force: true });

console.log(`## Cypher, ${options.entities.toLocaleString('en-US')} entities, ${data.links.count.toLocaleString('en-US')} relationships; LSQB at scale 0.003

${describeMachine()}. Seed ${options.seed}, medians of ${options.rounds} rounds, in turn, one process.
${[...versions].map((pair) => pair.join(' ')).join(', ')}.

${renderTable('plexus', ['plexus', PQL, 'ladybug', 'grafeo'], lines)}

\`UNWIND $rows MERGE … SET …\` of 1,000 new rows a statement, each durable; over HTTP for Plexus, in process for Ladybug:

${renderTable('plexus', ['plexus', 'bulk', 'ladybug'], [merged])}
${faults.map((fault) => `\n- ${fault}`).join('')}`);
if (faults.length > 0) process.exitCode = 1;

async function measure(tables: GraphTables, questions: readonly CypherQuestion[]): Promise<void> {
  const plexus = await openPlexus(emptied(join(directory, 'plexus')), tables);
  const peers: CypherEngine[] = [];
  for (const open of PEERS) peers.push(await open(emptied(join(directory, open.name)), tables));
  for (const { name, version } of [plexus, ...peers]) versions.set(name, version);
  try {
    for (const question of questions) await measureOne(question, plexus, peers);
  } finally {
    for (const engine of [plexus, ...peers]) await engine.close();
  }
}

type Asked = readonly [name: string, ask: () => Promise<string>];

async function measureOne(
  question: CypherQuestion,
  plexus: PlexusEngine,
  peers: readonly CypherEngine[],
): Promise<void> {
  const { pql, title } = question;
  const asked: Asked[] = [
    ['plexus', async () => answerOf(await plexus.ask(question.cypher, question.parameters))],
  ];
  if (pql !== undefined) asked.push([PQL, () => askPql(plexus, pql)]);
  for (const peer of peers) {
    const text = question.dialects?.[peer.name as 'ladybug' | 'grafeo'];
    if (text === null) continue;
    asked.push([
      peer.name,
      async () => answerOf(await peer.ask(text ?? question.cypher, question.parameters)),
    ]);
  }
  const agreed = await agreeing(title, asked);
  const figures = new Map<string, number[]>(agreed.map(([name]) => [name, []]));
  // The first round is a warm-up.
  for (let round = 0; round <= options.rounds; round++) {
    for (const [name, ask] of agreed) {
      const { msPerCall } = await timeRound(ask, options.roundMs);
      if (round > 0) figures.get(name)?.push(msPerCall);
    }
  }
  lines.push({ title, unit: 'ms', figures, reach: REACH });
}

/** Those that answer as Plexus does; the others are faults. */
async function agreeing(title: string, asked: readonly Asked[]): Promise<readonly Asked[]> {
  const agreed: Asked[] = [];
  let expected = '';
  for (const each of asked) {
    const [name, ask] = each;
    try {
      const answer = await ask();
      if (name === 'plexus') expected = answer;
      if (answer === expected) agreed.push(each);
      else faults.push(`${title}: ${name} answers ${answer.slice(0, 200)}, plexus ${expected.slice(0, 200)}`);
    } catch (error) {
      faults.push(`${title}: ${name} failed: ${String(error).slice(0, 300)}`);
    }
  }
  return agreed;
}

/** In comparable form: rows in an order of their own, numbers to nine digits. */
function answerOf(rows: readonly (readonly unknown[])[]): string {
  const plain = (value: unknown): unknown =>
    typeof value === 'number' || typeof value === 'bigint' ? Number(Number(value).toPrecision(9)) : value;
  return JSON.stringify(rows.map((row) => row.map(plain)).sort((a, b) => (String(a) < String(b) ? -1 : 1)));
}

function askPql(plexus: PlexusEngine, { text, answer, parameters }: PqlQuestion): Promise<string> {
  return plexus.askPql(text, parameters, (result) => {
    if (answer === 'count') return answerOf([[result.count]]);
    const page = result.page(0, result.count);
    if (answer === 'hops') return answerOf([[page.paths?.[0]?.links.length ?? -1]]);
    return answerOf((page.groups ?? []).map(({ keys, count }) => [keys[0], count]));
  });
}
