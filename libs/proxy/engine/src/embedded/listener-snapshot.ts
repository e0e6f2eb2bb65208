import type { ListenerConfig } from '../config/proxy-config.ts';
import type { Front } from '../listener/front.ts';
import type { ListenerCounters } from '../listener/listener-counters.ts';
import type { ListenerSnapshot } from '../source/snapshot.ts';

/** `fronts` are all that count for the listener: the one of now, and those that see their connections out. */
export function snapshotListener(
  { name, protocol }: ListenerConfig,
  address: string,
  counters: ListenerCounters,
  fronts: readonly Front[],
): ListenerSnapshot {
  const open = fronts.map((front) => front.bytesNow());
  return {
    name,
    address,
    protocol,
    cxTotal: counters.cxTotal,
    cxActive: counters.cxActive,
    cxRefused: counters.cxRefused,
    cxRefusedForDescriptors: counters.cxRefusedForDescriptors,
    requestsActive: counters.requestsActive,
    requestsByClass: counters.requestsByClass(),
    parseErrors: counters.parseErrors,
    headerTimeouts: counters.headerTimeouts,
    idleTimeouts: counters.idleTimeouts,
    requestTimeouts: counters.requestTimeouts,
    unrouted: counters.unrouted,
    clientAborts: counters.clientAborts,
    tlsErrors: counters.tlsErrors,
    bytesReceived: open.reduce((sum, { received }) => sum + received, counters.bytesReceived),
    bytesSent: open.reduce((sum, { sent }) => sum + sent, counters.bytesSent),
  };
}
