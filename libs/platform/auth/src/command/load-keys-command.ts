import type { Command } from 'commander';
import type { KeysCommandParts } from './keys-command.ts';

/** The command `keys` of a program, whose code is loaded on demand. */
export async function loadKeysCommand(parts: KeysCommandParts): Promise<{ addTo(command: Command): void }> {
  const { addKeysTo } = await import('./keys-command.ts');
  return { addTo: (command) => addKeysTo(command, parts) };
}
