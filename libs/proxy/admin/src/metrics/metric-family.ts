import type { ProxySnapshot } from '#proxy/engine';
import type { Emit, EmitDurations, FamilyHead } from './exposition.ts';

/** A family, and where in a snapshot its samples are. */
export type MetricFamily = SampleFamily | HistogramFamily;

interface SampleFamily extends FamilyHead {
  readonly type: 'counter' | 'gauge';
  readonly read: (snapshot: ProxySnapshot, emit: Emit) => void;
}

interface HistogramFamily extends FamilyHead {
  readonly type: 'histogram';
  readonly read: (snapshot: ProxySnapshot, emit: EmitDurations) => void;
}

/** Every name begins so. */
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

/** By the first digit. */
export const STATUS_CLASSES = ['1xx', '2xx', '3xx', '4xx', '5xx'] as const;
