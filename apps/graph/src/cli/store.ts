import type { Command } from 'commander';
import { copyIntoDatabase, copyIntoDirectory, parseStoreAddress, requireSchema } from '#graph/cluster';
import { type Output, UsageError } from '#platform/cli';
import { NodeDisk } from '#platform/disk';
import { systemClock } from '#platform/foundation';
import type { GraphSettings } from '../settings.ts';
import type { CommandContext } from './command-context.ts';
import { addCheck } from './store/check.ts';
import { commandLog } from './target/command-log.ts';
import { requireDirectory } from './target/local-target.ts';

interface CopyFlags {
  readonly from: string;
  readonly to: string;
}

const ADDRESS = /^postgres(?:ql)?:/;
const BAR_CELLS = 30;
const MB = 1_000_000;

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
    .action((flags: CopyFlags, command: Command) => copy(context.output, context.settingsOf(command), flags));
  addCheck(command, context);
}

async function copy(output: Output, settings: GraphSettings, { from, to }: CopyFlags): Promise<void> {
  const isIntoDatabase = ADDRESS.test(to);
  if (isIntoDatabase === ADDRESS.test(from))
    throw new UsageError('expected a data directory and a database: one of --from and --to each');
  const disk = new NodeDisk();
  const parts = {
    address: parseStoreAddress(isIntoDatabase ? to : from, settings.storePassword),
    schema: requireSchema(settings.storeSchema),
    disk,
    clock: systemClock,
    log: commandLog(settings),
    onProgress: progressBar(process.stderr),
  };
  if (isIntoDatabase) await requireDirectory(disk, from);
  const sum = isIntoDatabase ? await copyIntoDatabase(parts, from) : await copyIntoDirectory(parts, to);
  const { records, bytes, crc, wasComplete } = sum;
  const checksum = crc.toString(16).padStart(8, '0');
  await output.line(
    `${String(records)} records, ${String(bytes)} bytes, checksum ${checksum}: the same on both sides` +
      (wasComplete ? '; an earlier copy was complete, and nothing was written' : ''),
  );
}

/** Draws progress where the stream is a terminal; elsewhere it draws nothing. */
function progressBar(stream: NodeJS.WriteStream): (bytes: number, total: number) => void {
  if (!stream.isTTY) return () => undefined;
  return (bytes, total) => {
    const cells = total === 0 ? BAR_CELLS : Math.min(BAR_CELLS, Math.floor((bytes / total) * BAR_CELLS));
    const bar = '█'.repeat(cells) + '░'.repeat(BAR_CELLS - cells);
    const end = bytes >= total ? '\n' : '';
    stream.write(`\r${bar} ${(bytes / MB).toFixed(1)} of ${(total / MB).toFixed(1)} MB${end}`);
  };
}
