import { logSettings } from '#platform/config';

/** The prefix of the program's environment variables. */
export const SETTING_PREFIX = 'PLEXUS_';

/** The settings outside edge.toml. */
export const SETTING_TABLE = { ...logSettings(SETTING_PREFIX) };
