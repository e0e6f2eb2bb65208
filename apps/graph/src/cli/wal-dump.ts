import type { Command } from 'commander';
import { describeOperation } from '#graph/engine';
import { type LogBatch, type LogEntry, type LogFault, type LogOperation, readLog } from '#graph/storage';
import type { Output } from '#platform/cli';
import { NodeDisk } from '#platform/disk';
import { DomainError } from '#platform/foundation';
import type { CommandContext } from './command-context.ts';
import { requireDirectory } from './target/local-target.ts';

interface Totals {
  batches: number;
  operations: number;
  bytes: number;
}

export function addTo(command: Command, context: CommandContext): void {
  command
    .command('dump')
    .description('each batch of the log; only reads, and works beside a running server')
    .option('--verbose', 'a line for each operation too')
    .option('--data-dir <path>', 'data directory')
    .action(async (flags: { readonly verbose?: boolean }, command: Command) => {
      const { dataDir } = context.settingsOf(command);
      const disk = new NodeDisk();
      await requireDirectory(disk, dataDir);
      await dump(readLog(disk, dataDir), flags.verbose === true, context.output);
    });
}

async function dump(entries: AsyncIterable<LogEntry>, isVerbose: boolean, output: Output): Promise<void> {
  const totals = { batches: 0, operations: 0, bytes: 0 };
  let fault: LogFault | undefined;
  for await (const entry of entries) {
    if (output.isGone) return;
    if (entry.kind === 'batch') await output.write(batchText(entry, isVerbose, totals));
    else {
      if (entry.kind === 'corrupt') fault = entry;
      await output.line(`${entry.kind} at ${entry.file}:${String(entry.offset)}: ${entry.message}`);
    }
  }
  const { batches, operations, bytes } = totals;
  const sums = [counted(batches, 'batch', 'batches'), operationCount(operations), byteCount(bytes)];
  await output.line(sums.join(', '));
  if (fault !== undefined) throw new DomainError('STORE_CORRUPT', `the log is corrupt in ${fault.file}`);
}

function batchText(batch: LogBatch, isVerbose: boolean, totals: Totals): string {
  totals.batches++;
  totals.operations += batch.operationCount;
  totals.bytes += batch.bytes;
  const head = `seq ${String(batch.seq)}  ${operationCount(batch.operationCount)}  ${byteCount(batch.bytes)}\n`;
  if (!isVerbose) return head;
  return head + [...batch.operations()].flatMap(operationLines).join('');
}

function counted(count: number, one: string, many: string): string {
  return `${String(count)} ${count === 1 ? one : many}`;
}

function operationCount(count: number): string {
  return counted(count, 'operation', 'operations');
}

function byteCount(count: number): string {
  return counted(count, 'byte', 'bytes');
}

function operationLines(operation: LogOperation): string[] {
  if (operation.kind === 'putShared') {
    return operation.keys.map((key) => `  ${describeOperation(key, operation.value, false)}\n`);
  }
  return [`  ${describeOperation(operation.key, operation.value, operation.kind === 'delete')}\n`];
}
