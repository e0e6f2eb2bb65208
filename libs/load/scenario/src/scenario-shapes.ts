import { refuse, type Shape } from '#platform/config';
import { nearestName } from '#platform/foundation';
import { THRESHOLD_METRICS, type ThresholdMetric } from './threshold-metric.ts';

const WEI = /^(?:0|[1-9]\d{0,77})$/;
/** Amounts are words of 256 bits on the chain. */
const WEI_END = 2n ** 256n;

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
