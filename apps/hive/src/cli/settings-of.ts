import type { Command } from 'commander';
import { commandSettings } from '#platform/cli';
import { type HiveAppSettings, SETTING_PREFIX, SETTING_TABLE } from '../settings.ts';

/** Throws INVALID_CONFIG. */
export function settingsOf(command: Command): HiveAppSettings {
  return commandSettings(command, SETTING_TABLE, SETTING_PREFIX);
}
