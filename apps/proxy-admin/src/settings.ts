import { auditSettings, logSettings, stringSetting } from '#platform/config';

/** Prefix of every variable of the program. */
export const SETTING_PREFIX = 'PLEXUS_';
/** Settings outside the configuration file. */
export const SETTING_TABLE = {
  keys: stringSetting({
    env: 'PLEXUS_KEYS',
    about: 'file of named keys with roles for the admin server; read again when it changes',
    fallback: '',
  }),
  tlsCert: stringSetting({
    env: 'PLEXUS_TLS_CERT',
    about: 'PEM file with the certificate of the admin server; enables TLS; taken again when it changes',
    fallback: '',
  }),
  tlsKey: stringSetting({
    env: 'PLEXUS_TLS_KEY',
    about: 'PEM file with the private key of the certificate',
    fallback: '',
  }),
  tlsCa: stringSetting({
    env: 'PLEXUS_TLS_CA',
    about: 'PEM file with the CA certificate of clients; requires client certificates',
    fallback: '',
  }),
  ...auditSettings(SETTING_PREFIX),
  ...logSettings(SETTING_PREFIX),
};
