/** What the rows of a statement depend on: while none of it changes, another run has the same rows. */
import type { Footprint } from '#graph/model';
import { isRecordField } from '../graph/snapshot-graph.ts';
import type {
  CallExpression,
  Clause,
  Expression,
  LabelExpression,
  LinkPattern,
  NodePattern,
  PathPattern,
  Query,
  SubqueryClause,
} from '../syntax/ast.ts';

/** Fields of the record that tell who it is, which no write changes. */
const CONTENT_FIELDS: ReadonlySet<string> = new Set(['_id', '_key', '_type', '_class', '_display_name']);
/** They read nodes that no pattern of the statement restricts. */
const PASSED_NODES: ReadonlySet<string> = new Set(['nodes', 'startnode', 'endnode']);
const BY_CHANCE: ReadonlySet<string> = new Set(['rand', 'randomuuid', 'timestamp']);
/** The unit, and what is cut: without that it is the clock's time. */
const ARGS_OF_TRUNCATE = 2;
const OF_TIME = /^(?:date|time|localtime|localdatetime|datetime)(?:\.(?:statement|transaction|realtime))?$/;

/** The variables in scope: what they hold was counted where they were bound. */
type Bound = ReadonlySet<string>;
const UNBOUND: Bound = new Set();

/** Undefined for statements of which one depends on the time, or on chance. */
export function footprintOf(
  queries: readonly Query[],
  conditions: readonly Expression[],
): Footprint | undefined {
  const inputs = new StatementInputs();
  for (const query of queries) inputs.addQuery(query, UNBOUND);
  // A condition is on the columns of a query.
  for (const condition of conditions) inputs.addWithin(condition, UNBOUND);
  return inputs.footprint;
}

class StatementInputs {
  readonly #names = new Set<string>();
  readonly #verbs = new Set<string>();
  #isOverAllNames = false;
  #isOverAllVerbs = false;
  #readsStamps = false;
  #isTimeless = true;

  get footprint(): Footprint | undefined {
    if (!this.#isTimeless) return undefined;
    return {
      names: this.#isOverAllNames ? '*' : [...this.#names],
      verbs: this.#isOverAllVerbs ? '*' : [...this.#verbs],
      readsStamps: this.#readsStamps,
    };
  }

  addQuery({ parts }: Query, outer: Bound): void {
    for (const clauses of parts) clauses.reduce((bound, clause) => this.#addClause(clause, bound), outer);
  }

  /** Expressions, and the patterns and queries in them. */
  addWithin(root: unknown, bound: Bound): void {
    const waiting: unknown[] = [root];
    while (waiting.length > 0) {
      const next = waiting.pop();
      if (typeof next !== 'object' || next === null) continue;
      if (isQuery(next)) this.addQuery(next, bound);
      else if (isPath(next)) this.#addPath(next, bound);
      else {
        if ('kind' in next) this.#addExpression(next as Expression);
        for (const part of Object.values(next) as readonly unknown[]) waiting.push(part);
      }
    }
  }

  /** The variables after the clause. */
  #addClause(clause: Clause, bound: Bound): Bound {
    switch (clause.kind) {
      case 'match': {
        const next = clause.patterns.reduce((known, pattern) => this.#addPath(pattern, known), bound);
        this.addWithin(clause.where, next);
        return next;
      }
      case 'unwind':
        this.addWithin(clause.list, bound);
        return new Set(bound).add(clause.variable.text);
      case 'with':
      case 'return': {
        const next = new Set([...(clause.isAll ? bound : []), ...clause.items.map(({ name }) => name)]);
        const { items, order, skip, limit, where } = clause;
        this.addWithin([items, order, skip, limit, where], new Set([...bound, ...next]));
        return next;
      }
      case 'subquery':
        return this.#addSubquery(clause, bound);
      default:
        // What a procedure reads is not known.
        this.#addAll();
        return bound;
    }
  }

  #addSubquery({ imports, query }: SubqueryClause, bound: Bound): Bound {
    const isByWith = query.parts.some(([first]) => first?.kind === 'with');
    const listed =
      imports === undefined ? UNBOUND : new Set(imports === '*' ? bound : imports.map(({ text }) => text));
    this.addQuery(query, imports === undefined && isByWith ? bound : listed);
    const columns = query.parts.flatMap((clauses) => clauses.at(-1) ?? []);
    const names = columns
      .flatMap((clause) => (clause.kind === 'return' ? clause.items : []))
      .map(({ name }) => name);
    return new Set([...bound, ...names]);
  }

  #addAll(): void {
    this.#isOverAllNames = true;
    this.#isOverAllVerbs = true;
    this.#readsStamps = true;
  }

  /** The variables after the pattern. */
  #addPath({ variable, nodes, links, where }: PathPattern, outer: Bound): Bound {
    const bound = new Set(outer);
    for (const node of nodes) {
      this.#addNode(node, bound);
      if (node.variable !== undefined) bound.add(node.variable.text);
    }
    for (const link of links) {
      this.#addLink(link);
      if (link.group !== undefined) {
        const within = this.#addPath(link.group.path, bound);
        this.addWithin(link.group.where, within);
        for (const name of within) bound.add(name);
      }
      if (link.variable !== undefined) bound.add(link.variable.text);
    }
    // The nodes in between are in the path.
    if (variable !== undefined && links.some(({ range }) => range !== undefined)) this.#isOverAllNames = true;
    if (variable !== undefined) bound.add(variable.text);
    for (const node of nodes) this.addWithin([node.labels, node.properties, node.where], bound);
    for (const link of links) this.addWithin([link.types, link.properties, link.where], bound);
    this.addWithin(where, bound);
    return bound;
  }

  #addNode({ variable, labels, properties }: NodePattern, bound: Bound): void {
    if (labels !== undefined) this.#addLabels(labels);
    else if (variable === undefined || !bound.has(variable.text)) this.#isOverAllNames = true;
    this.#addKeys(properties);
  }

  #addLink({ types, properties, group }: LinkPattern): void {
    if (group !== undefined) return;
    if (types === undefined || !addRestricted(types, this.#verbs)) this.#isOverAllVerbs = true;
    this.#addKeys(properties);
  }

  #addLabels(labels: LabelExpression): void {
    if (!addRestricted(labels, this.#names)) this.#isOverAllNames = true;
  }

  #addKeys(properties: Expression | undefined): void {
    for (const { key } of properties?.kind === 'map' ? properties.entries : []) this.#addKey(key);
  }

  #addKey(key: string): void {
    if (isRecordField(key) && !CONTENT_FIELDS.has(key)) this.#readsStamps = true;
  }

  #addExpression(part: Expression): void {
    switch (part.kind) {
      case 'property':
        this.#addKey(part.key);
        break;
      case 'index':
        this.#readsStamps = true;
        break;
      case 'label-test':
        // The node is one of a pattern: its other labels change with it.
        addRestricted(part.labels, this.#names);
        break;
      case 'call':
        this.#addCall(part);
        break;
      case 'projection':
        for (const { key } of part.entries) this.#addKey(key);
        break;
      default:
    }
  }

  #addCall({ name, args }: CallExpression): void {
    const lower = name.toLowerCase();
    if (PASSED_NODES.has(lower)) this.#isOverAllNames = true;
    const readsClock = lower.endsWith('.truncate')
      ? args.length < ARGS_OF_TRUNCATE
      : OF_TIME.test(lower) && !isOfOneValue(args);
    if (readsClock || BY_CHANCE.has(lower)) this.#isTimeless = false;
  }
}

function isQuery(part: object): part is Query {
  return 'parts' in part && 'unions' in part;
}

function isPath(part: object): part is PathPattern {
  return 'nodes' in part && 'links' in part;
}

/** Whether a constructor of a time is given the whole of it: without that it reads the clock. */
function isOfOneValue(args: CallExpression['args']): boolean {
  if (args === '*' || args.length !== 1) return false;
  const [only] = args;
  return only?.kind === 'literal' || only?.kind === 'property' || only?.kind === 'parameter';
}

/** Adds the names; false if an element may pass without any of them. */
function addRestricted(labels: LabelExpression, names: Set<string>): boolean {
  switch (labels.kind) {
    case 'label':
      names.add(labels.name);
      return true;
    case 'and':
      return labels.items.map((item) => addRestricted(item, names)).includes(true);
    case 'or':
      return !labels.items.map((item) => addRestricted(item, names)).includes(false);
    case 'not':
      addRestricted(labels.item, names);
      return false;
    default:
      return false;
  }
}
