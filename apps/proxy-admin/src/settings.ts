import { logSettings } from '#platform/config';

/** Every variable of the program begins so. */
export const SETTING_PREFIX = 'PLEXUS_';

/** What is no part of a configuration file. */
export const SETTING_TABLE = { ...logSettings(SETTING_PREFIX) };
