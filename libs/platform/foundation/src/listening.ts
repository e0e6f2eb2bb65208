import { BlockList, isIP } from 'node:net';

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK.addAddress('::1', 'ipv6');

/**
 * Whether the host is reachable from this machine only. A name other than `localhost` may resolve to any
 * address.
 */
export function isLoopback(host: string): boolean {
  const family = isIP(host);
  if (family === 0) return host.toLowerCase() === 'localhost';
  return LOOPBACK.check(host, family === 6 ? 'ipv6' : 'ipv4');
}

/**
 * Accept backlog of each listening socket; the system may allow less (net.core.somaxconn). Connections beyond
 * the backlog may be reset, and a burst to a busy process soon exceeds Node's default of 511.
 */
export const LISTEN_BACKLOG = 4_096;
