import type { Command } from 'commander';
import { restoreStore } from '#graph/storage';
import { NodeDisk } from '#platform/disk';
import type { CommandContext } from './command-context.ts';
import { openInputFile } from './input-file.ts';

export function addTo(command: Command, context: CommandContext): void {
  command
    .argument('<file|->', 'backup file; - reads standard input')
    .option('--data-dir <path>', 'data directory to create; new or empty')
    .action(async (path: string, _flags: unknown, command: Command) => {
      const { dataDir } = context.writingSettingsOf(command);
      const pieces: AsyncIterable<Uint8Array> =
        path === '-' ? process.stdin : (await openInputFile(path)).chunks;
      const { files, bytes, seq } = await restoreStore(new NodeDisk(), dataDir, pieces);
      const size = `${String(files)} files, ${String(bytes)} bytes`;
      await context.output.line(`${dataDir}: ${size}, up to batch ${String(seq)}`);
    });
}
