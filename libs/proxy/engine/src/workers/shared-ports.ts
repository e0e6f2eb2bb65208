import { once } from 'node:events';
import { createServer } from 'node:net';
import { InvalidProxyConfig } from '../config/invalid-proxy-config.ts';
import type { LoadedConfig } from '../config/load/load-proxy-config.ts';
import type { ListenerConfig } from '../config/proxy-config.ts';
import { bindFault, listenerKey, type SharedPorts } from '../plane/listener-set.ts';

/**
 * The ports that all workers bind for a configuration. A new port is first bound exclusively by this process
 * for an instant: workers bind it shared with any process of the same user, and would not detect that it is
 * in use. Throws InvalidProxyConfig with every address that cannot be bound.
 */
export async function sharedPorts(
  { config: { listeners }, listenerPlaces }: LoadedConfig,
  held: SharedPorts,
): Promise<SharedPorts> {
  const ports = new Map<string, number>();
  const faults: string[] = [];
  for (const config of listeners) {
    const key = listenerKey(config);
    try {
      ports.set(key, held.get(key) ?? (await freePort(config)));
    } catch (error) {
      faults.push(bindFault(config, listenerPlaces, error));
    }
  }
  if (faults.length > 0) throw new InvalidProxyConfig(faults);
  return ports;
}

/** The configured port, or a free one for 0. Rejects with the system's error. */
async function freePort({ address: { host, port } }: ListenerConfig): Promise<number> {
  const server = createServer();
  server.listen({ host, port });
  await once(server, 'listening');
  const bound = server.address();
  server.close();
  return typeof bound === 'object' && bound !== null ? bound.port : port;
}
