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

/** What a configuration is read with. */
export interface ProxySurroundings {
  readonly files: ConfigFiles;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** A configuration as it is written, before its parts are compared with each other. */
export type WrittenConfig = Omit<ProxyConfig, 'routes' | 'warnings'> & {
  readonly routes: readonly WrittenRoute[];
};

/** The one description of the file: it is parsed, checked and documented by it. */
export function proxyShape({ files, environment }: ProxySurroundings): Shape<WrittenConfig> {
  return camelCaseObject<WrittenConfig>({
    adminAddress: optional(
      hostPort({ anyPort: true }),
      'where the admin server listens; without it, there is none',
    ),
    admin: section(admin(environment), 'the admin server'),
    engine: section(engine(files), 'who carries the traffic'),
    workers: withDefault(
      integer({ min: 1, max: WORKERS_MAX }),
      1,
      'processes that carry the traffic, one for each core that is to be used; Linux only above 1',
    ),
    listeners: withDefault(array(listener(files), { min: 0, max: 1_000 }), [], 'where clients connect'),
    clusters: withDefault(array(cluster(files), { min: 0, max: 10_000 }), [], 'who does the work'),
    routes: withDefault(array(route(), { min: 0, max: 10_000 }), [], 'which cluster takes a request'),
    drain: section(drain(), 'how the proxy ends, and how listeners leave'),
  });
}

interface WrittenAdmin extends Omit<AdminConfig, 'token'> {
  readonly tokenEnv: Secret | undefined;
}

function admin(environment: ProxySurroundings['environment']): Shape<AdminConfig> {
  const hosts = array(hostName(), { min: 0, max: 100 });
  const shape = camelCaseObject<WrittenAdmin>({
    tokenEnv: optional(secretIn(environment), 'the environment variable with the token that changes need'),
    readOnly: withDefault(boolean(), false, 'refuses changes'),
    allowedHosts: withDefault(hosts, [], 'further Host names under which `/admin/` may be asked'),
    name: optional(
      string('a name', /^[\x20-\x7e]{1,100}$/),
      "what its page calls this proxy; the machine's name without it",
    ),
    extensions: withDefault(boolean(), false, 'whether there is anything under `/admin/`'),
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
    socket: optional(path, "HAProxy's runtime socket; `haproxy` needs it"),
    config: optional(path, "HAProxy's own configuration, to count its routes; `haproxy` only"),
  });
}

function drain(): Shape<DrainConfig> {
  const shape = camelCaseObject<DrainConfig>({
    graceMs: withWrittenDefault(duration({ zero: true }), '5s', 'how long connections are still taken'),
    timeoutMs: withWrittenDefault(duration({ zero: true }), '30s', 'after which what is left is cut'),
  });
  return checked(shape, ({ graceMs, timeoutMs }) =>
    graceMs <= timeoutMs ? undefined : 'expected a grace no longer than the timeout, which it is part of',
  );
}

/** The value of an environment variable. Its name is not quoted: it may be the secret itself. */
function secretIn(environment: ProxySurroundings['environment']): Shape<Secret> {
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

/** What the file says of a route: its line is found later. */
type WrittenRoute = Omit<RouteConfig, 'line'>;

const LISTENERS_MAX = 1_000;

function route(): Shape<WrittenRoute> {
  const prefix = string(
    'a path that begins with a slash, without ? and #',
    /^\/(?:(?![?#])[\x21-\x7e]){0,1023}$/,
  );
  return camelCaseObject<WrittenRoute>({
    host: withDefault(hostPattern(), '*', 'for which hosts: one, `*.suffix`, or `*` for any'),
    prefix: required(prefix, 'compared with the path as it was sent, byte by byte: `/old` takes `/older`'),
    cluster: optional(name(), 'where it leads'),
    redirect: optional(oneOf(['https']), 'answers with 308 to the same place under `https`'),
    listeners: optional(
      array(name(), { min: 1, max: LISTENERS_MAX }),
      'on which; without it, on all of `http`',
    ),
    timeoutMs: withWrittenDefault(
      duration({ zero: true }),
      '15s',
      'how long the endpoint may be silent, before its answer begins and within it; `0s`: for ever',
    ),
    stripPrefix: withDefault(boolean(), false, 'leaves the prefix out of the path that is passed on'),
    websocket: withDefault(boolean(), false, 'lets requests upgrade to WebSocket'),
    requestHeaders: section(headerChanges(), 'changes what is passed on'),
  });
}
