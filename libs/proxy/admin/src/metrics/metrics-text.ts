import type { ProxySnapshot } from '#proxy/engine';
import { CLUSTER_FAMILIES } from './cluster-families.ts';
import { ENDPOINT_FAMILIES } from './endpoint-families.ts';
import { Exposition } from './exposition.ts';
import { LISTENER_FAMILIES } from './listener-families.ts';
import type { MetricFamily } from './metric-family.ts';
import { SPECIFIED_FAMILIES } from './specified-families.ts';
import { WHOLE_PROXY_FAMILIES } from './whole-proxy-families.ts';

/** All families of the proxy, in the order of the page. */
export const METRIC_FAMILIES: readonly MetricFamily[] = [
  ...SPECIFIED_FAMILIES,
  ...WHOLE_PROXY_FAMILIES,
  ...LISTENER_FAMILIES,
  ...CLUSTER_FAMILIES,
  ...ENDPOINT_FAMILIES,
];

/** The page's part about the proxy: of one snapshot, so that sums hold. A family may be without samples. */
export function metricsText(snapshot: ProxySnapshot): string {
  const page = new Exposition();
  for (const family of METRIC_FAMILIES) {
    if (family.type === 'histogram') family.read(snapshot, page.histograms(family));
    else family.read(snapshot, page.samples(family));
  }
  return page.text;
}
