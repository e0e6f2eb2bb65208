import { durationSetting, refuse, SettingFault, type Shape } from '#platform/config';
import { nearestName } from '#platform/foundation';
import { THRESHOLD_METRICS, type ThresholdMetric } from './threshold-metric.ts';

const DURATION = durationSetting({ env: '', about: '', fallback: 0 });
const WEI = /^(?:0|[1-9]\d{0,77})$/;
/** Amounts are words of 256 bits on the chain. */
const WEI_END = 2n ** 256n;

/** A span of time, read as milliseconds: `500ms`, `10s`, `5m`, `2h`. */
export function duration({
  minMs,
  maxMs,
}: {
  readonly minMs: number;
  readonly maxMs: number;
}): Shape<number> {
  const expects = `a duration from ${durationText(minMs)} to ${durationText(maxMs)}, such as 500ms, 10s or 5m`;
  return {
    expects,
    read: (value, at) => {
      const ms = typeof value === 'string' ? durationMs(value) : undefined;
      if (ms !== undefined && ms >= minMs && ms <= maxMs) return ms;
      refuse(at, expects);
      return undefined;
    },
  };
}

function durationMs(text: string): number | undefined {
  if (text === '0' || text === '0s') return 0;
  try {
    return DURATION.parse(text);
  } catch (error) {
    if (error instanceof SettingFault) return undefined;
    throw error;
  }
}

/** As `duration` reads it, in the largest unit that fits. */
export function durationText(ms: number): string {
  const units = [
    ['h', 3_600_000],
    ['m', 60_000],
    ['s', 1_000],
  ] as const;
  for (const [unit, size] of units) if (ms >= size && ms % size === 0) return `${ms / size}${unit}`;
  return ms === 0 ? '0s' : `${ms}ms`;
}

/** An amount in wei, as text; numbers are taken as far as they are exact. */
export function wei(): Shape<string> {
  const expects = 'an amount of wei in digits, in quotes';
  return {
    expects,
    read: (value, at) => {
      const text = Number.isSafeInteger(value) ? String(value) : value;
      if (typeof text === 'string' && WEI.test(text) && BigInt(text) < WEI_END) return text;
      refuse(at, expects);
      return undefined;
    },
  };
}

/** The name of something that a threshold can be set on. */
export function thresholdMetric(): Shape<ThresholdMetric> {
  const expects = 'a metric of docs/scenario.md';
  return {
    expects,
    read: (value, at) => {
      const metric = THRESHOLD_METRICS.find((name) => name === value);
      if (metric !== undefined) return metric;
      const nearest = typeof value === 'string' ? nearestName(value, THRESHOLD_METRICS) : undefined;
      refuse(at, nearest === undefined ? expects : `a metric: did you mean ${nearest}?`);
      return undefined;
    },
  };
}
