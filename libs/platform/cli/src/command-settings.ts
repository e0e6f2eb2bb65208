import type { Command } from 'commander';
import { parseSettings, readEnvironment, type Settings, type SettingTable } from '#platform/config';

/**
 * Settings from the environment and from all flags that are settings, including the program's own; other
 * flags belong to the command. Throws INVALID_CONFIG.
 */
export function commandSettings<Table extends SettingTable>(
  command: Command,
  table: Table,
  prefix: string,
): Settings<Table> {
  const flags = Object.entries(command.optsWithGlobals()).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string' && entry[0] in table,
  );
  return parseSettings(table, { environment: readEnvironment(), flags: Object.fromEntries(flags), prefix });
}
