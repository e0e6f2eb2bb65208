import type { Command } from 'commander';
import { Output } from '#platform/cli';
import { readEnvironment } from '#platform/config';

/** The command `audit` of a program, with its environment and output; the code is loaded on demand. */
export async function loadAuditCommand(variable: string): Promise<{ addTo(command: Command): void }> {
  const { addAuditTo } = await import('./audit-command.ts');
  const parts = { variable, environment: readEnvironment(), output: new Output(process.stdout) };
  return { addTo: (command) => addAuditTo(command, parts) };
}
