import type { Command } from 'commander';
import { parseSettings, readEnvironment } from '#config';
import { type GraphSettings, SETTING_PREFIX, SETTING_TABLE } from '../settings.ts';
import type { Output } from './output.ts';

/** What a command is given. */
export interface CommandContext {
  readonly output: Output;
  /** Settings from the environment and all flags, the program's own included. Throws INVALID_CONFIG. */
  settingsOf(command: Command): GraphSettings;
}

export function commandContext(output: Output): CommandContext {
  return {
    output,
    settingsOf: (command) =>
      parseSettings(SETTING_TABLE, {
        environment: readEnvironment(),
        flags: textFlags(command.optsWithGlobals()),
        prefix: SETTING_PREFIX,
      }),
  };
}

/** Flags that take a value; switches such as `--repair` are the command's own. */
function textFlags(options: Readonly<Record<string, unknown>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(options).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}
