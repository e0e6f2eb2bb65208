import type { ProxySnapshot } from '#proxy/engine';
import { answer, type Answer, CONTENT_TYPE } from './answer.ts';

/** GET /clusters: these fields and no others, in the order of the configuration. */
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
