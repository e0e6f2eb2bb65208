import type { Command } from 'commander';
import { copyIntoDatabase, copyIntoDirectory, parseStoreAddress, requireSchema } from '#graph/cluster';
import { continueHistory } from '#graph/engine';
import { type Output, Progress, progressOption, UsageError } from '#platform/cli';
import { NodeDisk } from '#platform/disk';
import { countedText, systemClock } from '#platform/foundation';
import type { GraphSettings } from '../settings.ts';
import type { CommandContext } from './command-context.ts';
import { addCheck } from './store/check.ts';
import { commandLog } from './target/command-log.ts';
import { requireDirectory } from './target/local-target.ts';

interface CopyFlags {
  readonly from: string;
  readonly to: string;
  readonly progress?: boolean;
}

const ADDRESS = /^postgres(?:ql)?:/;

export function addTo(command: Command, context: CommandContext): void {
  command
    .command('copy')
    .description('copy a store between a data directory and a database, which must not be written meanwhile')
    .requiredOption('--from <path|url>', 'data directory, or postgres://user@host:port/database')
    .requiredOption(
      '--to <path|url>',
      'target in the same form: a new or empty directory, or a schema without a store',
    )
    .option('--store-schema <name>', 'schema of the tables')
    .addOption(progressOption())
    .action((flags: CopyFlags, command: Command) => copy(context.output, context.settingsOf(command), flags));
  addCheck(command, context);
}

async function copy(output: Output, settings: GraphSettings, flags: CopyFlags): Promise<void> {
  const { from, to } = flags;
  const isIntoDatabase = ADDRESS.test(to);
  if (isIntoDatabase === ADDRESS.test(from))
    throw new UsageError('expected a data directory and a database: one of --from and --to each');
  const disk = new NodeDisk();
  const progress = copyProgress(flags.progress === true);
  const parts = {
    address: parseStoreAddress(isIntoDatabase ? to : from, settings.storePassword),
    schema: requireSchema(settings.storeSchema),
    disk,
    clock: systemClock,
    log: commandLog(settings),
    onProgress: progress.onBytes,
  };
  if (isIntoDatabase) await requireDirectory(disk, from);
  const copying = isIntoDatabase
    ? copyIntoDatabase({ ...parts, goOn: continueHistory }, from)
    : copyIntoDirectory(parts, to);
  const sum = await copying.finally(progress.end);
  const { records, bytes, crc, wasComplete } = sum;
  const checksum = crc.toString(16).padStart(8, '0');
  await output.line(
    `${countedText(records, 'record')}, ${countedText(bytes, 'byte')}, checksum ${checksum}: the same on both sides` +
      (wasComplete ? '; an earlier copy was complete, and nothing was written' : ''),
  );
}

/** Begins with the first bytes: only then the total is known. */
function copyProgress(isPlain: boolean): {
  readonly onBytes: (bytes: number, total: number) => void;
  readonly end: () => void;
} {
  let shown: Progress | undefined;
  return {
    onBytes: (bytes, total) => {
      shown ??= new Progress({ label: 'copy', total, isPlain });
      shown.set(bytes);
    },
    end: () => shown?.end(),
  };
}
