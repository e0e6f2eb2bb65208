import {
  booleanSetting,
  durationSetting,
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
const MIB = 2 ** 20;
const PORT_MAX = 65_535;

/** Prefix of every environment variable of the graph service and its CLI. */
export const SETTING_PREFIX = 'PLEXUS_';

/** All settings of the graph service, as listed in docs/operations.md. */
export const SETTING_TABLE = {
  host: stringSetting({ env: 'PLEXUS_HOST', about: 'address to listen on', fallback: '127.0.0.1' }),
  port: integerSetting({ env: 'PLEXUS_PORT', about: 'port, 0 for any', fallback: 7700 }, 0, PORT_MAX),
  grpcPort: withoutDefault(
    integerSetting(
      { env: 'PLEXUS_GRPC_PORT', about: 'port of gRPC, 0 for any; unset: no gRPC', fallback: 0 },
      0,
      PORT_MAX,
    ),
  ),
  grpcTlsCert: stringSetting({
    env: 'PLEXUS_GRPC_TLS_CERT',
    about: 'PEM file of the certificate that gRPC shows; with it, gRPC is TLS',
    fallback: '',
  }),
  grpcTlsKey: stringSetting({
    env: 'PLEXUS_GRPC_TLS_KEY',
    about: 'PEM file of its private key',
    fallback: '',
  }),
  grpcTlsCa: stringSetting({
    env: 'PLEXUS_GRPC_TLS_CA',
    about: 'PEM file of the authority of clients; with it, they must show a certificate',
    fallback: '',
  }),
  dataDir: stringSetting({ env: 'PLEXUS_DATA_DIR', about: 'data directory', fallback: './plexus-data' }),
  store: secretSetting({
    env: 'PLEXUS_STORE_URL',
    about: 'postgres://user@host:port,host:port/database of a shared store; unset: the data directory',
  }),
  storePassword: secretSetting({
    env: 'PLEXUS_STORE_PASSWORD',
    about: 'password of its user, in place of one in the address',
  }),
  storeSchema: stringSetting({
    env: 'PLEXUS_STORE_SCHEMA',
    about: 'schema of its tables',
    fallback: 'plexus',
  }),
  cacheDir: stringSetting({
    env: 'PLEXUS_CACHE_DIR',
    about: 'where this node keeps its copy of a shared store; unset: a folder that goes when it ends',
    fallback: '',
  }),
  url: stringSetting({
    env: 'PLEXUS_URL',
    about: 'server that query, ingest and stats speak to',
    fallback: '',
  }),
  apiKey: secretSetting({ env: 'PLEXUS_API_KEY', about: 'key that requests carry; unset is open mode' }),
  allowedHosts: hostsSetting({
    env: 'PLEXUS_ALLOWED_HOSTS',
    about: 'names, without ports, under which browsers may use the service without a key',
    fallback: [],
  }),
  publicPages: booleanSetting({
    env: 'PLEXUS_PUBLIC_PAGES',
    about: 'on: pages need no key; what they show does',
    fallback: false,
  }),
  publicDocs: booleanSetting({
    env: 'PLEXUS_PUBLIC_DOCS',
    about: 'the earlier name of PLEXUS_PUBLIC_PAGES',
    fallback: false,
  }),
  bodyLimit: sizeSetting({ env: 'PLEXUS_BODY_LIMIT', about: 'largest JSON body', fallback: 16 * MIB }),
  queryTimeout: durationSetting({
    env: 'PLEXUS_QUERY_TIMEOUT',
    about: 'longest run of a query',
    fallback: 30_000,
  }),
  queriesMax: integerSetting(
    { env: 'PLEXUS_QUERIES_MAX', about: 'queries that run at one time', fallback: 16 },
    1,
    1_024,
  ),
  queryQueue: integerSetting(
    { env: 'PLEXUS_QUERY_QUEUE', about: 'queries that may wait for their turn', fallback: 256 },
    0,
    65_536,
  ),
  queryMemory: sizeSetting({
    env: 'PLEXUS_QUERY_MEMORY',
    about: 'memory that running queries may hold together; 0: a quarter of the heap',
    fallback: 0,
  }),
  cursorsMax: integerSetting(
    { env: 'PLEXUS_CURSORS_MAX', about: 'cursors kept at one time', fallback: 256 },
    1,
    65_536,
  ),
  cursorsMemory: sizeSetting({
    env: 'PLEXUS_CURSORS_MEMORY',
    about: 'memory that results behind cursors may hold together',
    fallback: 128 * MIB,
  }),
  rules: stringSetting({ env: 'PLEXUS_RULES', about: 'directory of rule files', fallback: '' }),
  ruleTimeout: durationSetting({
    env: 'PLEXUS_RULE_TIMEOUT',
    about: 'longest run of one rule',
    fallback: 10_000,
  }),
  ruleThreads: integerSetting(
    { env: 'PLEXUS_RULE_THREADS', about: 'threads that evaluate rules; 0: one for each core', fallback: 0 },
    0,
    64,
  ),
  connectors: stringSetting({
    env: 'PLEXUS_CONNECTORS',
    about: 'directory of connector files',
    fallback: '',
  }),
  notifications: stringSetting({
    env: 'PLEXUS_NOTIFICATIONS',
    about: 'file or directory of notification files',
    fallback: '',
  }),
  mcp: booleanSetting({
    env: 'PLEXUS_MCP',
    about: 'on: /mcp answers models by the Model Context Protocol',
    fallback: false,
  }),
  retention: durationSetting({
    env: 'PLEXUS_RETENTION',
    about: 'how long deleted records and stored replies are kept',
    fallback: 30 * DAY_MS,
  }),
  ...logSettings(SETTING_PREFIX),
};

export type GraphSettings = Settings<typeof SETTING_TABLE>;
