import type { ProxySnapshot, ServerState } from '#proxy/engine';
import { answer, type Answer, CONTENT_TYPE } from './answer.ts';

/** GET /clusters: exactly these fields, in the order of the configuration. */
export function clusterListAnswer({ clusters }: ProxySnapshot): Answer {
  const list = clusters.map(({ name, endpoints }) => ({
    name,
    endpoints: endpoints.map(({ address, healthy, activeRequests }) => ({
      address,
      healthy,
      active_requests: activeRequests,
    })),
  }));
  return answer(200, CONTENT_TYPE.json, JSON.stringify({ clusters: list }));
}

/** GET /ready: the name of the state alone; 200 when it is LIVE. */
export function readyAnswer(state: ServerState): Answer {
  return answer(state === 'LIVE' ? 200 : 503, CONTENT_TYPE.text, state);
}

/** GET /config: exactly these three numbers. */
export function configSummaryAnswer({ listeners, clusters, routeCount }: ProxySnapshot): Answer {
  const summary = { listeners: listeners.length, clusters: clusters.length, routes: routeCount };
  return answer(200, CONTENT_TYPE.json, JSON.stringify(summary));
}
