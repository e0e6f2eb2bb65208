/**
 * Objectives of a service as text: `p99<500ms,failed<1%`. Each is a threshold: `<` and `<=` are the same, as
 * measured values are not that exact.
 */
import { DomainError, nearestName } from '#platform/foundation';
import { THRESHOLD_METRICS, type ThresholdMetric } from './threshold-metric.ts';

/** A threshold, in the form of a scenario. */
export interface ServiceObjective {
  readonly metric: ThresholdMetric;
  readonly min?: number;
  readonly max?: number;
}

const OBJECTIVE = /^([a-z][a-z0-9_]*)\s*(<=?|>=?)\s*(\d+(?:\.\d+)?)\s*(ms|s|%|)$/;
const OBJECTIVES_MAX = 16;
const TIME_UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1_000 };
const UNITS: Readonly<Record<string, number>> = { '': 1, '%': 0.01 };

/**
 * Throws SCENARIO_INVALID. `hasFeed`: latencies end at the feed message, else at the reading of the block.
 */
export function parseObjectives(text: string, hasFeed: boolean): readonly ServiceObjective[] {
  const parts = text.split(',').map((part) => part.trim());
  if (parts.length > OBJECTIVES_MAX) throw invalid(`expected at most ${OBJECTIVES_MAX} objectives`);
  const objectives = parts.map((part) => objectiveOf(part, hasFeed));
  requireDistinct(objectives, parts);
  return objectives;
}

/** Of two bounds of one side, one would have no effect. */
function requireDistinct(objectives: readonly ServiceObjective[], parts: readonly string[]): void {
  const bounds = objectives.map(({ metric, max }) => `${max === undefined ? 'min' : 'max'} ${metric}`);
  const again = bounds.findIndex((bound, at) => bounds.indexOf(bound) < at);
  if (again < 0) return;
  const first = parts[bounds.indexOf(bounds[again] ?? '')] ?? '';
  throw invalid(`${parts[again] ?? ''}: expected one bound, got ${first} before it`);
}

function objectiveOf(part: string, hasFeed: boolean): ServiceObjective {
  const [, name = '', relation = '', digits = '', unit = ''] = OBJECTIVE.exec(part) ?? [];
  if (name === '')
    throw invalid(`expected an objective such as p99<500ms or failed<1%, got ${part.slice(0, 80)}`);
  const metric = metricOf(name, hasFeed);
  const value = valueOf(metric, { digits, unit, part });
  return relation.startsWith('<') ? { metric, max: value } : { metric, min: value };
}

function valueOf(
  metric: ThresholdMetric,
  { digits, unit, part }: { readonly digits: string; readonly unit: string; readonly part: string },
): number {
  const isTime = metric.endsWith('_ms');
  const scale = (isTime ? TIME_UNITS : UNITS)[unit];
  if (scale === undefined) {
    throw invalid(`${part}: expected ${isTime ? 'a time in ms or s' : 'a number or a share in %'}`);
  }
  const value = Number(digits) * scale;
  if (metric.endsWith('_ratio') && value > 1) throw invalid(`${part}: expected a share of at most 100%`);
  return value;
}

function metricOf(name: string, hasFeed: boolean): ThresholdMetric {
  const full = shortNames(hasFeed)[name] ?? name;
  const metric = THRESHOLD_METRICS.find((one) => one === full);
  if (metric !== undefined) return metric;
  const names = [...Object.keys(shortNames(hasFeed)), ...THRESHOLD_METRICS];
  const nearest = nearestName(name, names);
  throw invalid(`${name}: expected a metric${nearest === undefined ? '' : `: did you mean ${nearest}?`}`);
}

function shortNames(hasFeed: boolean): Readonly<Record<string, string>> {
  const latency = hasFeed ? 'feed_latency' : 'block_latency';
  const percentiles = PERCENTILES.map((one) => [one, `${latency}_${one}_ms`] as const);
  return {
    ...Object.fromEntries<string>(percentiles),
    failed: 'tx_failed_ratio',
    achieved: 'achieved_rate_ratio',
  };
}

const PERCENTILES = ['p50', 'p90', 'p95', 'p99', 'p999', 'max'];

function invalid(message: string): DomainError {
  return new DomainError('SCENARIO_INVALID', `--slo: ${message}`);
}
