import type { Log } from '#platform/observability';
import type { ProxyEvent } from '../source/proxy-event.ts';
import type { ProxySource } from '../source/proxy-source.port.ts';

/** Writes down what happens to the proxy. */
export function logEvents(source: ProxySource, log: Log): void {
  source.onEvent((event) => {
    const { type, ...facts } = event;
    const fields = { event: `proxy.${type}`, ...facts };
    if (isBad(event)) log.warn(fields, MESSAGES[type]);
    else log.info(fields, MESSAGES[type]);
  });
}

const MESSAGES: Readonly<Record<ProxyEvent['type'], string>> = {
  endpoint_health: 'the health of an endpoint has changed',
  endpoint_ejected: 'ejected an endpoint',
  endpoint_returned: 'an ejected endpoint is back',
  endpoint_switched: 'an operator has switched an endpoint',
  endpoint_resolved: 'a name resolves to other addresses',
  breaker_tripped: 'a limit of a cluster refuses requests',
  upstream_failure: 'an upstream has failed requests',
  worker_state: 'a worker process has begun or ended',
  config_reload: 'the configuration was read again',
  server_state: 'the state of the proxy has changed',
};

/** Whether it is worse than before. */
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
