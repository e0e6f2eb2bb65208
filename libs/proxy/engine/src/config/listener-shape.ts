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
    name: required(name(), 'names it in metrics, routes and messages; unique'),
    address: required(
      hostPort({ anyPort: true }),
      'where it listens; `0.0.0.0` or `[::]` for all interfaces',
    ),
    protocol: withDefault(oneOf(['http', 'tcp']), 'http', 'what it carries'),
    cluster: optional(name(), 'where a `tcp` listener leads; `http` listeners have routes'),
    maxConnections: withDefault(
      integer({ min: 1, max: CONNECTIONS_MAX }),
      10_000,
      'further connections are closed at once',
    ),
    idleTimeoutMs: withWrittenDefault(
      duration({ zero: true }),
      '60s',
      'closes a connection that waits for its client, or a stream without a byte in either direction; `0s`: never',
    ),
    headerTimeoutMs: withWrittenDefault(duration(), '10s', 'for the whole head of a request; `http` only'),
    maxHeaderBytes: withDefault(
      integer({ min: 1_024, max: 1_048_576 }),
      32_768,
      'of a whole head; more is answered with 431; `http` only',
    ),
    requestTimeoutMs: withWrittenDefault(
      duration({ zero: true }),
      '0s',
      'for a whole request with its body, until its answer begins; more is answered with 408; `0s`: for ever; `http` only',
    ),
    bodyMinRate: withDefault(
      integer({ min: 0, max: 1_000_000_000 }),
      500,
      'bytes a second that a body has to come at on average, after 20 seconds and until its answer begins; less is answered with 408; `0`: any; `http` only',
    ),
    tls: optional(listenerTls(files), 'clients speak TLS; without it, plain'),
    trustedProxies: withDefault(
      array(addressBlock(), { min: 0, max: BLOCKS_MAX }),
      [],
      'peers whose `X-Forwarded-*` are believed; `http` only',
    ),
    accessLog: withDefault(boolean(), false, 'a log line for each request or connection'),
  });
}
