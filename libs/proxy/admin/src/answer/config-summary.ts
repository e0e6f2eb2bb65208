import type { ProxySnapshot } from '#proxy/engine';
import { answer, type Answer, CONTENT_TYPE } from './answer.ts';

/** GET /config: these three numbers and no others. */
export function configSummaryAnswer({ listeners, clusters, routeCount }: ProxySnapshot): Answer {
  const summary = { listeners: listeners.length, clusters: clusters.length, routes: routeCount };
  return answer(200, CONTENT_TYPE.json, JSON.stringify(summary));
}
