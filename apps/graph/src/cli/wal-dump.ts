import type { Command } from 'commander';
import { authorOf, describeOperation } from '#graph/engine';
import { type LogFault, type LogOperation, readLog } from '#graph/storage';
import { parseStoreAddress, readSharedLog, requireSchema, type SharedLogBatch } from '#graph/cluster';
import { type Output, UsageError, visibleText } from '#platform/cli';
import { NodeDisk } from '#platform/disk';
import { countedText, DomainError } from '#platform/foundation';
import type { GraphSettings } from '../settings.ts';
import type { CommandContext } from './command-context.ts';
import { requireDirectory } from './target/local-target.ts';

interface Totals {
  batches: number;
  operations: number;
  bytes: number;
}

/** A fault of a directory, with its place. */
type DumpedFault = Pick<LogFault, 'kind' | 'message'> & Partial<LogFault>;

interface DumpFlags {
  readonly verbose?: boolean;
  readonly dataDir?: string;
  readonly store?: string;
}

export function addTo(command: Command, context: CommandContext): void {
  command
    .command('dump')
    .description('print each batch of the log; read-only, also while a server runs')
    .option('--verbose', 'also print each operation')
    .option('--data-dir <path>', 'data directory')
    .option(
      '--store <url>',
      'shared store instead of a data directory: postgres://user@host:port,host:port/database',
    )
    .option('--store-schema <name>', 'schema of the tables of the shared store')
    .action(async (flags: DumpFlags, command: Command) => {
      const settings = context.settingsOf(command);
      if (flags.store !== undefined && flags.dataDir !== undefined)
        throw new UsageError('a shared store has no --data-dir');
      const isShared = settings.store !== undefined && flags.dataDir === undefined;
      const entries = isShared ? sharedLog(settings) : await localLog(settings.dataDir);
      await dump(entries, flags.verbose === true, context.output);
    });
}

async function localLog(dataDir: string): Promise<AsyncIterable<SharedLogBatch | DumpedFault>> {
  const disk = new NodeDisk();
  await requireDirectory(disk, dataDir);
  return readLog(disk, dataDir);
}

function sharedLog(settings: GraphSettings): AsyncIterable<SharedLogBatch | DumpedFault> {
  const address = parseStoreAddress(settings.store?.reveal() ?? '', settings.storePassword);
  return readSharedLog(address, requireSchema(settings.storeSchema));
}

async function dump(
  entries: AsyncIterable<SharedLogBatch | DumpedFault>,
  isVerbose: boolean,
  output: Output,
): Promise<void> {
  const totals = { batches: 0, operations: 0, bytes: 0 };
  let fault: DumpedFault | undefined;
  for await (const entry of entries) {
    if (output.isGone) return;
    if (entry.kind === 'batch') await output.write(batchText(entry, isVerbose, totals));
    else {
      if (entry.kind === 'corrupt') fault = entry;
      await output.line(faultText(entry));
    }
  }
  const { batches, operations, bytes } = totals;
  const sums = [countedText(batches, 'batch', 'batches'), operationCount(operations), byteCount(bytes)];
  await output.line(sums.join(', '));
  if (fault !== undefined)
    throw new DomainError('STORE_CORRUPT', `the log is corrupt in ${fault.file ?? 'the database'}`);
}

function faultText({ kind, file, offset, message }: DumpedFault): string {
  return `${kind}${file === undefined ? '' : ` at ${file}:${String(offset)}`}: ${message}`;
}

function batchText(batch: SharedLogBatch, isVerbose: boolean, totals: Totals): string {
  totals.batches++;
  totals.operations += batch.operationCount;
  totals.bytes += batch.bytes;
  const author = authorOf(batch.operations());
  const by = author === undefined ? '' : `  by ${visibleText(author)}`;
  const sizes = `${operationCount(batch.operationCount)}  ${byteCount(batch.bytes)}`;
  const head = `seq ${String(batch.seq)}  ${sizes}${by}\n`;
  if (!isVerbose) return head;
  return head + [...batch.operations()].flatMap(operationLines).join('');
}

function operationCount(count: number): string {
  return countedText(count, 'operation');
}

function byteCount(count: number): string {
  return countedText(count, 'byte');
}

function operationLines(operation: LogOperation): string[] {
  const { value } = operation;
  const described =
    operation.kind === 'putShared'
      ? operation.keys.map((key) => describeOperation(key, value, false))
      : [describeOperation(operation.key, value, operation.kind === 'delete')];
  return described.map((text) => `  ${visibleText(text)}\n`);
}
