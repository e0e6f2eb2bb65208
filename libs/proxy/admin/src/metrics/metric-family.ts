import type { ProxySnapshot } from '#proxy/engine';
import type { Emit, EmitDurations, FamilyHead } from './exposition.ts';

/** A metric family, and how its samples are read from a snapshot. */
export type MetricFamily = SampleFamily | HistogramFamily;

interface SampleFamily extends FamilyHead {
  readonly type: 'counter' | 'gauge';
  readonly read: (snapshot: ProxySnapshot, emit: Emit) => void;
}

interface HistogramFamily extends FamilyHead {
  readonly type: 'histogram';
  readonly read: (snapshot: ProxySnapshot, emit: EmitDurations) => void;
}

/** Prefix of every name. */
export const METRIC_PREFIX = 'plexus_';

type Text = readonly [name: string, help: string];

export function counter(
  [name, help]: Text,
  labels: readonly string[],
  read: SampleFamily['read'],
): MetricFamily {
  return { name: METRIC_PREFIX + name, type: 'counter', help, labels, read };
}

export function gauge(
  [name, help]: Text,
  labels: readonly string[],
  read: SampleFamily['read'],
): MetricFamily {
  return { name: METRIC_PREFIX + name, type: 'gauge', help, labels, read };
}

export function histogram(
  [name, help]: Text,
  labels: readonly string[],
  read: HistogramFamily['read'],
): MetricFamily {
  return { name: METRIC_PREFIX + name, type: 'histogram', help, labels, read };
}

/** Classes of statuses, by their first digit. */
export const STATUS_CLASSES = ['1xx', '2xx', '3xx', '4xx', '5xx'] as const;
