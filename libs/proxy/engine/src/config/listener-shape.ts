import {
  array,
  boolean,
  integer,
  oneOf,
  optional,
  required,
  type Shape,
  withDefault,
  withWrittenDefault,
} from '#platform/config';
import type { ConfigFiles } from './config-files.ts';
import { addressBlock, hostPort, name } from './host-shapes.ts';
import { camelCaseObject, duration } from './parsed-shape.ts';
import type { ListenerConfig } from './proxy-config.ts';
import { listenerTls } from './tls-shape.ts';

const CONNECTIONS_MAX = 1_000_000;
const BLOCKS_MAX = 1_000;

export function listener(files: ConfigFiles): Shape<ListenerConfig> {
  return camelCaseObject<ListenerConfig>({
    name: required(name(), 'the name in metrics, routes and messages; unique'),
    address: required(hostPort({ anyPort: true }), 'listen address; `0.0.0.0` or `[::]` for all interfaces'),
    protocol: withDefault(oneOf(['http', 'tcp']), 'http', 'the protocol'),
    cluster: optional(name(), 'the cluster of a `tcp` listener; `http` listeners have routes'),
    maxConnections: withDefault(
      integer({ min: 1, max: CONNECTIONS_MAX }),
      10_000,
      'further connections are closed at once',
    ),
    idleTimeoutMs: withWrittenDefault(
      duration({ zero: true }),
      '60s',
      'closes a connection that waits for its client, or a stream without traffic in either direction; `0s`: never',
    ),
    headerTimeoutMs: withWrittenDefault(
      duration(),
      '10s',
      'time-out of a TLS handshake (10 s for `tcp`), and of a complete request head; `http` only',
    ),
    maxHeaderBytes: withDefault(
      integer({ min: 1_024, max: 1_048_576 }),
      32_768,
      'size of a complete head; larger ones are answered with 431; `http` only',
    ),
    requestTimeoutMs: withWrittenDefault(
      duration({ zero: true }),
      '0s',
      'time-out of a complete request with its body, until its response begins, answered with 408; `0s`: none; `http` only',
    ),
    bodyMinRate: withDefault(
      integer({ min: 0, max: 1_000_000_000 }),
      500,
      'minimum average rate of a body in bytes per second, after 20 seconds and until its response begins; slower ones are answered with 408; `0`: none; `http` only',
    ),
    tls: optional(listenerTls(files), 'clients connect with TLS; without it, in plain text'),
    paths: withDefault(
      oneOf(['raw', 'reject_ambiguous']),
      'raw',
      '`reject_ambiguous` answers 400 to paths that an upstream may read differently: dot segments, `//`, backslashes, and escapes of `/`, `\\`, NUL, letters, digits and `-._~`; `http` only',
    ),
    trustedProxies: withDefault(
      array(addressBlock(), { min: 0, max: BLOCKS_MAX }),
      [],
      'peers whose `X-Forwarded-*` headers are accepted; `http` only',
    ),
    accessLog: withDefault(boolean(), false, 'a log line for each request or connection'),
  });
}
