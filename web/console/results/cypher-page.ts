import type { CypherReplyDto, PlanDto, PlanOperatorDto, QueryReplyDto } from '../api/generated/types.gen.ts';

/** The reply to a statement in the form of one to a query, for the same views. */
export function pageOfCypher(reply: CypherReplyDto, tookMs: number): QueryReplyDto {
  const { columns, rows, warnings, plan, snapshot_version } = reply;
  return {
    count: rows.length,
    entities: [],
    columns,
    rows,
    warnings,
    ...(plan !== undefined && { plan: planOf(plan) }),
    snapshot_version,
    took_ms: tookMs,
  };
}

function planOf({
  operator,
  details,
  estimated_rows: estimated,
  rows,
  time_ms: ownMs,
  children,
}: PlanOperatorDto): PlanDto {
  const inner = children.map(planOf);
  // A query's plan has the time with that of the children.
  const ms = ownMs === undefined ? undefined : inner.reduce((sum, child) => sum + (child.ms ?? 0), ownMs);
  return {
    operator,
    detail: details,
    ...(estimated !== undefined && { estimated_rows: estimated }),
    ...(rows !== undefined && { actual_rows: rows }),
    ...(ms !== undefined && { ms }),
    children: inner,
  };
}

/** What a statement has changed, such as `2 nodes created`. */
export function changesOf({ counters }: CypherReplyDto): readonly string[] {
  return Object.entries(counters).flatMap(([name, count]) =>
    typeof count === 'number' && count > 0
      ? [`${count.toLocaleString('en')} ${name.replaceAll('_', ' ')}`]
      : [],
  );
}
