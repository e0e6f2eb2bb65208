import type { Warning } from '#graph/model';
import { DomainError } from '#platform/foundation';
import type { BoundQuery, GroupValue } from '../binder/bound-query.ts';
import type { Condition } from '#graph/execution';
import { patternOf } from './pattern-builder.ts';
import { computedChecks } from './computed-checks.ts';
import type { Constants } from './constants.ts';
import { planFind, type FindPlan, type FindPlanOptions } from './find-plan.ts';
import { ExpressionResolver, type KindCheck } from './resolve-expression.ts';
import { planBlast, planPath, type BlastPlan, type PathPlan } from './search-plan.ts';

/** Maximum number of nodes and relationships in one FIND. */
const ELEMENTS_MAX = 128;

/** An executable plan: frozen, and independent of the data except for the estimates behind it. */
export interface Plan {
  readonly query: FindPlan | PathPlan | BlastPlan;
  readonly having?: Condition<GroupValue>;
  readonly checks: readonly KindCheck[];
}

/** A plan with its query text. */
export interface PlannedQuery {
  readonly text: string;
  readonly bound: BoundQuery;
  readonly plan: Plan;
  readonly warnings: readonly Warning[];
}

/** Equal queries, constants and statistics give equal plans, except for the estimates of kept templates. */
export function plan({ body }: BoundQuery, constants: Constants, options: FindPlanOptions): Plan {
  const checks: KindCheck[] = [];
  if (body.kind === 'path') return Object.freeze({ query: planPath(body, constants, checks), checks });
  if (body.kind === 'blast') return Object.freeze({ query: planBlast(body, constants, checks), checks });
  const pattern = patternOf(body, constants, checks);
  checks.push(...computedChecks(body));
  const bounds = { skip: constants.count(body.skip) ?? 0, limit: constants.count(body.limit) ?? Infinity };
  const query = planFind(body, pattern, bounds, options);
  const having = body.grouping?.having;
  if (having === undefined) return Object.freeze({ query, checks });
  const resolver = new ExpressionResolver<GroupValue>(constants, checks);
  return Object.freeze({ query, checks, having: resolver.resolve(having) });
}

/** Patterns are planned recursively, so their size is bounded. Throws PQL_SYNTAX. */
export function checkSize({ body }: BoundQuery): void {
  const elements = body.kind === 'find' ? body.elements : [];
  const first = elements[ELEMENTS_MAX];
  if (first === undefined) return;
  const message = `expected at most ${String(ELEMENTS_MAX)} nodes and relationships in one query`;
  throw new DomainError('PQL_SYNTAX', message, { details: { position: first.span.start } });
}
