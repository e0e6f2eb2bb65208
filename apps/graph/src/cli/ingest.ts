import { type Command, Option } from 'commander';
import { Readable } from 'node:stream';
import cliProgress from 'cli-progress';
import type { BulkLoadReply } from '#graph/engine';
import { CommandFailure, EXIT } from '#platform/cli';
import type { CommandContext } from './command-context.ts';
import { openInputFile } from './input-file.ts';
import { openTarget } from './target/open-target.ts';

export function addTo(command: Command, context: CommandContext): void {
  command
    .argument('<file.ndjson|->')
    .option('--url <url>', 'URL of the server to load into')
    .option('--tls-ca <file>', 'CA certificate of the server')
    .option('--data-dir <path>', 'data directory')
    .addOption(
      new Option('--large-integers <how>', 'conversion of integers beyond 2^53 - 1').choices(['string']),
    )
    .action(async (path: string, { largeIntegers }: IngestOptions, command: Command) => {
      const target = await openTarget(context.writingSettingsOf(command), true);
      try {
        const lines = path === '-' ? process.stdin : await openLines(path);
        const reply = await target.ingest(lines, { largeIntegers });
        await context.output.line(summaryOf(reply));
        if (reply.error_count > 0) throw new CommandFailure(EXIT.failed, faultText(reply));
      } finally {
        await target.close();
      }
    });
}

interface IngestOptions {
  readonly largeIntegers?: 'string';
}

async function openLines(path: string): Promise<Readable> {
  const { size, chunks } = await openInputFile(path);
  return Readable.from(withProgress(chunks, size), { objectMode: false });
}

function summaryOf(reply: BulkLoadReply): string {
  const { lines, entities_written, relationships_written, entities_deleted, relationships_deleted } = reply;
  return [
    `${String(lines)} lines: ${String(entities_written)} entities`,
    `and ${String(relationships_written)} relationships written,`,
    `${String(entities_deleted)} and ${String(relationships_deleted)} deleted,`,
    `${String(reply.error_count)} errors`,
  ].join(' ');
}

/** Some lines were rejected; the others are loaded. */
function faultText({ errors, error_count: count }: BulkLoadReply): string {
  const shown = errors.map(({ line, code, message }) => `line ${String(line)}: ${code}: ${message}`);
  const rest = count - errors.length;
  return [...shown, ...(rest > 0 ? [`and ${String(rest)} more`] : [])].join('\n');
}

/** Passes chunks through and shows the progress on a terminal. */
async function* withProgress(chunks: AsyncIterable<Buffer>, bytes: number): AsyncGenerator<Buffer> {
  if (!process.stderr.isTTY) {
    yield* chunks;
    return;
  }
  const bar = new cliProgress.SingleBar(
    { stream: process.stderr, format: '{bar} {percentage}% | {eta_formatted} left', clearOnComplete: true },
    cliProgress.Presets.shades_classic,
  );
  bar.start(bytes, 0);
  try {
    for await (const chunk of chunks) {
      yield chunk;
      bar.increment(chunk.length);
    }
  } finally {
    bar.stop();
  }
}
