import { type Settings, wordSetting } from '#config';

/** Every variable of the program begins so. */
export const SETTING_PREFIX = 'PLEXUS_';

/** What is no part of edge.toml. */
export const SETTING_TABLE = {
  logFormat: wordSetting({ env: 'PLEXUS_LOG_FORMAT', about: 'form of log lines', fallback: 'text' }, [
    'text',
    'json',
  ]),
  logLevel: wordSetting({ env: 'PLEXUS_LOG_LEVEL', about: 'least level that is logged', fallback: 'info' }, [
    'debug',
    'info',
    'warn',
    'error',
    'silent',
  ]),
};

export type EdgeSettings = Settings<typeof SETTING_TABLE>;
