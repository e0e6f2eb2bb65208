import { logSettings, secretSetting } from '#platform/config';

/** The prefix of the program's environment variables. */
export const SETTING_PREFIX = 'PLEXUS_';

/** The settings outside edge.toml. */
export const SETTING_TABLE = {
  hiveKey: secretSetting({
    env: 'PLEXUS_EDGE_KEY',
    about: 'key of this edge, where the hive has a keys file',
  }),
  ...logSettings(SETTING_PREFIX),
};
