/**
 * The MATCHes that a query begins with, before a projection that aggregates: searched as sets where the
 * snapshot itself is read, by what PQL's counts are searched with too. The stages of the matches stay for all
 * other cases, and have the same rows, each as often as its weight says.
 */
import {
  type GraphReader,
  isStarCounted,
  type KnownNodes,
  type Pattern,
  planRows,
  ReaderStatistics,
  RowEnumerator,
  type RowPlan,
  SetExecutor,
  type SetPlan,
  SetPlanner,
} from '#graph/execution';
import { assert } from '#platform/foundation';
import { fieldOfProperty, type FieldValue, type Filter, type Selection, UNLABELLED } from '#graph/model';
import type { CompilerParts } from '../expression/compile-expression.ts';
import type { Scope } from '../expression/scope.ts';
import type { Rows } from '../expression/subqueries.ts';
import { propertyOf } from '../function/graph-functions.ts';
import { type Evaluate, extended, type Row, type Run } from '../graph/run.ts';
import { hasTypesAsWritten, oneNode, setSearch } from '../graph/set-search.ts';
import { hidesTypes, isRecordField } from '../graph/snapshot-graph.ts';
import { valueOf } from '../graph/stored-kinds.ts';
import {
  hasLists,
  isKeyOfStore,
  mayBeList,
  type PropertyTest,
  type TestGround,
} from '../match/property-test.ts';
import { chosen, flatMapped, type Operator, pausing, shown, type Stage } from '../stage/stage.ts';
import type { Expression, ProjectionClause } from '../syntax/ast.ts';
import { NodeValue } from '../value/value.ts';
import { keyOfValues, KnownState } from './known-state.ts';
import { projectionReads, type ProjectionReads } from './projection-reads.ts';
import { SearchAccount } from './search-account.ts';
import { SearchPattern, selectionOf } from './search-pattern.ts';
import { type LeadingMatch, type SearchNode, type SearchShape, searchShapeOf } from './search-shape.ts';
import { SeveralNodes } from '../function/aggregates.ts';
import { DistinctNodes, type ReadElement, type SearchRows, WeightedRows } from './weighted-rows.ts';

/** How a projection takes rows with weights. */
export interface Weighting {
  /** Slot of the number of rows that a row stands for; nothing is there where it is one. */
  readonly slot: number;
  /** The value of a property that the row has already. */
  readonly known: (part: Expression) => Evaluate | undefined;
}

export interface CompiledSearch {
  readonly weighting: Weighting;
  /** The search in place of the matches' stages, wherever it can be. */
  over(matches: Stage): Stage;
}

/** Undefined where the query is none of this kind. */
export function compileSearch(
  matches: readonly LeadingMatch[],
  clause: ProjectionClause,
  parts: CompilerParts,
): CompiledSearch | undefined {
  const reads = projectionReads(clause, parts.scope);
  const shape = reads && searchShapeOf(matches, parts);
  if (shape === undefined || reads === undefined) return undefined;
  // Of paths of any length, the search knows the ends, not how many paths lead there.
  if (!reads.isOnce && shape.links.some(({ range }) => range !== undefined)) return undefined;
  const search = new Search(shape, reads, parts.scope);
  return {
    weighting: search.weighting,
    over: (stage) =>
      search.over(
        stage,
        matches.map(({ span }) => span),
      ),
  };
}

interface Apart {
  readonly node: SearchNode;
  /** Its number in the shape. */
  readonly element: number;
  readonly search: Search;
}

/** A node that is only counted, and never read. */
const SOME_NODE = new NodeValue(0);

class Search {
  readonly #shape: SearchShape;
  readonly #reads: ProjectionReads;
  readonly #scope: Scope;
  readonly weighting: Weighting;
  /** Of the only node: the slots of the properties that are read, by name. */
  readonly #propertySlots: ReadonlyMap<string, number>;
  /** What is read of the rows, by element. */
  readonly #read: ReadonlyMap<number, Omit<ReadElement, 'from'>>;
  readonly #isOnce: boolean;
  readonly #pattern: SearchPattern;
  /** Whether the rows are the nodes at one place of a tree, each once. */
  readonly #isSet: boolean;
  /** The only node of a pattern without relationships. */
  readonly #alone: SearchNode | undefined;
  readonly #tests: readonly PropertyTest[];
  /** Where b is read, and only `b <> a` ties nodes of different steps: a, and the search without that. */
  readonly #apart: Apart | undefined;
  /** Whether a node has the property that is only counted. */
  readonly #hasCounted: Filter | undefined;
  #known: KnownState | undefined;

  constructor(shape: SearchShape, reads: ProjectionReads, scope: Scope) {
    const { slots } = scope;
    this.#shape = shape;
    this.#reads = reads;
    this.#scope = scope;
    this.#tests = shape.nodes.flatMap(({ tests }) => tests);
    this.#hasCounted = reads.countedProperty === undefined ? undefined : having(reads.countedProperty);
    const [node, ...others] = shape.nodes;
    this.#alone = others.length === 0 && shape.links.length === 0 ? node : undefined;
    const { slot = -1 } = this.#alone ?? {};
    const keys = reads.whole.has(slot) ? [] : (reads.properties.get(slot) ?? []);
    this.#propertySlots = new Map([...keys].map((key) => [key, slots.next()]));
    this.weighting = { slot: slots.next(), known: (part) => this.#knownValue(part) };
    this.#read = this.#elements();
    this.#isOnce = reads.isOnce && this.#read.size > 0;
    const only = this.#onlyNode();
    this.#pattern = new SearchPattern(shape, { isEachRow: !reads.isOnce, read: this.#read, root: only ?? 0 });
    this.#isSet = only !== undefined && this.#pattern.hasOnlySteps;
    this.#apart = only === undefined ? undefined : this.#apartFrom(only);
  }

  #apartFrom(only: number): Apart | undefined {
    const { nodes, conditions } = this.#shape;
    const [pair, ...others] = conditions.different;
    if (pair === undefined || others.length > 0 || !pair.includes(only)) return undefined;
    const element = pair[0] === only ? pair[1] : pair[0];
    const node = nodes[element];
    if (node === undefined || node.tests.length === 0) return undefined;
    const shape = { ...this.#shape, conditions: { ...conditions, different: [] } };
    const search = new Search(shape, this.#reads, this.#scope);
    return search.#isSet ? { node, element, search } : undefined;
  }

  /** The node of which each different one is a row. */
  #onlyNode(): number | undefined {
    const [first, ...others] = this.#read;
    const isOne = this.#isOnce && others.length === 0 && this.#shape.optional.size === 0;
    return isOne && first?.[1].isLink === false ? first[0] : undefined;
  }

  over(matches: Stage, details: Operator['details']): Stage {
    const rows = flatMapped((row, run) => this.#rows(row, run));
    const searched = [shown(rows, { name: 'PatternSearch', details })];
    const counted = [shown(rows, { name: 'CountByDegree', details })];
    const matched = [matches];
    return chosen((run) => {
      const reader = this.#readerOf(run);
      if (reader === undefined) return matched;
      return this.#isCountedByDegree(run, reader) ? counted : searched;
    });
  }

  /** Whether no link is followed: only the numbers of links at nodes are read. */
  #isCountedByDegree(run: Run, reader: GraphReader): boolean {
    const isBare = this.#read.size === 0 && this.#shape.links.length > 0 && this.#pattern.hasOnlySteps;
    const isFilled = this.#tests.every(({ parameters }) =>
      parameters.every((name) => run.parameters.has(name)),
    );
    if (!isBare || !isFilled) return false;
    const state = this.#stateOf(reader);
    const plan = this.#planFor(state.ground(run, reader), new ReaderStatistics(reader), state);
    return 'levels' in plan && isStarCounted(reader, plan);
  }

  #knownValue(part: Expression): Evaluate | undefined {
    if (part.kind !== 'property' || part.subject.kind !== 'variable') return undefined;
    const { key } = part;
    const slot = this.#scope.find(part.subject.name)?.slot;
    const known = this.#propertySlots.get(key);
    if (known === undefined || slot === undefined || slot !== this.#shape.nodes[0]?.slot) return undefined;
    return (row, run) => {
      const value = row[known];
      return value === undefined ? propertyOf(run.graph, row[slot] ?? null, key) : value;
    };
  }

  /** The snapshot, where its answers are those of Cypher. */
  #readerOf(run: Run): GraphReader | undefined {
    const { snapshot: reader } = run.graph;
    if (reader === undefined || !this.#stateOf(reader).isSearched) return undefined;
    return this.#tests.every((test) => hasLists(test, run)) ? reader : undefined;
  }

  /** What is known of the data that a reader shows. */
  #stateOf(reader: GraphReader): KnownState {
    if (this.#known?.isOf(reader) === true) return this.#known;
    const isGrouped = this.#isGrouped(reader);
    const lists = this.#shape.nodes.flatMap(({ names, tests }) =>
      tests.filter((test) => mayBeList(test, names, reader)),
    );
    this.#known = new KnownState(reader, { isSearched: this.#isSearched(reader), isGrouped, lists });
    return this.#known;
  }

  #isSearched(reader: GraphReader): boolean {
    const { nodes, links, conditions } = this.#shape;
    const linked = [...links, ...conditions.linked, ...conditions.unlinked];
    const areTypesExact = hasTypesAsWritten(
      reader,
      linked.map(({ types }) => types),
    );
    const areTestsExact = this.#tests.every((test) => isKeyOfStore(test, reader));
    const isNamed = nodes.some(({ names }) => names !== '*');
    const areNamesExact = !isNamed || !hidesTypes(reader);
    const isOwn = nodes.every(({ names }) => names === '*' || !names.includes(UNLABELLED));
    return areTypesExact && areTestsExact && areNamesExact && isOwn;
  }

  /** Whether sizes of groups tell all that is read. */
  #isGrouped(reader: GraphReader): boolean {
    if (this.#alone === undefined || this.#reads.whole.has(this.#alone.slot)) return false;
    return [...this.#propertySlots.keys()].every((key) => !isRecordField(key) && !reader.hasKinds(key));
  }

  #rows(row: Row, run: Run): Rows {
    const reader = run.graph.snapshot;
    assert(reader !== undefined, 'nothing is changed between the choice of a search and its rows');
    run.profile?.uncounted();
    const state = this.#stateOf(reader);
    const ground = state.ground(run, reader);
    return state.isGrouped && this.#alone !== undefined
      ? this.#groups(row, run, { reader, selection: selectionOf(this.#alone, ground) })
      : this.#searched(row, ground, state);
  }

  *#groups(
    row: Row,
    run: Run,
    { reader, selection }: { readonly reader: GraphReader; readonly selection: Selection },
  ): Rows {
    const start = this.#start(row);
    const counted = this.#counted(selection);
    if (counted !== undefined) {
      const count = yield* pausing(reader.count(counted));
      if (count === 0) return;
      const found = start.slice();
      // Of a property that is only counted, any value is as good as its own.
      for (const slot of this.#propertySlots.values()) found[slot] = true;
      found[this.weighting.slot] = BigInt(count);
      yield found;
      return;
    }
    const keys = [...this.#propertySlots];
    const fields = keys.map(([key]) => fieldOfProperty(key));
    const groups = yield* pausing(
      reader.groupCounts(selection, fields, () => {
        run.hold(VALUES_PER_GROUP + keys.length);
      }),
    );
    for (const { values, count } of groups) {
      if (run.isPauseDue()) yield undefined;
      const next = start.slice();
      for (const [at, [, slot]] of keys.entries()) next[slot] = valueOf(values[at], undefined);
      next[this.weighting.slot] = BigInt(count);
      yield next;
    }
  }

  /** The nodes to count: those with the property that is only counted; undefined where groups are asked. */
  #counted(selection: Selection): Selection | undefined {
    if (this.#propertySlots.size === 0) return selection;
    const has = this.#hasCounted;
    if (has === undefined) return undefined;
    const { names, filter } = selection;
    return { names, filter: filter === undefined ? has : { kind: 'and', items: [filter, has] } };
  }

  /** `apart`: the only node that another one is, which is in no row. */
  *#searched(row: Row, ground: TestGround, state: KnownState, apart?: KnownNodes): Rows {
    if (this.#apart !== undefined) {
      const { node, element, search } = this.#apart;
      const nodes = yield* pausing(oneNode(ground.reader, selectionOf(node, ground)));
      if (nodes !== undefined) {
        yield* search.#searched(row, ground, search.#stateOf(ground.reader), { element, nodes });
        return;
      }
    }
    const { statistics, context } = setSearch(ground.reader);
    const plan = this.#planFor(ground, statistics, state);
    const account = new SearchAccount(context, ground.run);
    try {
      if ('levels' in plan) yield* this.#enumerated(row, plan, account);
      else yield* this.#set(row, plan, account, apart);
    } finally {
      context.release();
    }
  }

  *#set(row: Row, plan: SetPlan, account: SearchAccount, apart: KnownNodes | undefined): Rows {
    const without = numberOf(apart);
    const work = new SetExecutor(account.context, apart).run(plan);
    let step = work.next();
    for (; step.done !== true; step = work.next()) if (account.isPauseDue()) yield undefined;
    const { nodes } = step.value;
    const [{ to = 0 } = {}] = this.#read.values();
    const start = this.#start(row);
    if (this.#reads.isCountOfDistinct) {
      const count = nodes.length - (nodes.includes(without) ? 1 : 0);
      if (count > 0) yield extended(start, to, new SeveralNodes(count));
      return;
    }
    for (const node of nodes) {
      if (node !== without) yield extended(start, to, new NodeValue(node));
      if (account.run.isPauseDue()) yield undefined;
    }
  }

  *#enumerated(row: Row, plan: RowPlan, account: SearchAccount): Rows {
    const elements = [...this.#read].map(([element, each]) => ({
      ...each,
      from: plan.slots.indexOf(element),
    }));
    const start = this.#start(row);
    const { context } = account;
    const [only] = elements;
    const rows: SearchRows =
      this.#reads.isCountOfDistinct && only?.isLink === false
        ? new DistinctNodes(start, only, context.takeMarks())
        : new WeightedRows({ row: start, elements, weightSlot: this.weighting.slot, isOnce: this.#isOnce });
    const work = new RowEnumerator(context, plan, rows).run();
    while (work.next().done !== true) {
      const isPauseDue = account.isPauseDue();
      yield* rows.take(false);
      if (isPauseDue) yield undefined;
    }
    yield* rows.take(true);
  }

  /** For the values of a run. It is kept for equal values, where it holds nothing else of the run. */
  #planFor(ground: TestGround, statistics: ReaderStatistics, state: KnownState): SetPlan | RowPlan {
    const values = state.hasLists ? undefined : keyOfValues(this.#tests, ground.run);
    const kept = values === undefined ? undefined : state.plans.get(values);
    if (kept !== undefined) return kept;
    const plan = this.#planOf(this.#pattern.filled(ground), statistics, state);
    if (values !== undefined) state.plans.set(values, plan);
    return plan;
  }

  /** For the sizes of what the values select; they are put in. */
  #planOf(pattern: Pattern, statistics: ReaderStatistics, { templates }: KnownState): SetPlan | RowPlan {
    return templates.planned<SetPlan | RowPlan>({ pattern, bounds: ALL_ROWS }, statistics, () => {
      if (this.#isSet) return new SetPlanner(statistics).plan(pattern.root);
      const read = new Set(this.#read.keys());
      const visible = this.#isOnce ? [...read].sort((a, b) => a - b) : this.#pattern.elements;
      return planRows(pattern, { visible, beside: [], read, isFirst: false }, new SetPlanner(statistics));
    });
  }

  /** The row with nodes in place of those that are only counted. */
  #start(row: Row): Row {
    const start = row.slice();
    for (const slot of this.#reads.counted) start[slot] = SOME_NODE;
    return start;
  }

  #elements(): ReadonlyMap<number, Omit<ReadElement, 'from'>> {
    const { nodes, links, optional } = this.#shape;
    const { whole, properties, counted } = this.#reads;
    const isRead = ({ slot, clause }: { readonly slot: number; readonly clause: number }): boolean =>
      whole.has(slot) || properties.has(slot) || (counted.has(slot) && optional.has(clause));
    const found = new Map<number, Omit<ReadElement, 'from'>>();
    for (const [at, node] of nodes.entries())
      if (isRead(node)) found.set(at, { to: node.slot, isLink: false });
    for (const [at, link] of links.entries()) {
      if (isRead(link)) found.set(nodes.length + at, { to: link.slot, isLink: true });
    }
    return found;
  }
}

function numberOf(known: KnownNodes | undefined): number {
  return known?.nodes.nodes[0] ?? -1;
}

function having(key: string): Filter {
  const matches = (value: FieldValue): boolean => value !== undefined && value !== null;
  return { kind: 'test', field: fieldOfProperty(key), test: { matches, exists: true } };
}

const ALL_ROWS = { skip: 0, limit: Infinity };

/** A group of an index, with its values. */
const VALUES_PER_GROUP = 6;
