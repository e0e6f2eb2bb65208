import {
  array,
  boolean,
  checked,
  integer,
  mapped,
  oneOf,
  optional,
  required,
  section,
  type Shape,
  string,
  withDefault,
  withWrittenDefault,
} from '#platform/config';
import { Secret } from '#platform/foundation';
import { cluster } from './cluster-shape.ts';
import type { ConfigFiles } from './config-files.ts';
import { headerChanges } from './header-shape.ts';
import { hostName, hostPattern, hostPort, name } from './host-shapes.ts';
import { listener } from './listener-shape.ts';
import { camelCaseObject, duration } from './parsed-shape.ts';
import type { AdminConfig, DrainConfig, EngineConfig, ProxyConfig, RouteConfig } from './proxy-config.ts';

const WORKERS_MAX = 64;

/** The context in which a configuration is read. */
export interface ShapeContext {
  readonly files: ConfigFiles;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** A configuration as written, before its parts are checked against each other. */
export type WrittenConfig = Omit<ProxyConfig, 'routes' | 'warnings'> & {
  readonly routes: readonly WrittenRoute[];
};

/** The single description of the file, used to parse, validate and document it. */
export function proxyShape({ files, environment }: ShapeContext): Shape<WrittenConfig> {
  return camelCaseObject<WrittenConfig>({
    adminAddress: optional(
      hostPort({ anyPort: true }),
      'listen address of the admin server; without it, there is none',
    ),
    admin: section(admin(environment), 'the admin server'),
    engine: section(engine(files), 'the data plane'),
    workers: withDefault(
      integer({ min: 1, max: WORKERS_MAX }),
      1,
      'number of processes that carry the traffic, one per core to use; above 1 on Linux only',
    ),
    listeners: withDefault(
      array(listener(files), { min: 0, max: 1_000 }),
      [],
      'the addresses where clients connect',
    ),
    clusters: withDefault(
      array(cluster(files), { min: 0, max: 10_000 }),
      [],
      'the services to which requests are sent',
    ),
    routes: withDefault(array(route(), { min: 0, max: 10_000 }), [], 'the cluster for each request'),
    drain: section(drain(), 'how the proxy stops, and how removed listeners close'),
  });
}

interface WrittenAdmin extends Omit<AdminConfig, 'token'> {
  readonly tokenEnv: Secret | undefined;
}

function admin(environment: ShapeContext['environment']): Shape<AdminConfig> {
  const hosts = array(hostName(), { min: 0, max: 100 });
  const shape = camelCaseObject<WrittenAdmin>({
    tokenEnv: optional(secretIn(environment), 'the environment variable with the token required for changes'),
    readOnly: withDefault(boolean(), false, 'rejects changes'),
    allowedHosts: withDefault(hosts, [], 'further Host names accepted under `/admin/`'),
    name: optional(
      string('a name', /^[\x20-\x7e]{1,100}$/),
      "the proxy's name on its page; default: the machine's name",
    ),
    extensions: withDefault(boolean(), false, 'whether the endpoints under `/admin/` are enabled'),
  });
  return mapped(shape, ({ tokenEnv, ...rest }) => Object.freeze({ ...rest, token: tokenEnv }));
}

function engine(files: ConfigFiles): Shape<EngineConfig> {
  const path = mapped(string('a path'), (given) => files.pathOf(given));
  return camelCaseObject<EngineConfig>({
    kind: withDefault(
      oneOf(['embedded', 'haproxy']),
      'embedded',
      'the proxy itself, or an HAProxy beside it',
    ),
    socket: optional(path, "HAProxy's runtime socket; required by `haproxy`"),
    config: optional(path, "HAProxy's own configuration, to count its routes; `haproxy` only"),
  });
}

function drain(): Shape<DrainConfig> {
  const shape = camelCaseObject<DrainConfig>({
    graceMs: withWrittenDefault(
      duration({ zero: true }),
      '5s',
      'the time in which connections are still accepted',
    ),
    timeoutMs: withWrittenDefault(
      duration({ zero: true }),
      '30s',
      'the time after which remaining requests are cut',
    ),
  });
  return checked(shape, ({ graceMs, timeoutMs }) =>
    graceMs <= timeoutMs ? undefined : 'expected a grace no longer than the timeout, which includes it',
  );
}

/** The value of an environment variable. Its name is not quoted in faults: it may be the secret itself. */
function secretIn(environment: ShapeContext['environment']): Shape<Secret> {
  const name = string(
    'the name of an environment variable, not the secret itself',
    /^[A-Za-z_][A-Za-z0-9_]{0,127}$/,
  );
  const isSet = (variable: string): boolean => (environment[variable] ?? '') !== '';
  const shape = checked(name, (variable) =>
    isSet(variable) ? undefined : 'this environment variable is not set',
  );
  return mapped(shape, (variable) => new Secret(environment[variable] ?? ''));
}

/** A route as written in the file; its line is determined later. */
type WrittenRoute = Omit<RouteConfig, 'line'>;

interface RouteAsWritten extends Omit<WrittenRoute, 'streamTimeoutMs'> {
  readonly streamTimeoutMs: number | undefined;
}

const LISTENERS_MAX = 1_000;
/** Longer than the heartbeats of the usual libraries for event streams: 15 to 30 seconds. */
const STREAM_TIMEOUT_MS = 60_000;

function route(): Shape<WrittenRoute> {
  const prefix = string(
    'a path that begins with a slash, without ? and #',
    /^\/(?:(?![?#])[\x21-\x7e]){0,1023}$/,
  );
  const shape = camelCaseObject<RouteAsWritten>({
    host: withDefault(hostPattern(), '*', 'the host: one, `*.suffix`, or `*` for any'),
    prefix: required(prefix, 'compared with the raw path, byte by byte: `/old` matches `/older`'),
    cluster: optional(name(), 'the cluster for its requests'),
    redirect: optional(oneOf(['https']), 'answers with 308 to the same URL under `https`'),
    listeners: optional(
      array(name(), { min: 1, max: LISTENERS_MAX }),
      'the listeners; default: all of `http`',
    ),
    timeoutMs: withWrittenDefault(
      duration({ zero: true }),
      '15s',
      'time-out of a silent endpoint before its response begins; `0s`: none',
    ),
    streamTimeoutMs: optional(
      duration({ zero: true }),
      'time-out of a silent endpoint within its response; default: `60s`, or `timeout` where that is longer or `0s`; `0s`: none',
    ),
    stripPrefix: withDefault(boolean(), false, 'removes the prefix from the forwarded path'),
    websocket: withDefault(boolean(), false, 'lets requests upgrade to WebSocket'),
    requestHeaders: section(headerChanges(), 'changes the forwarded headers'),
  });
  return mapped(shape, (written) => Object.freeze({ ...written, streamTimeoutMs: streamTimeoutOf(written) }));
}

/** A stream without a time-out before its response has none within it. */
function streamTimeoutOf({ timeoutMs, streamTimeoutMs }: RouteAsWritten): number {
  if (streamTimeoutMs !== undefined) return streamTimeoutMs;
  return timeoutMs === 0 ? 0 : Math.max(timeoutMs, STREAM_TIMEOUT_MS);
}
