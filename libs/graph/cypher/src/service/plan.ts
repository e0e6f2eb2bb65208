/** The plan of a statement as a tree: its last operator is the root, whose children give it rows. */
import type { Run } from '../graph/run.ts';
import type { CompiledQuery } from '../query/compiled-query.ts';
import type { Operator, Stage } from '../stage/stage.ts';
import type { PlanOperator } from './plan-operator.ts';
import type { Measured } from './statement-profile.ts';

export interface PlanParts {
  readonly text: string;
  readonly run: Run;
  /** Measurements of an operator; set after PROFILE. */
  readonly measured?: ((operator: Operator) => Measured) | undefined;
}

export function planOf({ stage, columns = [] }: CompiledQuery, parts: PlanParts): PlanOperator {
  const names = columns.map(({ name }) => name);
  const child = planOfStage(stage, parts);
  const rows =
    child.rows === undefined ? {} : { rows: columns.length === 0 ? 0 : child.rows, hits: 0, time_ms: 0 };
  return {
    operator: 'ProduceResults',
    identifiers: names,
    details: names.join(', '),
    ...rows,
    children: [child],
  };
}

/** The operators of a stage, each with the one before it as a child. */
function planOfStage(stage: Stage, parts: PlanParts): PlanOperator {
  let plan: PlanOperator | undefined;
  for (const operator of operatorsOf(stage, parts.run)) {
    const inner = (operator.inner ?? []).map((each) => planOfStage(each, parts));
    const before = plan === undefined || operator.isStart === true ? [] : [plan];
    plan = planOfOperator(operator, [...before, ...inner], parts);
  }
  return plan ?? { operator: 'Argument', identifiers: [], details: '', children: [] };
}

/** The operators of a stage, in the order in which rows pass them. */
function operatorsOf(stage: Stage, run: Run): readonly Operator[] {
  if (stage.operator !== undefined) return [stage.operator];
  return stage.parts?.(run).flatMap((part) => operatorsOf(part, run)) ?? [];
}

function planOfOperator(
  operator: Operator,
  children: readonly PlanOperator[],
  { text, run, measured }: PlanParts,
): PlanOperator {
  const { name, details, estimate } = operator;
  const found = measured?.(operator);
  return {
    operator: name,
    identifiers: [],
    details: details.map((part) => textOf(part, text)).join(' '),
    ...(estimate !== undefined && { estimated_rows: estimate(run) }),
    ...(found !== undefined && { rows: found.rows, time_ms: found.timeMs }),
    ...(found?.hits !== undefined && { hits: found.hits }),
    children,
  };
}

const DETAIL_LENGTH_MAX = 200;

function textOf(part: Operator['details'][number], text: string): string {
  const whole =
    typeof part === 'string' ? part : text.slice(part.start, part.end).replace(/\s+/g, ' ').trim();
  return whole.length > DETAIL_LENGTH_MAX ? `${whole.slice(0, DETAIL_LENGTH_MAX)}…` : whole;
}
