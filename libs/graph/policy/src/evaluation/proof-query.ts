/**
 * A query that proves a finding: the rule's query, narrowed to one result, returning all matched elements.
 * For a group, it returns the rows of the group; for a path, the path; for a blast radius, a path to the
 * affected entity.
 */
import { parse, type ParameterValue, print, type Query, QueryEngine } from '#graph/query';
import { ReadingStatement } from '#graph/cypher';
import { DomainError } from '#platform/foundation';
import type { Rule } from '../rule/rule.ts';
import { narrowedCypher } from './cypher-proof.ts';
import type { RuleViolation } from './outcome.ts';

/** Maximum rows of a proof. */
const ROWS_MAX = 100;

/** A query in the form of the body of its request: `pql` or `cypher`, and the parameters. */
export type QueryText =
  | { readonly pql: string; readonly params: QueryValues }
  | { readonly cypher: string; readonly params: QueryValues };
type QueryValues = Readonly<Record<string, ParameterValue>>;

type Body = Query['body'];
type FindQuery = Extract<Body, { kind: 'find' }>;
type NodePattern = FindQuery['node'];
type Expression = NonNullable<NodePattern['filter']>;
type FieldRef = FindQuery['groupBy'][number];
type Name = FieldRef['field'];
type HopPattern = FindQuery['hops'][number];
type ReturnItem = NonNullable<FindQuery['returns']>['items'][number];

const SPAN = { start: 0, end: 0 };
const checker = new QueryEngine({ vocabulary: { hasClass: () => true, hasVerb: () => true } });

/** The query of a rule or of its population, with the default values of its parameters. */
export function ruleQueryText(rule: Rule, text = rule.cypher ?? rule.query ?? ''): QueryText {
  if (rule.cypher !== undefined)
    return { cypher: text, params: defaultsOf(rule, new ReadingStatement(text).parameters) };
  const { bound } = checker.prepare(text);
  const names = bound.parameters.map(({ name }) => name);
  return { pql: text, params: defaultsOf(rule, names) };
}

function defaultsOf({ parameters }: Rule, names: readonly string[]): QueryValues {
  const values = names.flatMap((name) => {
    const value = Object.hasOwn(parameters, name) ? parameters[name]?.default : undefined;
    return value === undefined ? [] : [[name, value] as const];
  });
  return Object.fromEntries(values);
}

/** The proof of a violation. Returns the rule's own query if it cannot be narrowed. */
export function proofOf(rule: Rule, violation: Pick<RuleViolation, 'entity_id' | 'keys'>): QueryText {
  try {
    if (rule.cypher !== undefined) return ruleQueryText(rule, narrowedCypher(rule.cypher, violation));
    const query = parse(rule.query ?? '');
    const body = narrowed(query.body, violation);
    return ruleQueryText(rule, body === undefined ? rule.query : print({ ...query, body }));
  } catch (error) {
    if (error instanceof DomainError) return ruleQueryText(rule);
    throw error;
  }
}

function narrowed(
  body: Body,
  { entity_id: id, keys }: Pick<RuleViolation, 'entity_id' | 'keys'>,
): Body | undefined {
  if (body.kind === 'find') {
    if (id !== null) return withRows({ ...body, node: filtered(body.node, isEqual(ref('_id'), id)) });
    return keys === undefined ? undefined : membersOf(body, keys);
  }
  if (id === null) return undefined;
  const { from, via, depth, span } = body;
  const found = { kind: 'key', text: id, span } as const;
  if (body.kind === 'path') {
    const { each, ...path } = body;
    return each && { ...path, from: found };
  }
  return { kind: 'path', from, to: found, span, ...(via && { via }), ...(depth !== undefined && { depth }) };
}

/** The ungrouped query, restricted to the keys of the group. */
function membersOf(body: FindQuery, keys: readonly unknown[]): FindQuery {
  const aliases = new Set([body.node, ...targetsOf(body.hops)].flatMap(({ alias }) => alias?.text ?? []));
  let { node, where } = body;
  for (const [index, key] of body.groupBy.entries()) {
    const isElement = key.alias === undefined && aliases.has(key.field.text);
    const field = isElement ? ref('_id', key.field) : key;
    const condition = isEqual(field, keys[index]);
    if (field.alias === undefined) node = filtered(node, condition);
    else where = both(where, condition);
  }
  return withRows({ ...body, node, groupBy: [], ...(where && { where }) });
}

/** Returns each entity and relationship of the pattern, so that they can be drawn. */
function withRows(body: FindQuery): FindQuery {
  const { kind, span, where } = body;
  const plain = { groupBy: [], orderBy: [], limit: { kind: 'count', value: ROWS_MAX, span } } as const;
  if (body.hops.length === 0) {
    return { kind, span, node: body.node, hops: [], ...(where && { where }), ...plain };
  }
  const names = new ShownNames(body);
  const node = { ...body.node, alias: names.of(body.node.alias, 'found') };
  const hops = body.hops.map((hop) => (hop.kind === 'group' ? hop : namedHop(hop, names)));
  const returns = { kind: 'items', distinct: false, items: names.items, span } as const;
  return { kind, span, node, hops, returns, ...(where && { where }), ...plain };
}

function namedHop(hop: Extract<HopPattern, { kind: 'hop' }>, names: ShownNames): HopPattern {
  const alias = hop.repeat === undefined ? names.of(hop.alias, 'link') : undefined;
  const target = { ...hop.target, alias: names.of(hop.target.alias, 'other') };
  return { ...hop, ...(alias && { alias }), target };
}

/** Aliases of a proof: those of the query, and new ones. */
class ShownNames {
  readonly items: ReturnItem[] = [];
  readonly #known: Set<string>;

  constructor(body: FindQuery) {
    const hops = hopsOf(body.hops);
    const aliases = [body.node, ...hops, ...hops.map(({ target }) => target)];
    this.#known = new Set(aliases.flatMap(({ alias }) => alias?.text ?? []));
  }

  of(alias: Name | undefined, wish: string): Name {
    const shown = alias ?? name(this.#free(wish));
    this.items.push({ value: { kind: 'ref', field: shown, span: SPAN }, span: SPAN });
    return shown;
  }

  #free(wish: string): string {
    let text = wish;
    for (let number = 2; this.#known.has(text); number++) text = wish + String(number);
    this.#known.add(text);
    return text;
  }
}

function hopsOf(hops: readonly HopPattern[]): readonly Extract<HopPattern, { kind: 'hop' }>[] {
  return hops.flatMap((hop) => (hop.kind === 'group' ? hopsOf(hop.hops) : [hop]));
}

function targetsOf(hops: readonly HopPattern[]): readonly NodePattern[] {
  return hopsOf(hops).map(({ target }) => target);
}

function filtered(node: NodePattern, condition: Expression): NodePattern {
  return { ...node, filter: both(node.filter, condition) };
}

function both(first: Expression | undefined, second: Expression): Expression {
  return first === undefined ? second : { kind: 'and', items: [first, second], span: SPAN };
}

function isEqual(left: FieldRef, value: unknown): Expression {
  if (value === null || value === undefined) return { kind: 'exists', left, negated: true, span: SPAN };
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') {
    throw new DomainError('INVALID_REQUEST', 'expected a scalar as key');
  }
  const right = { kind: 'literal', value, span: SPAN } as const;
  return { kind: 'compare', left, operator: '=', right, span: SPAN };
}

function ref(field: string, alias?: Name): FieldRef {
  return { kind: 'ref', field: name(field), span: SPAN, ...(alias && { alias }) };
}

function name(text: string): Name {
  return { text, span: SPAN };
}
