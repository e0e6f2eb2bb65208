/**
 * What of a rule's PQL is run. A rule is about what its query finds, all of it, so the query is run without
 * what merely shows it: RETURN and ORDER BY are cut off, SKIP and LIMIT are refused.
 */
import { type Footprint, isKnownClass, isKnownVerb } from '#graph/model';
import { footprintOf, parse, print, type Query, QueryEngine, unionOf } from '#graph/query';
import { DomainError } from '#platform/foundation';

/** What a query's results are: entities, groups, or the one path, whose violation is its first entity. */
export type ResultShape = 'entities' | 'groups' | 'path';

export interface RuleQuery {
  readonly shape: ResultShape;
  readonly pql: string;
  /** Names of the parameters it takes. */
  readonly parameters: readonly string[];
}

type FindQuery = Extract<Query['body'], { kind: 'find' }>;

/** An engine for rules; one serves one thread and one graph. */
export function createRuleEngine(): QueryEngine {
  return new QueryEngine({ vocabulary: { hasClass: isKnownClass, hasVerb: isKnownVerb } });
}

const checker = createRuleEngine();

/** Throws PQL_SYNTAX, or INVALID_REQUEST for a query that no rule may have. */
export function compileQuery(text: string): RuleQuery {
  const query = parse(text);
  checker.prepare(text);
  if (query.mode !== 'run') throw refusal('EXPLAIN and PROFILE show plans, not results');
  const { body } = query;
  if (body.kind === 'path') return ruleQuery('path', text);
  if (body.limit !== undefined || (body.kind === 'find' && body.skip !== undefined)) {
    throw refusal('a rule is about all results: leave SKIP and LIMIT out');
  }
  if (body.kind === 'blast') return ruleQuery('entities', text);
  if (body.groupBy.length > 0) return ruleQuery('groups', text);
  return ruleQuery('entities', print({ ...query, body: withoutDisplay(body) }));
}

/** The results of `query` that an exception's condition is true of. Throws as {@link compileQuery} does. */
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
  // Of what the rule finds only: another class says nothing of it.
  const node = { ...condition.node, names: parsed.body.node.names };
  return ruleQuery('entities', print({ ...parsed, mode: 'run', body: { ...condition, node } }));
}

/** What the results of a rule's queries are made of; undefined when it hangs on the time. */
export function footprintOfQueries(queries: readonly Pick<RuleQuery, 'pql'>[]): Footprint | undefined {
  const prepared = queries.map(({ pql }) => checker.prepare(pql));
  if (!prepared.every(({ isTimeless }) => isTimeless)) return undefined;
  return unionOf(prepared.map(({ bound }) => footprintOf(bound)));
}

function ruleQuery(shape: ResultShape, pql: string): RuleQuery {
  const { bound } = checker.prepare(pql);
  return { shape, pql, parameters: bound.parameters.map(({ name }) => name) };
}

function withoutDisplay(body: FindQuery): FindQuery {
  const { kind, span, node, hops, where } = body;
  return { kind, span, node, hops, groupBy: [], orderBy: [], ...(where && { where }) };
}

/** The query around a condition, grouped by so many keys; refused when more than a condition was written. */
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
