import type { Command } from 'commander';
import { VERSION } from '#platform/foundation';
import type { CommandContext } from './command-context.ts';

export function addTo(command: Command, { output }: CommandContext): void {
  command.action(() => output.line(VERSION));
}
