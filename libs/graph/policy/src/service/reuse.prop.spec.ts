/** Evaluations that reuse outcomes have the same results as those that run every rule. */
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Graph } from '#graph/engine';
import { ChangeLog, GraphSnapshot, type SharedSnapshot } from '#graph/memory';
import type { EntityStatement, RelationshipInput } from '#graph/model';
import { InlineJobRunner } from '#graph/storage';
import { arbitraryFind, arbitraryValue, findText, MemoryDocuments } from '#graph/testing';
import { DomainError } from '#platform/foundation';
import { CrashDisk, effort } from '#testing';
import { evaluateRule } from '../evaluation/evaluate-rule.ts';
import { parseRule } from '../rule/parse-rules.ts';
import { createRuleEngine } from '../rule/rule-query.ts';
import { jsonSource } from '../rule/rule-source.ts';
import type { Rule } from '../rule/rule.ts';
import type { EvaluationRequest } from './evaluation.ts';
import { Policies } from './policies.ts';
import type { PolicyGraph } from './policy-ports.ts';

const RUNS = effort(200, 25);
const START_MS = Date.UTC(2026, 0, 1);
const DAY_MS = 86_400_000;
const QUIET = { info: () => undefined, warn: () => undefined, error: () => undefined };

const types = fc.constantFrom('host', 'service', 'user', 'Host');
const end = fc.record({ type: types, key: fc.constantFrom('a', '😀') });
const properties = fc.dictionary(fc.constantFrom('os', 'cpu', 'flag', 'tags'), arbitraryValue, {
  maxKeys: 2,
  noNullPrototype: true,
});
const entity: fc.Arbitrary<EntityStatement> = fc
  .tuple(end, fc.constantFrom('Host', 'Service', 'user', 'Thing', undefined), properties)
  .map(([of, className, facts]) => ({ ...of, class: className, displayName: undefined, properties: facts }));
const relationship: fc.Arbitrary<RelationshipInput> = fc.record({
  from: end,
  verb: fc.constantFrom('RUNS', 'runs', 'USES', 'TRUSTS'),
  to: end,
  key: fc.constant(undefined),
  properties,
});
const content = (entitiesMax: number, relationshipsMax: number) => ({
  entities: fc.uniqueArray(entity, { maxLength: entitiesMax, selector: ({ type, key }) => type + key }),
  relationships: fc.array(relationship, { maxLength: relationshipsMax }),
});
const start = fc.record({
  connectorId: fc.constantFrom('scan'),
  ...content(8, 8),
  delete: fc.constant(undefined),
});
const gone = fc.record({
  entities: fc.array(end, { maxLength: 1 }),
  relationships: fc.array(relationship, { maxLength: 1 }),
});
const filter = fc.constantFrom(
  '',
  ' WITH cpu > 1',
  " WITH os = 'linux'",
  ' WITH flag EXISTS',
  " WITH _last_seen_at > '2026-01-02'",
);
const name = fc.constantFrom('host', 'Host', 'service', 'user', 'Thing', '(host|user)', '*');
const verb = fc.constantFrom('RUNS', 'uses', 'TRUSTS', '(RUNS|USES)', 'RELATES TO');
const query = fc.oneof(
  arbitraryFind.map((parts) => findText(parts).text),
  fc.tuple(name, filter).map(([of, having]) => `FIND ${of}${having}`),
  fc
    .tuple(name, verb, name, fc.constantFrom('THAT ', 'THAT !'))
    .map(([of, by, to, that]) => `FIND ${of} ${that}${by} ${to}`),
  fc.tuple(name, verb, name).map(([of, by, to]) => `FIND ${of} THAT ${by}{1..3} ${to}`),
  fc
    .tuple(name, verb, name, verb)
    .map(([of, by, to, also]) => `FIND ${of} AS a THAT ${by} ${to} AS b WHERE NOT (a THAT ${also} b)`),
  fc
    .tuple(name, fc.constantFrom('cpu', 'class', '_source'), fc.nat(2))
    .map(([of, by, count]) => `FIND ${of} GROUP BY ${by} HAVING count > ${count}`),
  fc.tuple(name, name, verb).map(([of, to, by]) => `FIND SHORTEST PATH FROM ${of} TO ${to} VIA ${by} >>`),
  fc.tuple(name, verb).map(([of, by]) => `FIND BLAST RADIUS FROM ${of} VIA ${by} DEPTH 2`),
);
const maybe = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.option(value, { nil: undefined });
const rule = fc.record({
  query,
  population: maybe(fc.tuple(name, filter).map(([of, having]) => `FIND ${of}${having}`)),
  expect: fc.constantFrom({ rows: 0 }, { max: 1 }, { min: 2 }),
  identity: fc.constantFrom([], [], ['os'], ['cpu', '_last_seen_at'], ['missing']),
  exceptions: fc.array(
    fc.record({
      match: fc.constantFrom("_key = 'a'", "os = 'linux'", 'flag EXISTS', "_source = 'scan'"),
      reason: fc.constant('known'),
      expires: maybe(fc.constant(new Date(START_MS + 3 * DAY_MS).toISOString())),
    }),
    { maxLength: 1 },
  ),
  may_be_absent: fc.constantFrom([], ['Thing', 'TRUSTS', 'flag']),
  severity: fc.constantFrom('high', 'low'),
});
const label = fc.constantFrom('h:host', 'h:Host', 'h:service|user', 'h:host&!Thing', 'h:Thing', 'h');
const type = fc.constantFrom(':RUNS', ':USES|TRUSTS', '');
const condition = fc.constantFrom(
  'h.cpu > 1',
  "h.os = 'linux'",
  'NOT h:Thing',
  'h.flag IS NULL',
  "h._last_seen_at > '2026-01-02'",
  'NOT (h)-[:USES]->()',
  'EXISTS { (h)-[:RUNS]->(:service) }',
  'COUNT { (h)-->(:user) } < 2',
);
const cypher = fc.oneof(
  fc.tuple(label, condition).map(([of, test]) => `MATCH (${of}) WHERE ${test} RETURN h`),
  fc
    .tuple(label, type, fc.constantFrom('(o:user)', '(o:service)', '(o)', '(h)'))
    .map(([of, by, to]) => `MATCH (${of})-[r${by}]->${to} RETURN h, r`),
  fc.tuple(label, type).map(([of, by]) => `MATCH (${of})-[${by}*1..3]->(:user) RETURN DISTINCT h`),
  fc.tuple(label, type).map(([of, by]) => `MATCH p = (${of})-[${by}*1..2]->(:user) RETURN p, nodes(p)[1].os`),
  fc
    .tuple(label, type)
    .map(
      ([of, by]) =>
        `MATCH (${of}) OPTIONAL MATCH (h)-[${by}]->(x) WITH h, count(x) AS c WHERE c = 0 RETURN h`,
    ),
  fc
    .tuple(label, condition)
    .map(([of, test]) => `MATCH (${of}) WHERE ${test} WITH h.os AS os, count(*) AS count RETURN os, count`),
  label.map((of) => `MATCH (${of}) CALL (h) { MATCH (h)-->(u:user) RETURN u } RETURN u`),
  label.map((of) => `MATCH (${of}) RETURN h UNION MATCH (h:user) RETURN h`),
  label.map((of) => `MATCH (${of}) WHERE datetime(h._last_seen_at) < datetime() RETURN h`),
);
const cypherRule = fc.record({
  cypher,
  population: maybe(label.map((of) => `MATCH (${of}) RETURN h`)),
  expect: fc.constantFrom({ rows: 0 }, { max: 1 }, { min: 2 }),
  identity: fc.constantFrom([], ['os']),
  exceptions: fc.array(
    fc.record({
      match: fc.constantFrom("h.os = 'linux'", 'h:Thing', "h._source = 'scan'", 'os IS NULL', 'count > 1'),
      reason: fc.constant('known'),
    }),
    { maxLength: 1 },
  ),
  may_be_absent: fc.constantFrom([], ['Thing', 'TRUSTS', 'flag']),
});
const connectorId = fc.constantFrom('scan', 'cloud');
const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ connectorId, ...content(2, 0), delete: maybe(gone) }) },
  { weight: 3, arbitrary: fc.record({ connectorId, ...content(0, 2), delete: fc.constant(undefined) }) },
  { weight: 2, arbitrary: fc.record({ connectorId, ...content(3, 2), syncs: fc.constant(true) }) },
  { weight: 2, arbitrary: fc.record({ again: fc.constant(true as const) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      limit: fc.constantFrom(undefined, 1, 100),
      chosen: maybe(fc.nat(5)),
      isWhatIf: fc.boolean(),
      days: fc.nat(2),
    }),
  },
);
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;
type Commit = Exclude<Step, { readonly days: number } | { readonly again: true }>;

/** One graph, and two services that evaluate the same rules on it. */
class World {
  nowMs = START_MS;
  /** The rules that were run. */
  runCount = 0;
  fullCount = 0;
  readonly clock = { nowMs: () => this.nowMs, monotonicMs: () => this.nowMs };
  #graph: Graph | undefined;
  #incremental: Policies | undefined;
  #full: Policies | undefined;
  #ids: readonly string[] = [];
  #syncs = 0;
  #last: Commit | undefined;

  async open(rules: readonly object[]): Promise<void> {
    const disk = new CrashDisk(1);
    const memory = { sealIdleMs: 0 };
    const storage = { jobs: new InlineJobRunner(disk) };
    const graph = await Graph.open({ directory: '/data', disk, clock: this.clock, memory, storage });
    this.#graph = graph;
    const everChanged = {
      get changedVersion() {
        return graph.changedVersion;
      },
      get changes() {
        return new ChangeLog();
      },
      snapshot: () => graph.snapshot(),
    };
    this.#incremental = await this.#policies(graph, (count) => (this.runCount += count));
    this.#full = await this.#policies(everChanged, (count) => (this.fullCount += count));
    const readable = rules.flatMap((each, at) => ruleOf({ ...each, id: `r${at}` }));
    this.#ids = readable.map(({ id }) => id);
    for (const policies of [this.#incremental, this.#full]) await policies.rules.change(readable, 'replace');
  }

  async step(next: Step): Promise<void> {
    this.nowMs++;
    if (!('days' in next)) {
      await this.#commit(next);
      return this.#compare({});
    }
    this.nowMs += next.days * DAY_MS;
    const chosen = next.chosen === undefined ? undefined : this.#ids[next.chosen % this.#ids.length];
    return this.#compare({
      limit: next.limit,
      ...(chosen !== undefined && { ruleIds: [chosen] }),
      ...(next.isWhatIf && { params: {} }),
    });
  }

  async close(): Promise<void> {
    await this.#graph?.close();
  }

  #policies(graph: PolicyGraph, ran: (count: number) => void): Promise<Policies> {
    return Policies.open({
      documents: new MemoryDocuments(),
      graph,
      evaluator: {
        run: (tasks, shared) => {
          ran(tasks.length);
          const reader = GraphSnapshot.attach(shared as SharedSnapshot);
          const engine = createRuleEngine();
          return Promise.resolve(tasks.map((task) => evaluateRule(engine, reader, task, this.clock)));
        },
      },
      clock: this.clock,
      log: QUIET,
    });
  }

  /** Writes the next commit; `again` repeats the last one. */
  async #commit(next: Commit | { readonly again: true }): Promise<void> {
    if (!('again' in next)) this.#last = next;
    if (this.#last === undefined) return;
    const { entities, relationships, connectorId: source } = this.#last;
    const request = { connectorId: source, entities, relationships };
    const sync = { ...request, syncId: String(this.#syncs++), mode: 'diff', force: true } as const;
    try {
      if ('syncs' in this.#last) await this.#graph?.sync(sync, { onDangling: 'skip' });
      else await this.#graph?.write({ ...request, delete: this.#last.delete }, { onDangling: 'skip' });
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
    }
  }

  async #compare(request: EvaluationRequest): Promise<void> {
    const [incremental, full] = [this.#incremental, this.#full];
    if (incremental === undefined || full === undefined) throw new Error('not open');
    const [some, all] = [await incremental.evaluate(request), await full.evaluate(request)];
    expect(untimed(some)).toEqual(untimed(all));
    expect(untimed(await incremental.posture())).toEqual(untimed(await full.posture()));
    const [past, fullPast] = [incremental.history.list()[0], full.history.list()[0]];
    expect(untimed(await incremental.history.get(past?.evaluation_id ?? ''))).toEqual(
      untimed(await full.history.get(fullPast?.evaluation_id ?? '')),
    );
  }
}

/** Empty if the query is rejected. */
function ruleOf(source: object): Rule[] {
  try {
    return [parseRule(jsonSource(source))];
  } catch (error) {
    if (error instanceof DomainError) return [];
    throw error;
  }
}

/** An evaluation without the fields that differ between any two evaluations. */
function untimed(value: unknown): unknown {
  const text = JSON.stringify(value, (key, item: unknown) => (UNSHARED_KEYS.has(key) ? undefined : item));
  return JSON.parse(text) as unknown;
}

const UNSHARED_KEYS: ReadonlySet<string> = new Set(['evaluation_id', 'duration_ms']);

describe('evaluations that reuse outcomes', () => {
  it('have the same results as those that run every rule', async () => {
    let [runCount, fullCount] = [0, 0];
    const rules = fc.array(fc.oneof(rule, cypherRule), { minLength: 1, maxLength: 6 });
    const steps = fc.array(step, { minLength: 3, maxLength: 14 });
    await fc.assert(
      fc.asyncProperty(rules, start, steps, async (asked, first, all) => {
        const world = new World();
        await world.open(asked);
        try {
          for (const next of [first, ...all]) await world.step(next);
        } finally {
          await world.close();
        }
        runCount += world.runCount;
        fullCount += world.fullCount;
      }),
      { numRuns: RUNS },
    );
    expect(runCount).toBeLessThan(fullCount);
  });

  it('know a property by the nodes that the rule reads, not by others that lose it', async () => {
    const world = new World();
    const asked = {
      cypher: "MATCH (h:host) WHERE h.os = 'linux' RETURN h",
      population: undefined,
      expect: { min: 2 },
      identity: [],
      exceptions: [],
      may_be_absent: [],
    };
    const written = (type: string, properties: Readonly<Record<string, string>>): Step => ({
      connectorId: 'scan',
      entities: [{ type, key: 'a', class: 'Host', displayName: undefined, properties }],
      relationships: [],
      delete: undefined,
    });
    await world.open([asked]);
    try {
      await world.step(written('service', { os: 'linux' }));
      await world.step(written('host', {}));
      await world.step(written('service', {}));
    } finally {
      await world.close();
    }
    expect(world.runCount).toBeGreaterThan(0);
  });
});
