import { COMPRESSIONS } from '#load/telemetry';
import {
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
  host: stringSetting({ env: 'PLEXUS_HIVE_HOST', about: 'address of HTTP', fallback: '127.0.0.1' }),
  httpPort: integerSetting(
    { env: 'PLEXUS_HIVE_HTTP_PORT', about: 'port of HTTP, 0 for any', fallback: 7710 },
    0,
    PORT_MAX,
  ),
  grpcHost: stringSetting({
    env: 'PLEXUS_HIVE_GRPC_HOST',
    about: 'address that edges reach',
    fallback: '127.0.0.1',
  }),
  grpcPort: integerSetting(
    { env: 'PLEXUS_HIVE_GRPC_PORT', about: 'port of gRPC, 0 for any', fallback: 9090 },
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
    about: 'key that HTTP requests carry; unset is open mode',
  }),
  tlsCa: stringSetting({
    env: 'PLEXUS_HIVE_TLS_CA',
    about: 'PEM file of the authority of edges; with it, edges must show a certificate',
    fallback: '',
  }),
  tlsCert: stringSetting({
    env: 'PLEXUS_HIVE_TLS_CERT',
    about: 'PEM file of the hive’s certificate',
    fallback: '',
  }),
  tlsKey: stringSetting({ env: 'PLEXUS_HIVE_TLS_KEY', about: 'PEM file of its private key', fallback: '' }),
  edgeLossTimeout: durationSetting({
    env: 'PLEXUS_HIVE_EDGE_LOSS_TIMEOUT',
    about: 'an edge of a run that is silent for so long is lost',
    fallback: 30_000,
  }),
  compression: enumSetting(
    { env: 'PLEXUS_HIVE_COMPRESSION', about: 'of Parquet files', fallback: 'snappy' },
    COMPRESSIONS,
  ),
  bodyLimit: sizeSetting({
    env: 'PLEXUS_HIVE_BODY_LIMIT',
    about: 'largest HTTP body',
    fallback: 2 * MIB,
  }),
  retention: durationSetting({
    env: 'PLEXUS_HIVE_RETENTION',
    about: 'how long runs that have ended are kept; unset: for ever',
    fallback: 0,
  }),
  runsMax: integerSetting(
    {
      env: 'PLEXUS_HIVE_RUNS_MAX',
      about: 'how many runs that have ended are kept, the latest; 0: all',
      fallback: 0,
    },
    0,
    1_000_000,
  ),
  allowedHosts: hostsSetting({
    env: 'PLEXUS_ALLOWED_HOSTS',
    about: 'names, without ports, under which browsers may use the service without a key',
    fallback: [],
  }),
  publicPages: booleanSetting({
    env: 'PLEXUS_HIVE_PUBLIC_PAGES',
    about: 'on: pages need no key; what they show does',
    fallback: false,
  }),
  publicDocs: booleanSetting({
    env: 'PLEXUS_HIVE_PUBLIC_DOCS',
    about: 'the earlier name of PLEXUS_HIVE_PUBLIC_PAGES',
    fallback: false,
  }),
  url: stringSetting({
    env: 'PLEXUS_HIVE_URL',
    about: 'hive that `run` speaks to',
    fallback: 'http://127.0.0.1:7710',
  }),
  ...logSettings(SETTING_PREFIX),
};

export type HiveAppSettings = Settings<typeof SETTING_TABLE>;
