import { median } from './stopwatch.ts';

/** A goal: a multiple of another target's figure, or of the best of all others; 0 for none. */
export interface Reach {
  readonly against: string;
  readonly factor: number;
}

/** One row of a table: the figure of each target in each round, in one unit. */
export interface Line {
  readonly title: string;
  readonly unit: Unit;
  readonly figures: ReadonlyMap<string, readonly number[]>;
  readonly reach: readonly Reach[];
  /** A bound on the subject's own figure: a maximum for ms and bytes, a minimum for rates. */
  readonly bound?: number;
}

/** Rates and counts are better when greater, other figures when smaller. */
export type Unit = 'ms' | '/s' | 'MB' | 'B' | 'count';

/**
 * A Markdown table of medians. Ratios are those of `subject`, greater than 1 when it is better; a dash marks
 * a target that did not take part.
 */
export function renderTable(subject: string, targets: readonly string[], lines: readonly Line[]): string {
  const others = targets.filter((name) => name !== subject);
  const head = ['workload', subject, ...others, 'ratio', 'to reach', 'reached'];
  const rows = lines.map((line) => [
    line.title,
    ...[subject, ...others].map((name) => figureOf(line, name)),
    ...verdict(subject, line),
  ]);
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

function figureOf(line: Line, name: string): string {
  const rounds = line.figures.get(name);
  return rounds === undefined ? '–' : withUnit(median(rounds), line.unit);
}

function verdict(subject: string, line: Line): [ratio: string, reach: string, reached: string] {
  const own = line.figures.get(subject);
  const reach = [
    ...line.reach
      .filter(({ factor }) => factor > 0)
      .map(({ against, factor }) => `≥ ${significant(factor)}× ${against}`),
    ...(line.bound === undefined
      ? []
      : [`${isGreaterBetter(line.unit) ? '≥' : '≤'} ${withUnit(line.bound, line.unit)}`]),
  ];
  if (own === undefined) return ['–', reach.join(', '), '–'];
  const ratios = line.reach.map(({ against, factor }) => ({
    against,
    factor,
    ratio: ratio(line, subject, against),
  }));
  const known = ratios.filter(({ ratio: value }) => !Number.isNaN(value));
  const isReached = known.every(({ factor, ratio: value }) => value >= factor) && isWithin(median(own), line);
  const shown = known.map(({ against, ratio: value }) => `${significant(value)}× ${against}`);
  const isJudged = known.some(({ factor }) => factor > 0) || line.bound !== undefined;
  return [shown.join(', ') || '–', reach.join(', ') || '–', isJudged ? (isReached ? 'yes' : '**no**') : '–'];
}

function isWithin(own: number, { bound, unit }: Line): boolean {
  if (bound === undefined) return true;
  return isGreaterBetter(unit) ? own >= bound : own <= bound;
}

/** NaN when the other did not take part. */
function ratio(line: Line, subject: string, against: string): number {
  const own = median(line.figures.get(subject) ?? []);
  const others = [...line.figures].filter(([name]) =>
    against === 'best' ? name !== subject : name === against,
  );
  const medians = others.map(([, rounds]) => median(rounds));
  if (medians.length === 0) return Number.NaN;
  return isGreaterBetter(line.unit) ? own / Math.max(...medians) : Math.min(...medians) / own;
}

function isGreaterBetter(unit: Unit): boolean {
  return unit === '/s' || unit === 'count';
}

function withUnit(value: number, unit: Unit): string {
  if (unit === 'ms' && value < 0.1) return `${significant(value * 1_000)} µs`;
  if (unit === 'count') return significant(value);
  return unit === '/s' ? `${significant(value)}/s` : `${significant(value)} ${unit}`;
}

/** Three significant digits, with thousands separators. */
export function significant(value: number): string {
  return Number(value.toPrecision(3)).toLocaleString('en-US', { maximumSignificantDigits: 3 });
}
