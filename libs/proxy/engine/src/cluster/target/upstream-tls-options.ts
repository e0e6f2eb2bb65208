import { isIP } from 'node:net';
import type { ConnectionOptions } from 'node:tls';
import type { ClusterTls, HostPort } from '../../config/proxy-config.ts';

/**
 * For a TLS connection to one of the endpoint's IP addresses: the name that is asked for and verified is the
 * configured one, else the endpoint's own. An endpoint that is an IP address is verified by it, and asks for
 * no name.
 */
export function upstreamTlsOptions(
  { caFile, sni, verify, minVersion, ciphers }: ClusterTls,
  endpoint: HostPort,
): ConnectionOptions {
  return {
    servername: (sni ?? (isIP(endpoint.host) === 0 ? endpoint.host : '')).replace(/\.$/, ''),
    rejectUnauthorized: verify,
    minVersion,
    ciphers,
    ...(caFile !== undefined && { ca: caFile.text }),
  };
}
