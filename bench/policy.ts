/**
 * 100 rules over the benchmark's graph: two threads, one thread, and no thread. Threads are warm, and each
 * evaluation uses a new snapshot, as in a server. Then the service evaluates the same rules, including
 * findings and history on disk, after commits that affect the queries of some of them, or of none.
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { Dataset } from './data/dataset.ts';
import { askOf } from './data/questions.ts';
import { loadTarget } from './graph/load-target.ts';
import { emptied } from './harness/emptied.ts';
import { describeMachine } from './harness/machine.ts';
import { readOptions } from './harness/options.ts';
import { timeRound } from './harness/stopwatch.ts';
import { type Line, renderTable } from './harness/table.ts';
import { benchRules } from './policy/rules.ts';
import { builtLibrary } from './targets/built-library.ts';

const RULES = 100;
const TWO_THREADS_FACTOR = 1.6;
const MS_MAX = 100;
const UNCHANGED_MS_MAX = 5;
/** A server evaluates its rules every few minutes: its code is compiled. */
const WARM_UP_ROUNDS = 4;

const SILENT = { info: () => undefined, warn: () => undefined, error: () => undefined };

const options = readOptions(process.argv.slice(2));
const { Graph } = await builtLibrary('graph/engine');
const { ChangeLog } = await builtLibrary('graph/memory');
const { NodeDisk } = await builtLibrary('platform/disk');
const {
  EvaluationPool,
  createRuleEngine,
  evaluateRule,
  Policies,
  startEvaluationWorker: startWorker,
} = await builtLibrary('graph/policy');

const data = new Dataset(options.entities, options.seed);
const directory = join(options.directory, 'policy');
emptied(directory);
await loadTarget('plexus', { directory, questions: askOf(data, options.seed), data });
const graph = await Graph.open({ directory, disk: new NodeDisk() });
const tasks = benchRules(RULES).map((rule) => ({
  rule,
  params: {},
  violationsMax: 100,
  timeoutMs: 60_000,
  nowMs: Date.now(),
}));
const pools = new Map([
  ['two threads', new EvaluationPool({ startWorker, threads: 2 })],
  ['one thread', new EvaluationPool({ startWorker, threads: 1 })],
]);
const figures = new Map<string, number[]>();
const found = new Map<string, string>();
for (let round = -WARM_UP_ROUNDS; round < options.rounds; round++) {
  for (const [name, pool] of pools) {
    await timed(name, round, () => pool.run(tasks, graph.snapshot().share()));
  }
  await timed('no thread', round, () => {
    const engine = createRuleEngine();
    const snapshot = graph.snapshot();
    return Promise.resolve(tasks.map((task) => evaluateRule(engine, snapshot, task)));
  });
}
const served = await servedFigures();
await Promise.all([...pools.values()].map((pool) => pool.close()));
await graph.close();
rmSync(directory, { recursive: true, force: true });
if (new Set(found.values()).size !== 1) throw new Error('threads and no thread disagree');

const servedLines: Line[] = [
  {
    title: `${RULES} rules asked of the service`,
    unit: 'ms',
    figures: served,
    reach: [],
    bound: UNCHANGED_MS_MAX,
  },
];
const lines: Line[] = [
  {
    title: `${RULES} rules`,
    unit: 'ms',
    figures,
    reach: [{ against: 'one thread', factor: TWO_THREADS_FACTOR }],
    bound: MS_MAX,
  },
];
console.log(`## Rules, ${data.entityCount.toLocaleString('en-US')} entities

${describeMachine()}. Seed ${options.seed}, medians of ${options.rounds} rounds of at least ${options.roundMs} ms, in turn. ${found.get('one thread') ?? ''}

${renderTable('two threads', ['two threads', 'one thread', 'no thread'], lines)}

${renderTable('nothing asked changed', [...served.keys()], servedLines)}
`);

/** Each evaluation follows a commit of one entity: of a type that no rule names, or of one that some do. */
async function servedFigures(): Promise<Map<string, number[]>> {
  const evaluator = pools.get('two threads');
  if (evaluator === undefined) throw new Error('no pool');
  const common = { documents: graph.documents, evaluator, log: SILENT };
  const everChanged = {
    changedVersion: 0,
    get changes() {
      return new ChangeLog();
    },
    snapshot: () => graph.snapshot(),
  };
  const reusing = await Policies.open({ ...common, graph });
  const running = await Policies.open({ ...common, graph: everChanged });
  const rules = benchRules(RULES);
  for (const policies of [reusing, running]) policies.rules.setFileRules(rules);
  const cases = [
    ['nothing asked changed', reusing, 'unasked'],
    ['one type changed', reusing, 'host'],
    ['each rule run', running, 'host'],
  ] as const;
  const elapsed = new Map<string, number[]>(cases.map(([name]) => [name, []]));
  for (let round = -1; round < options.rounds; round++) {
    for (const [name, policies, type] of cases) {
      const changed = {
        type,
        key: 'bench',
        class: undefined,
        displayName: undefined,
        properties: { round, name },
      };
      await graph.write({ entities: [changed], relationships: [] });
      const startMs = performance.now();
      await policies.evaluate();
      if (round >= 0) elapsed.get(name)?.push(performance.now() - startMs);
      // Resets the changes that the next case should not see.
      await reusing.evaluate();
    }
  }
  return elapsed;
}

async function timed(
  name: string,
  round: number,
  run: () => Promise<readonly { readonly status: string; readonly violationCount: number }[]>,
): Promise<void> {
  let outcomes: Awaited<ReturnType<typeof run>> = [];
  const { msPerCall } = await timeRound(async () => {
    outcomes = await run();
  }, options.roundMs);
  const violations = outcomes.reduce((sum, { violationCount }) => sum + violationCount, 0);
  const failed = outcomes.filter(({ status }) => status === 'Error').length;
  found.set(name, `${violations} violations, ${failed} errors.`);
  if (round >= 0) figures.set(name, [...(figures.get(name) ?? []), msPerCall]);
}
