import type { Command } from 'commander';
import { commandSettings, type Output } from '#platform/cli';
import { type GraphSettings, SETTING_PREFIX, SETTING_TABLE } from '../settings.ts';

/** The context that every command receives. */
export interface CommandContext {
  readonly output: Output;
  /** Settings from the environment and all flags, the program's own included. Throws INVALID_CONFIG. */
  settingsOf(command: Command): GraphSettings;
}

export function commandContext(output: Output): CommandContext {
  return { output, settingsOf: (command) => commandSettings(command, SETTING_TABLE, SETTING_PREFIX) };
}
