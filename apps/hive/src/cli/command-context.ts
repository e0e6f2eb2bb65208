import type { Command } from 'commander';
import { parseSettings, readEnvironment } from '#config';
import { type HiveSettings, SETTING_PREFIX, SETTING_TABLE } from '../settings.ts';

/** Settings from the environment and all flags, the program's own included. Throws INVALID_CONFIG. */
export function settingsOf(command: Command): HiveSettings {
  return parseSettings(SETTING_TABLE, {
    environment: readEnvironment(),
    flags: textFlags(command.optsWithGlobals()),
    prefix: SETTING_PREFIX,
  });
}

/** Flags that take a value and are settings; others are the command's own. */
function textFlags(options: Readonly<Record<string, unknown>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(options).filter(
      (entry): entry is [string, string] => typeof entry[1] === 'string' && entry[0] in SETTING_TABLE,
    ),
  );
}
