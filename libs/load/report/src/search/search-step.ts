/**
 * A search for the highest rate at which a target meets its objectives: steps, each of them a run with its
 * report.
 */
import type { Report, ReportSummary, ReportThreshold } from '../data/report.ts';
import { boundOf } from '../verdict/reason-rules.ts';
import type { VerdictState } from '../verdict/run-verdict.ts';

/**
 * How a step ended: `held` (all objectives met, nothing wrong), `missed` (an objective), `violated` (a check
 * failed, or acknowledged transactions were lost), `generator` (the load was not generated as planned, and
 * the objectives are met, or would be by the time from sending; or the machine of the edges was the limit),
 * `unknown` (not everything could be checked or measured), `failed` (the run itself).
 */
export const STEP_ENDS = ['held', 'missed', 'violated', 'generator', 'unknown', 'failed'] as const;
export type StepEnd = (typeof STEP_ENDS)[number];

export interface SearchStep {
  /** Planned transactions per second. */
  readonly rate: number;
  readonly achieved_rate: number;
  readonly end: StepEnd;
  /** In words, empty if it held. */
  readonly why: string;
  /** The measured values of the objectives. */
  readonly objectives: readonly ReportThreshold[];
  readonly run_id: string;
  readonly headline: string;
}

export interface MaximumFound {
  readonly name: string;
  readonly objectives: string;
  /** The highest rate that held; null if none did. */
  readonly maximum: number | null;
  /** The lowest rate above it that did not hold; null if all did, up to the limit of the search. */
  readonly refused: number | null;
  /** What ended the search upwards: how the step at `refused` ended, or that the limit was reached. */
  readonly limited_by: Exclude<StepEnd, 'held'> | 'search_limit' | 'interrupted';
  readonly steps: readonly SearchStep[];
}

/** Below it, the load was not generated as planned. */
const ACHIEVED_MIN = 0.98;

/** What a step is judged by. */
export interface StepReport extends Pick<
  Report,
  'run_id' | 'headline' | 'status' | 'reason' | 'thresholds' | 'latency'
> {
  readonly verdict: { readonly state: VerdictState; readonly reasons: readonly { readonly code: string }[] };
  readonly summary: Pick<ReportSummary, 'achieved_rate' | 'achieved_rate_ratio'>;
}

/** The result of one step; `metrics` are those of the objectives. */
export function judgeStep(report: StepReport, rate: number, metrics: readonly string[]): SearchStep {
  const objectives = report.thresholds.filter(({ metric }) => metrics.includes(metric));
  const { end, why } = endOf(report, objectives);
  const { run_id, headline, summary } = report;
  return { rate, achieved_rate: summary.achieved_rate, end, why, objectives, run_id, headline };
}

function endOf(
  report: StepReport,
  objectives: readonly ReportThreshold[],
): { readonly end: StepEnd; readonly why: string } {
  const { status, reason, verdict, summary } = report;
  const codes = new Set<string>(verdict.reasons.map(({ code }) => code));
  const isViolated = [
    'nonce_violated',
    'balance_violated',
    'gas_violated',
    'acked_lost',
    'expect_unmet',
  ].some((code) => codes.has(code));
  if (isViolated) return { end: 'violated', why: report.headline };
  const { achieved_rate_ratio: achieved } = summary;
  const isShort = achieved !== null && achieved < ACHIEVED_MIN;
  const missed = objectives.filter(
    (one) =>
      one.is_met === false && one.value !== null && !(isShort && isMetFromSending(one, report.latency)),
  );
  if (missed.length > 0) return { end: 'missed', why: missed.map(textOf).join(', ') };
  if (status === 'Failed') return { end: 'failed', why: reason ?? 'no reason given' };
  if (isShort) {
    const share = Math.round(achieved * 1_000) / 10;
    return { end: 'generator', why: `only ${share} % of the planned transactions were sent` };
  }
  if (verdict.state === 'unknown' && codes.has('edge_starved'))
    return { end: 'generator', why: report.headline };
  const unmeasured = objectives.filter(({ value }) => value === null);
  if (unmeasured.length > 0) {
    return { end: 'unknown', why: `not measured: ${unmeasured.map(({ metric }) => metric).join(', ')}` };
  }
  if (verdict.state === 'unknown') return { end: 'unknown', why: report.headline };
  if (verdict.state === 'failed') return { end: 'missed', why: report.headline };
  return { end: 'held', why: '' };
}

const FROM_INTENDED = /^(feed|block)_latency_(p\d+|max)_ms$/;

/**
 * Whether the target met an objective of a latency that also contains the wait of a planned transaction for
 * an account or an edge.
 */
function isMetFromSending({ metric, max }: ReportThreshold, latency: Report['latency']): boolean {
  const [, end, figure] = FROM_INTENDED.exec(metric) ?? [];
  const measured = latency[end === 'feed' ? 'send_feed' : 'send_block'];
  const value = figure === undefined ? undefined : measured?.[figure as 'p50' | 'max'];
  return max !== null && value !== undefined && value <= max;
}

function textOf(threshold: ReportThreshold): string {
  return `${threshold.metric} ${Number(threshold.value?.toPrecision(4))}, expected ${boundOf(threshold)}`;
}
