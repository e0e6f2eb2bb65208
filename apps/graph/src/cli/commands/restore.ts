import type { Command } from 'commander';
import { isMissingFile, NodeDisk } from '#disk';
import { DomainError } from '#foundation';
import { restoreStore } from '#storage';
import type { CommandContext } from '../command-context.ts';

const CHUNK_BYTES = 256 * 1024;

export function addTo(command: Command, context: CommandContext): void {
  command
    .argument('<file|->', 'the backup; - reads standard input')
    .option('--data-dir <path>', 'new or empty directory')
    .action(async (path: string, _flags: unknown, command: Command) => {
      const { dataDir } = context.settingsOf(command);
      const pieces = path === '-' ? (process.stdin as AsyncIterable<Uint8Array>) : piecesOf(path);
      const { files, bytes, seq } = await restoreStore(new NodeDisk(), dataDir, pieces);
      const size = `${String(files)} files, ${String(bytes)} bytes`;
      await context.output.line(`${dataDir}: ${size}, up to batch ${String(seq)}`);
    });
}

async function* piecesOf(path: string): AsyncGenerator<Uint8Array> {
  const file = await new NodeDisk().open(path, 'read').catch((cause: unknown) => {
    if (!isMissingFile(cause)) throw cause;
    throw new DomainError('NOT_FOUND', `no file at ${path}`, { cause });
  });
  try {
    for (let at = 0; ;) {
      const chunk = new Uint8Array(CHUNK_BYTES);
      const count = await file.read(chunk, at);
      if (count === 0) return;
      at += count;
      yield chunk.subarray(0, count);
    }
  } finally {
    await file.close();
  }
}
