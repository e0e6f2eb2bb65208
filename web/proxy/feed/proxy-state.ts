import type { FollowEventsResponse, ProxyStateDto } from '../api/generated/types.gen.ts';

export type ProxyEvent = Extract<FollowEventsResponse, { readonly type: string }>;
export type Listener = ProxyStateDto['listeners'][number];
export type Cluster = ProxyStateDto['clusters'][number];
export type Endpoint = Cluster['endpoints'][number];

export function answersOf({ requests_by_class: counts }: Listener): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}

export function listenerKey({ name }: Listener): string {
  return `listener ${name}`;
}

/** Keys of a cluster's endpoints, in order; an address may occur twice. */
export function endpointKeys({ name, endpoints }: Cluster): readonly string[] {
  const seen = new Map<string, number>();
  return endpoints.map(({ address }) => {
    const before = seen.get(address) ?? 0;
    seen.set(address, before + 1);
    return `endpoint ${name} ${address} ${before}`;
  });
}
