import { CHECKS, type Check, type Verdict } from '#load/oracle';
import type { LatencyName, Report, ReportSummary } from './data/report.ts';

/** One figure of two runs. */
export interface FigureChange {
  readonly name: string;
  readonly unit: 'ms' | 'tx/s' | 'ratio';
  readonly base: number | null;
  readonly head: number | null;
  /** head ÷ base − 1; null if either is missing or base is 0. */
  readonly change: number | null;
  /** Whether head is better or worse than base by more than noise. */
  readonly direction: 'better' | 'worse' | 'same' | 'unknown';
}

/** The comparison of two runs, as returned by `GET /runs/compare`. */
export interface ReportComparison {
  readonly base: RunIdentity;
  readonly head: RunIdentity;
  readonly figures: readonly FigureChange[];
  readonly verdicts: readonly {
    readonly check: Check;
    readonly base: Verdict | null;
    readonly head: Verdict | null;
  }[];
  /** Different settings of the scenarios, by path: only similar runs are comparable. */
  readonly differences: readonly { readonly path: string; readonly base: unknown; readonly head: unknown }[];
}

export type RunIdentity = Pick<
  Report,
  'run_id' | 'name' | 'status' | 'started_at' | 'duration_ms' | 'verdict' | 'headline'
>;

interface Figure {
  readonly name: string;
  readonly unit: FigureChange['unit'];
  readonly isMoreBetter: boolean;
  readonly of: (report: Report) => number | null;
}

/** A smaller relative change is noise. */
const NOISE = 0.05;
/** A smaller absolute change is noise: the effect of a scheduler, a network or a single transaction. */
const FLOORS: Readonly<Record<FigureChange['unit'], number>> = { ms: 2, 'tx/s': 0.5, ratio: 0.001 };

const LATENCIES: readonly LatencyName[] = [
  ...(['send_ack', 'send_feed', 'intended_feed'] as const),
  ...(['send_block', 'intended_block', 'send_delay'] as const),
];
const QUANTILES = ['p50', 'p90', 'p99', 'p999'] as const;

const FIGURES: readonly Figure[] = [
  { name: 'achieved_rate', unit: 'tx/s', isMoreBetter: true, of: ({ summary }) => summary.achieved_rate },
  {
    name: 'achieved_rate_ratio',
    unit: 'ratio',
    isMoreBetter: true,
    of: (r) => r.summary.achieved_rate_ratio,
  },
  {
    name: 'tx_failed_ratio',
    unit: 'ratio',
    isMoreBetter: false,
    of: ({ summary }) => summary.tx_failed_ratio,
  },
  {
    name: 'included_ratio',
    unit: 'ratio',
    isMoreBetter: true,
    of: ({ summary }) => shareOfSent(summary, 'included'),
  },
  {
    name: 'unknown_ratio',
    unit: 'ratio',
    isMoreBetter: false,
    of: ({ summary }) => shareOfSent(summary, 'unknown'),
  },
  ...LATENCIES.flatMap((latency) =>
    QUANTILES.map((quantile): Figure => ({
      name: `${latency}_${quantile}`,
      unit: 'ms',
      isMoreBetter: false,
      of: (report) => report.latency[latency]?.[quantile] ?? null,
    })),
  ),
];

/** Shares instead of counts, which are not comparable between runs of different lengths. */
function shareOfSent({ measured }: ReportSummary, name: 'included' | 'unknown'): number | null {
  return measured.sent === 0 ? null : measured[name] / measured.sent;
}

export function compareReports(base: Report, head: Report): ReportComparison {
  return {
    base: identityOf(base),
    head: identityOf(head),
    figures: FIGURES.map((figure) => changeOf(figure, base, head)),
    verdicts: CHECKS.map((check) => ({
      check,
      base: base.oracle[check]?.verdict ?? null,
      head: head.oracle[check]?.verdict ?? null,
    })),
    differences: differencesOf(base.scenario, head.scenario),
  };
}

function identityOf({
  run_id,
  name,
  status,
  started_at,
  duration_ms,
  verdict,
  headline,
}: Report): RunIdentity {
  return { run_id, name, status, started_at, duration_ms, verdict, headline };
}

function changeOf({ name, unit, isMoreBetter, of }: Figure, base: Report, head: Report): FigureChange {
  const [before, after] = [of(base), of(head)];
  const change = before === null || after === null || before === 0 ? null : after / before - 1;
  const figure = { name, unit, base: before, head: after, change };
  if (before === null || after === null) return { ...figure, direction: 'unknown' };
  const gain = (isMoreBetter ? 1 : -1) * (change ?? Math.sign(after - before));
  if (Math.abs(gain) <= NOISE || Math.abs(after - before) <= FLOORS[unit])
    return { ...figure, direction: 'same' };
  return { ...figure, direction: gain > 0 ? 'better' : 'worse' };
}

function differencesOf(base: unknown, head: unknown): ReportComparison['differences'] {
  const [before, after] = [leavesOf(base), leavesOf(head)];
  const paths = [...new Set([...before.keys(), ...after.keys()])].sort();
  return paths.flatMap((path) => {
    const [one, other] = [before.get(path) ?? null, after.get(path) ?? null];
    return one === other ? [] : [{ path, base: one, head: other }];
  });
}

/** All values of a document that are not objects or lists, by path. */
function leavesOf(document: unknown, path = ''): Map<string, unknown> {
  if (typeof document !== 'object' || document === null) return new Map([[path, document]]);
  const entries = Object.entries(document).flatMap(([key, value]) => [
    ...leavesOf(value, path === '' ? key : `${path}.${key}`),
  ]);
  return new Map(entries);
}
