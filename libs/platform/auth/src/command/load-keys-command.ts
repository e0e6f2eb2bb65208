import type { Command } from 'commander';
import { Output } from '#platform/cli';
import { readEnvironment } from '#platform/config';
import type { KeysCommandParts } from './keys-command.ts';

/** The command `keys` of a program, with its environment and output; the code is loaded on demand. */
export async function loadKeysCommand(
  own: Pick<KeysCommandParts, 'model' | 'variable'>,
): Promise<{ addTo(command: Command): void }> {
  const { addKeysTo } = await import('./keys-command.ts');
  const parts = { ...own, environment: readEnvironment(), output: new Output(process.stdout) };
  return { addTo: (command) => addKeysTo(command, parts) };
}
