import type { Command } from 'commander';
import { checkedBackup } from '#graph/storage';
import { type Output, Progress, progressOption, UsageError } from '#platform/cli';
import { DomainError } from '#platform/foundation';
import type { GraphSettings } from '../settings.ts';
import type { CommandContext } from './command-context.ts';
import { writeNewFile } from './new-file.ts';
import { HttpTarget } from './target/http-target.ts';

interface BackupFlags {
  readonly dataDir?: string;
  readonly progress?: boolean;
}

export function addTo(command: Command, context: CommandContext): void {
  command
    .argument('<target>', 'with --url: a new file, or - for standard output; else a new or empty directory')
    .option('--url <url>', 'URL of the server to copy from')
    .option('--tls-ca <file>', 'CA certificate of the server')
    .option('--data-dir <path>', 'data directory to copy from')
    .addOption(progressOption())
    .action(async (target: string, flags: BackupFlags, command: Command) => {
      const settings = context.settingsOf(command);
      const isOfServer = settings.url !== '' && flags.dataDir === undefined;
      if (!isOfServer && target === '-')
        throw new UsageError('expected --url beside -: a directory is no stream');
      const progress = new Progress({ label: 'backup', isPlain: flags.progress === true });
      if (!isOfServer) await copyDirectory(settings, target, progress);
      else if (target === '-') return writeTo(context.output, progress.counting(piecesOf(settings)));
      else await writeNewFile(target, progress.counting(piecesOf(settings)));
      await context.output.line(target);
    });
}

async function copyDirectory(settings: GraphSettings, directory: string, progress: Progress): Promise<void> {
  const [{ commandLog }, { LocalTarget }] = await Promise.all([
    import('./target/command-log.ts'),
    import('./target/local-target.ts'),
  ]);
  const local = await LocalTarget.open(settings, commandLog(settings));
  try {
    await local.backup(directory, (bytes) => progress.set(bytes));
  } finally {
    progress.end();
    await local.close();
  }
}

/** Checked while it arrives: a truncated backup fails the command. */
function piecesOf(settings: GraphSettings): AsyncGenerator<Uint8Array> {
  return checkedBackup(new HttpTarget(settings).backup());
}

async function writeTo(output: Output, pieces: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const piece of pieces) {
    await output.write(piece);
    if (output.isGone) throw new DomainError('CONFLICT', 'the reader of the backup has gone');
  }
}
