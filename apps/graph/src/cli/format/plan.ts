import type { PlanOperator } from '#graph/cypher';
import { formatTable } from '#platform/cli';

const MEASURES = ['rows', 'hits', 'ms'];

/** A line for each operator: the last one first, and below it, indented, where its rows come from. */
export function formatPlan(root: PlanOperator): string {
  const lines = linesOf(root, 0);
  const isProfiled = lines.some(({ operator }) => operator.rows !== undefined);
  const columns = ['operator', 'details', 'estimated', ...(isProfiled ? MEASURES : [])];
  return formatTable(
    columns,
    lines.map(({ operator, depth }) => {
      const { rows, hits, time_ms: timeMs, estimated_rows: estimate, details } = operator;
      const measures = isProfiled ? [countText(rows), countText(hits), timeMs?.toFixed(2) ?? ''] : [];
      return [`${'  '.repeat(depth)}${operator.operator}`, details, countText(estimate), ...measures];
    }),
  );
}

function countText(count: number | undefined): string {
  return count === undefined ? '' : String(count);
}

/** Only what branches is indented: a statement of many clauses stays readable. */
function linesOf(
  operator: PlanOperator,
  depth: number,
): readonly { readonly operator: PlanOperator; readonly depth: number }[] {
  const [first, ...others] = operator.children;
  return [
    { operator, depth },
    ...(first === undefined ? [] : linesOf(first, depth + (others.length > 0 ? 1 : 0))),
    ...others.flatMap((child) => linesOf(child, depth + 1)),
  ];
}
