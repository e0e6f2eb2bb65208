/**
 * The executed part of a rule's PQL. A rule covers all results of its query, so RETURN and ORDER BY are
 * removed, and SKIP and LIMIT are rejected.
 */
import { type Footprint, isKnownClass, isKnownVerb } from '#graph/model';
import { footprintOf, parse, print, type Query, QueryEngine, unionOf } from '#graph/query';
import { DomainError } from '#platform/foundation';

/** The kind of a query's results: entities, groups, or paths, whose violations are their first entities. */
export type ResultShape = 'entities' | 'groups' | 'path';

export interface RuleQuery {
  readonly shape: ResultShape;
  readonly pql: string;
  /** Names of its parameters. */
  readonly parameters: readonly string[];
  /** Whether it states the DEPTH of its blast radius: what lies beyond is then not part of the question. */
  readonly statesDepth: boolean;
}

type FindQuery = Extract<Query['body'], { kind: 'find' }>;

/** Creates an engine for rules, for one thread and one graph. */
export function createRuleEngine(): QueryEngine {
  return new QueryEngine({ vocabulary: { hasClass: isKnownClass, hasVerb: isKnownVerb } });
}

const checker = createRuleEngine();

/** Throws PQL_SYNTAX, or INVALID_REQUEST for a query not allowed in a rule. */
export function compileQuery(text: string): RuleQuery {
  const query = parse(text);
  checker.prepare(text);
  if (query.mode !== 'run') throw refusal('EXPLAIN and PROFILE show plans, not results');
  if (query.asOf !== undefined) throw refusal('a rule is about the present: leave AS OF out');
  const { body } = query;
  if (body.limit !== undefined || (body.kind === 'find' && body.skip !== undefined)) {
    throw refusal('a rule is about all results: leave SKIP and LIMIT out');
  }
  if (body.kind === 'path') return ruleQuery('path', text);
  if (body.kind === 'blast') return ruleQuery('entities', text);
  if (body.groupBy.length > 0) return ruleQuery('groups', text);
  return ruleQuery('entities', print({ ...query, body: withoutDisplay(body) }));
}

/** Compiles the results of `query` that match an exception's condition. Throws like {@link compileQuery}. */
export function compileException(query: string, match: string): RuleQuery {
  const parsed = parse(query);
  if (parsed.body.kind === 'find' && parsed.body.groupBy.length > 0) {
    const having = conditionOf(`FIND * GROUP BY _type HAVING ${match}`, 1).having;
    if (having === undefined) throw refusal('expected one condition');
    const { body } = parsed;
    const both =
      body.having === undefined
        ? having
        : { kind: 'and' as const, items: [body.having, having], span: having.span };
    return ruleQuery('groups', print({ ...parsed, body: { ...body, having: both } }));
  }
  const text = `FIND * WITH ${match}`;
  const condition = conditionOf(text, 0);
  if (condition.node.filter === undefined) throw refusal('expected one condition');
  if (parsed.body.kind !== 'find') return ruleQuery('entities', text);
  // Restricted to the classes of the rule's query.
  const node = { ...condition.node, names: parsed.body.node.names };
  return ruleQuery('entities', print({ ...parsed, mode: 'run', body: { ...condition, node } }));
}

/** The inputs of the results of a rule's queries; undefined if they depend on the time. */
export function footprintOfQueries(queries: readonly Pick<RuleQuery, 'pql'>[]): Footprint | undefined {
  const prepared = queries.map(({ pql }) => checker.prepare(pql));
  if (!prepared.every(({ isTimeless }) => isTimeless)) return undefined;
  return unionOf(prepared.map(({ bound }) => footprintOf(bound)));
}

function ruleQuery(shape: ResultShape, pql: string): RuleQuery {
  const { bound } = checker.prepare(pql);
  const statesDepth = bound.body.kind === 'blast' && bound.body.depth !== undefined;
  return { shape, pql, parameters: bound.parameters.map(({ name }) => name), statesDepth };
}

function withoutDisplay(body: FindQuery): FindQuery {
  const { kind, span, node, hops, where } = body;
  return { kind, span, node, hops, groupBy: [], orderBy: [], ...(where && { where }) };
}

/** The query around a condition, with this number of group keys. Throws if it is more than a condition. */
function conditionOf(text: string, groupKeys: number): FindQuery {
  const { body } = parse(text);
  if (body.kind !== 'find') throw refusal('expected one condition');
  const isMore =
    body.hops.length > 0 ||
    body.orderBy.length > 0 ||
    body.groupBy.length > groupKeys ||
    [body.where, body.returns, body.skip, body.limit, body.node.alias].some((part) => part !== undefined) ||
    (body.groupBy.length === 0 && body.having !== undefined);
  if (isMore) throw refusal('expected one condition');
  return body;
}

function refusal(message: string): DomainError {
  return new DomainError('INVALID_REQUEST', message);
}
