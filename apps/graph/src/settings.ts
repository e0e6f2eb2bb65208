import {
  auditSettings,
  booleanSetting,
  durationSetting,
  orOff,
  hostsSetting,
  integerSetting,
  logSettings,
  secretSetting,
  type Settings,
  sizeSetting,
  stringSetting,
  withoutDefault,
} from '#platform/config';

const DAY_MS = 86_400_000;
/** How long deleted records and stored replies are kept without a setting. */
const RECORDS_MS = 30 * DAY_MS;
/** How long earlier moments can be asked for without a setting. */
const MOMENTS_MS = 7 * DAY_MS;
const MIB = 2 ** 20;
const PORT_MAX = 65_535;

/** Prefix of every environment variable of the graph service and its CLI. */
export const SETTING_PREFIX = 'PLEXUS_';

/** All settings of the graph service, as listed in docs/operations.md. */
export const SETTING_TABLE = {
  host: stringSetting({ env: 'PLEXUS_HOST', about: 'listen address', fallback: '127.0.0.1' }),
  port: integerSetting(
    { env: 'PLEXUS_PORT', about: 'port, 0 for any free port', fallback: 7700 },
    0,
    PORT_MAX,
  ),
  tlsCert: stringSetting({
    env: 'PLEXUS_TLS_CERT',
    about: 'PEM file with the certificate of all listeners; enables TLS; taken again when it changes',
    fallback: '',
  }),
  tlsKey: stringSetting({
    env: 'PLEXUS_TLS_KEY',
    about: 'PEM file with the private key of the certificate',
    fallback: '',
  }),
  tlsCa: stringSetting({
    env: 'PLEXUS_TLS_CA',
    about:
      'PEM file with a CA certificate: serve requires client certificates of it, commands trust it for --url',
    fallback: '',
  }),
  grpcPort: withoutDefault(
    integerSetting(
      { env: 'PLEXUS_GRPC_PORT', about: 'gRPC port, 0 for any free port; unset: no gRPC', fallback: 0 },
      0,
      PORT_MAX,
    ),
  ),
  grpcTlsCert: stringSetting({
    env: 'PLEXUS_GRPC_TLS_CERT',
    about: 'PEM file with the certificate of the gRPC server; enables TLS',
    fallback: '',
  }),
  grpcTlsKey: stringSetting({
    env: 'PLEXUS_GRPC_TLS_KEY',
    about: 'PEM file with the private key of the gRPC server',
    fallback: '',
  }),
  grpcTlsCa: stringSetting({
    env: 'PLEXUS_GRPC_TLS_CA',
    about: 'PEM file with the CA certificate of gRPC clients; requires client certificates',
    fallback: '',
  }),
  boltPort: withoutDefault(
    integerSetting(
      { env: 'PLEXUS_BOLT_PORT', about: 'Bolt port, 0 for any free port; unset: no Bolt', fallback: 0 },
      0,
      PORT_MAX,
    ),
  ),
  boltTlsCert: stringSetting({
    env: 'PLEXUS_BOLT_TLS_CERT',
    about: 'PEM file with the certificate of the Bolt server; enables TLS',
    fallback: '',
  }),
  boltTlsKey: stringSetting({
    env: 'PLEXUS_BOLT_TLS_KEY',
    about: 'PEM file with the private key of the Bolt server',
    fallback: '',
  }),
  boltAdvertised: stringSetting({
    env: 'PLEXUS_BOLT_ADVERTISED',
    about: 'host:port under which Bolt clients find this server; unset: the one that they have used',
    fallback: '',
  }),
  boltTxTimeout: durationSetting({
    env: 'PLEXUS_BOLT_TX_TIMEOUT',
    about: 'maximum duration of a transaction over Bolt',
    fallback: 60_000,
  }),
  dataDir: stringSetting({ env: 'PLEXUS_DATA_DIR', about: 'data directory', fallback: './plexus-data' }),
  store: secretSetting({
    env: 'PLEXUS_STORE_URL',
    about: 'postgres://user@host:port,host:port/database of a shared store; unset: data directory',
  }),
  storePassword: secretSetting({
    env: 'PLEXUS_STORE_PASSWORD',
    about: 'password of the shared store, instead of one in its URL',
  }),
  storeSchema: stringSetting({
    env: 'PLEXUS_STORE_SCHEMA',
    about: 'schema of the tables of the shared store',
    fallback: 'plexus',
  }),
  cacheDir: stringSetting({
    env: 'PLEXUS_CACHE_DIR',
    about: 'directory of the local copy of a shared store; unset: a temporary directory',
    fallback: '',
  }),
  url: stringSetting({
    env: 'PLEXUS_URL',
    about: 'URL of the server used by commands such as query and ingest',
    fallback: '',
  }),
  apiKey: secretSetting({
    env: 'PLEXUS_API_KEY',
    about: 'API key of requests; unset: no authentication (open mode)',
  }),
  keys: stringSetting({
    env: 'PLEXUS_KEYS',
    about: 'file of named keys with roles; read again when it changes',
    fallback: '',
  }),
  oidcIssuer: stringSetting({
    env: 'PLEXUS_OIDC_ISSUER',
    about: 'URL of a provider of OpenID Connect, whose access tokens are accepted; unset: none',
    fallback: '',
  }),
  oidcClientId: stringSetting({
    env: 'PLEXUS_OIDC_CLIENT_ID',
    about: 'client as which pages sign in at the provider; unset: they ask for a key',
    fallback: '',
  }),
  oidcAudience: stringSetting({
    env: 'PLEXUS_OIDC_AUDIENCE',
    about: 'audience of access tokens; several are separated by commas',
    fallback: '',
  }),
  oidcRoles: stringSetting({
    env: 'PLEXUS_OIDC_ROLES',
    about: 'claim with the groups, and the role of each group: groups: {platform: admin, staff: viewer}',
    fallback: '',
  }),
  publicUrl: stringSetting({
    env: 'PLEXUS_PUBLIC_URL',
    about:
      'address at which clients find the service, where something in front of it ends TLS; for single sign-on',
    fallback: '',
  }),
  ...auditSettings(SETTING_PREFIX),
  allowedHosts: hostsSetting({
    env: 'PLEXUS_ALLOWED_HOSTS',
    about: 'host names, without ports, accepted from browsers without a key',
    fallback: [],
  }),
  publicPages: booleanSetting({
    env: 'PLEXUS_PUBLIC_PAGES',
    about: 'on: serve pages without a key; their data still requires it',
    fallback: false,
  }),
  publicDocs: booleanSetting({
    env: 'PLEXUS_PUBLIC_DOCS',
    about: 'former name of PLEXUS_PUBLIC_PAGES',
    fallback: false,
  }),
  bodyLimit: sizeSetting({
    env: 'PLEXUS_BODY_LIMIT',
    about: 'maximum size of a JSON body',
    fallback: 16 * MIB,
  }),
  queryTimeout: durationSetting({
    env: 'PLEXUS_QUERY_TIMEOUT',
    about: 'maximum duration of a query',
    fallback: 30_000,
  }),
  queriesMax: integerSetting(
    { env: 'PLEXUS_QUERIES_MAX', about: 'maximum number of concurrent queries', fallback: 16 },
    1,
    1_024,
  ),
  queryQueue: integerSetting(
    { env: 'PLEXUS_QUERY_QUEUE', about: 'maximum number of waiting queries', fallback: 256 },
    0,
    65_536,
  ),
  queryMemory: sizeSetting({
    env: 'PLEXUS_QUERY_MEMORY',
    about: 'memory limit of all running queries; 0: a quarter of the heap',
    fallback: 0,
  }),
  cursorsMax: integerSetting(
    { env: 'PLEXUS_CURSORS_MAX', about: 'maximum number of cursors', fallback: 256 },
    1,
    65_536,
  ),
  cursorsMemory: sizeSetting({
    env: 'PLEXUS_CURSORS_MEMORY',
    about: 'memory limit of all results behind cursors',
    fallback: 128 * MIB,
  }),
  rules: stringSetting({ env: 'PLEXUS_RULES', about: 'directory of rule files', fallback: '' }),
  ruleTimeout: durationSetting({
    env: 'PLEXUS_RULE_TIMEOUT',
    about: 'maximum duration of a rule',
    fallback: 10_000,
  }),
  ruleThreads: integerSetting(
    { env: 'PLEXUS_RULE_THREADS', about: 'number of rule threads; 0: one per core', fallback: 0 },
    0,
    64,
  ),
  connectors: stringSetting({
    env: 'PLEXUS_CONNECTORS',
    about: 'directory of connector files',
    fallback: '',
  }),
  connectorsEditable: booleanSetting({
    env: 'PLEXUS_CONNECTORS_EDITABLE',
    about: 'on: administrators may change connector files over HTTP and in the console',
    fallback: false,
  }),
  notifications: stringSetting({
    env: 'PLEXUS_NOTIFICATIONS',
    about: 'file or directory of notification files',
    fallback: '',
  }),
  mcp: booleanSetting({
    env: 'PLEXUS_MCP',
    about: 'on: serve the Model Context Protocol at /mcp',
    fallback: false,
  }),
  retention: withoutDefault(
    orOff(
      durationSetting({
        env: 'PLEXUS_RETENTION',
        about:
          'retention time of deleted records and stored replies (30d), and of earlier moments (7d); off: no earlier moments',
        fallback: RECORDS_MS,
      }),
    ),
  ),
  history: withoutDefault(
    orOff(
      durationSetting({
        env: 'PLEXUS_HISTORY',
        about:
          'in place of PLEXUS_RETENTION, how long the graph can be asked for earlier moments; off: not at all',
        fallback: MOMENTS_MS,
      }),
    ),
  ),
  ...logSettings(SETTING_PREFIX),
};

export type GraphSettings = Settings<typeof SETTING_TABLE>;

/** How long the graph keeps what is no longer so, in milliseconds. */
export function retentionOf({ retention, history }: Pick<GraphSettings, 'retention' | 'history'>): {
  /** Of deleted records and stored replies, which clients rely on: never 0. */
  readonly retentionMs: number;
  /** Of earlier moments; 0: none. */
  readonly historyMs: number;
} {
  // `off` is 0.
  return { retentionMs: retention || RECORDS_MS, historyMs: history ?? retention ?? MOMENTS_MS };
}
