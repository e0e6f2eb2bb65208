import type { DurationSnapshot, Explanation, ProxyEvent, ProxySnapshot, ServerState } from '#proxy/engine';
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

/** GET /admin/v1/clusters: the whole snapshot, with quantiles in place of histograms. */
export function detailText(snapshot: ProxySnapshot): string {
  const clusters = snapshot.clusters.map((cluster) => ({
    ...cluster,
    durations: quantilesOf(cluster.durations),
    endpoints: cluster.endpoints.map((endpoint) => ({
      ...endpoint,
      durations: quantilesOf(endpoint.durations),
    })),
  }));
  const uptimeMs = Math.round(snapshot.uptimeMs);
  return JSON.stringify(snakeKeys({ ...snapshot, uptimeMs, clusters }));
}

/** The data of one event of GET /admin/v1/events. */
export function eventText(event: ProxyEvent): string {
  return JSON.stringify(snakeKeys(event));
}

/** Answers GET /admin/v1/explain. */
export function explanationAnswer(explanation: Explanation): Answer {
  return answer(200, CONTENT_TYPE.json, JSON.stringify(snakeKeys(explanation)));
}

function quantilesOf(durations: DurationSnapshot | undefined): object | undefined {
  if (durations === undefined) return undefined;
  const { count, sumSeconds, p50Ms, p90Ms, p99Ms } = durations;
  return { count, sumSeconds, p50Ms, p90Ms, p99Ms };
}

/** Converts names to those of our JSON: `activeRequests` to `active_requests`, undefined to null. */
function snakeKeys(value: unknown): unknown {
  if (value === undefined) return null;
  if (Array.isArray(value)) return value.map(snakeKeys);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [snakeCase(name), snakeKeys(part)]));
}

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
