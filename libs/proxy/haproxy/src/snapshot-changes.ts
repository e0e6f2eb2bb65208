import type { ClusterSnapshot, EndpointSnapshot, ProxyEvent } from '#proxy/engine';

/** What two looks at the same clusters tell between them: endpoints are matched by place and address. */
export function changesBetween(
  before: readonly ClusterSnapshot[],
  after: readonly ClusterSnapshot[],
  at: number,
): readonly ProxyEvent[] {
  const oldByName = new Map(before.map((cluster) => [cluster.name, cluster]));
  return after.flatMap(({ name, endpoints }) =>
    endpoints.flatMap((endpoint, i) => {
      const old = oldByName.get(name)?.endpoints[i];
      return old?.address === endpoint.address ? endpointChanges({ cluster: name, at }, old, endpoint) : [];
    }),
  );
}

function endpointChanges(
  { cluster, at }: { readonly cluster: string; readonly at: number },
  before: EndpointSnapshot,
  { address, healthy, isDisabled, lastCheck }: EndpointSnapshot,
): ProxyEvent[] {
  const events: ProxyEvent[] = [];
  if (before.isDisabled !== isDisabled) {
    events.push({ type: 'endpoint_switched', at, cluster, address, isEnabled: !isDisabled });
  }
  if (before.healthy !== healthy) {
    const reason =
      lastCheck?.reason ?? (healthy ? 'HAProxy gives it requests' : 'HAProxy gives it no requests');
    events.push({ type: 'endpoint_health', at, cluster, address, target: address, healthy, reason });
  }
  return events;
}
