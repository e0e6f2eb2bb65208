import { COMPRESSIONS } from '#load/telemetry';
import {
  auditSettings,
  booleanSetting,
  durationSetting,
  enumSetting,
  hostsSetting,
  integerSetting,
  logSettings,
  secretSetting,
  type Settings,
  sizeSetting,
  stringSetting,
} from '#platform/config';

const MIB = 2 ** 20;
const PORT_MAX = 65_535;

/** The prefix of the hive's environment variables. */
export const SETTING_PREFIX = 'PLEXUS_HIVE_';

/** The settings of the hive, documented in docs/load-testing.md. */
export const SETTING_TABLE = {
  host: stringSetting({ env: 'PLEXUS_HIVE_HOST', about: 'HTTP listen address', fallback: '127.0.0.1' }),
  httpPort: integerSetting(
    { env: 'PLEXUS_HIVE_HTTP_PORT', about: 'HTTP port, 0 for any free port', fallback: 7710 },
    0,
    PORT_MAX,
  ),
  grpcHost: stringSetting({
    env: 'PLEXUS_HIVE_GRPC_HOST',
    about: 'gRPC listen address for edges',
    fallback: '127.0.0.1',
  }),
  grpcPort: integerSetting(
    { env: 'PLEXUS_HIVE_GRPC_PORT', about: 'gRPC port, 0 for any free port', fallback: 9090 },
    0,
    PORT_MAX,
  ),
  dataDir: stringSetting({
    env: 'PLEXUS_HIVE_DATA_DIR',
    about: 'data directory',
    fallback: './plexus-hive-data',
  }),
  apiKey: secretSetting({
    env: 'PLEXUS_HIVE_API_KEY',
    about: 'API key of HTTP requests; unset: no authentication (open mode)',
  }),
  keys: stringSetting({
    env: 'PLEXUS_HIVE_KEYS',
    about: 'file of named keys with roles, of edges too; read again when it changes',
    fallback: '',
  }),
  ...auditSettings(SETTING_PREFIX),
  tlsCa: stringSetting({
    env: 'PLEXUS_HIVE_TLS_CA',
    about: 'PEM file with the CA certificate of the edges; requires client certificates',
    fallback: '',
  }),
  tlsCert: stringSetting({
    env: 'PLEXUS_HIVE_TLS_CERT',
    about: 'PEM file with the certificate of the hive',
    fallback: '',
  }),
  tlsKey: stringSetting({
    env: 'PLEXUS_HIVE_TLS_KEY',
    about: 'PEM file with the private key of the hive',
    fallback: '',
  }),
  edgeLossTimeout: durationSetting({
    env: 'PLEXUS_HIVE_EDGE_LOSS_TIMEOUT',
    about: 'silence after which an edge of a run is lost',
    fallback: 30_000,
  }),
  compression: enumSetting(
    { env: 'PLEXUS_HIVE_COMPRESSION', about: 'compression of Parquet files', fallback: 'snappy' },
    COMPRESSIONS,
  ),
  bodyLimit: sizeSetting({
    env: 'PLEXUS_HIVE_BODY_LIMIT',
    about: 'maximum size of an HTTP request body',
    fallback: 2 * MIB,
  }),
  retention: durationSetting({
    env: 'PLEXUS_HIVE_RETENTION',
    about: 'retention time of ended runs; unset: no limit',
    fallback: 0,
  }),
  runsMax: integerSetting(
    {
      env: 'PLEXUS_HIVE_RUNS_MAX',
      about: 'number of latest ended runs that are kept; 0: all',
      fallback: 0,
    },
    0,
    1_000_000,
  ),
  allowedHosts: hostsSetting({
    env: 'PLEXUS_ALLOWED_HOSTS',
    about: 'host names, without ports, accepted from browsers without a key',
    fallback: [],
  }),
  publicPages: booleanSetting({
    env: 'PLEXUS_HIVE_PUBLIC_PAGES',
    about: 'on: serve pages without a key; their data still requires it',
    fallback: false,
  }),
  publicDocs: booleanSetting({
    env: 'PLEXUS_HIVE_PUBLIC_DOCS',
    about: 'former name of PLEXUS_HIVE_PUBLIC_PAGES',
    fallback: false,
  }),
  url: stringSetting({
    env: 'PLEXUS_HIVE_URL',
    about: 'URL of the hive used by `run`',
    fallback: 'http://127.0.0.1:7710',
  }),
  ...logSettings(SETTING_PREFIX),
};

export type HiveAppSettings = Settings<typeof SETTING_TABLE>;
