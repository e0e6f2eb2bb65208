import type { Command } from 'commander';
import { commandSettings, type Output, UsageError } from '#platform/cli';
import { readEnvironment } from '#platform/config';
import { type GraphSettings, SETTING_PREFIX, SETTING_TABLE } from '../settings.ts';

/** The context that every command receives. */
export interface CommandContext {
  readonly output: Output;
  /**
   * Settings from the environment and all flags, the program's own included. Throws INVALID_CONFIG, and
   * UsageError for flags that contradict each other.
   */
  settingsOf(command: Command): GraphSettings;
  /** Like `settingsOf`, but throws UsageError if no place to write is given: a default creates no store. */
  writingSettingsOf(command: Command): GraphSettings;
}

/** Flags of this process: a server has its own directories. */
const LOCAL_FLAGS = { dataDir: '--data-dir', connectors: '--connectors', rules: '--rules' } as const;

export function commandContext(output: Output): CommandContext {
  const settingsOf = (command: Command): GraphSettings => {
    const settings = commandSettings(command, SETTING_TABLE, SETTING_PREFIX);
    const local = Object.entries(LOCAL_FLAGS).find(([name]) => isGiven(command, name));
    if (local === undefined) return settings;
    if (isGiven(command, 'url')) {
      throw new UsageError(`expected ${local[1]} or --url, got both: a server has its own`);
    }
    // A variable is a default that the command line overrides.
    return { ...settings, url: '' };
  };
  const writingSettingsOf = (command: Command): GraphSettings => {
    const settings = settingsOf(command);
    const isSaid =
      isGiven(command, 'dataDir') || (readEnvironment()[`${SETTING_PREFIX}DATA_DIR`] ?? '') !== '';
    const takesUrl = command.options.some(({ long }) => long === '--url');
    const flags = takesUrl ? '--data-dir or --url' : '--data-dir';
    if ((settings.url === '' || !takesUrl) && !isSaid)
      throw new UsageError(`expected ${flags}: where to write`);
    return settings;
  };
  return { output, settingsOf, writingSettingsOf };
}

function isGiven(command: Command, name: string): boolean {
  return command.getOptionValueSource(name) === 'cli';
}
