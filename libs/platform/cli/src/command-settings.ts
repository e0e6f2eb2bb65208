import type { Command } from 'commander';
import { parseSettings, readEnvironment, type Settings, type SettingTable } from '#platform/config';

/**
 * Settings from the environment and from all flags that are settings, the program's own included; other flags
 * are the command's. Throws INVALID_CONFIG.
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
