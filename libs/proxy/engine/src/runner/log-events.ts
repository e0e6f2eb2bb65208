import type { Log } from '#platform/observability';
import type { ProxyEvent } from '../source/proxy-event.ts';
import type { ProxySource } from '../source/proxy-source.port.ts';

/** Logs the proxy's events. */
export function logEvents(source: ProxySource, log: Log): void {
  source.onEvent((event) => {
    const { type, ...facts } = event;
    const fields = { event: `proxy.${type}`, ...facts };
    if (isBad(event)) log.warn(fields, MESSAGES[type]);
    else log.info(fields, MESSAGES[type]);
  });
}

const MESSAGES: Readonly<Record<ProxyEvent['type'], string>> = {
  endpoint_health: 'endpoint health changed',
  endpoint_ejected: 'endpoint ejected',
  endpoint_returned: 'ejected endpoint returned',
  endpoint_switched: 'endpoint switched by an operator',
  endpoint_resolved: 'endpoint name resolved to other addresses',
  breaker_tripped: 'requests rejected by a limit of a cluster',
  upstream_failure: 'requests failed at an upstream',
  worker_state: 'worker process started or ended',
  config_reload: 'configuration reloaded',
  server_state: 'proxy state changed',
};

/** Whether the event is a degradation. */
function isBad(event: ProxyEvent): boolean {
  switch (event.type) {
    case 'endpoint_health':
      return !event.healthy;
    case 'endpoint_resolved':
      return event.fault !== undefined;
    case 'worker_state':
      return !event.isServing;
    case 'config_reload':
      return event.result === 'rejected';
    case 'endpoint_ejected':
    case 'breaker_tripped':
    case 'upstream_failure':
      return true;
    default:
      return false;
  }
}
