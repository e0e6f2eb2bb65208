import type { Command } from 'commander';
import { restoreStore } from '#graph/storage';
import { Progress, progressOption } from '#platform/cli';
import { NodeDisk } from '#platform/disk';
import { countedText } from '#platform/foundation';
import type { CommandContext } from './command-context.ts';
import { openInput } from './input-file.ts';

export function addTo(command: Command, context: CommandContext): void {
  command
    .argument('<file|->', 'backup file; - reads standard input')
    .option('--data-dir <path>', 'data directory to create; new or empty')
    .addOption(progressOption())
    .action(async (path: string, { progress }: { progress?: boolean }, command: Command) => {
      const { dataDir } = context.writingSettingsOf(command);
      const { size: total, chunks } = await openInput(path);
      const shown = new Progress({ label: 'restore', total, isPlain: progress === true });
      const pieces = shown.counting(chunks);
      const { files, bytes, seq } = await restoreStore(new NodeDisk(), dataDir, pieces);
      const size = `${countedText(files, 'file')}, ${countedText(bytes, 'byte')}`;
      await context.output.line(`${dataDir}: ${size}, up to batch ${String(seq)}`);
    });
}
