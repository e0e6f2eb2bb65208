import { type Command, Option } from 'commander';
import { Readable } from 'node:stream';
import type { BulkLoadReply } from '#graph/engine';
import { CommandFailure, EXIT, Progress, progressOption } from '#platform/cli';
import { countedText } from '#platform/foundation';
import type { CommandContext } from './command-context.ts';
import { openInput } from './input-file.ts';
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
    .addOption(progressOption())
    .action(async (path: string, { largeIntegers, progress }: IngestOptions, command: Command) => {
      const target = await openTarget(context.writingSettingsOf(command), true);
      try {
        const lines = await openLines(path, progress === true);
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
  readonly progress?: boolean;
}

async function openLines(path: string, isPlain: boolean): Promise<Readable> {
  const { size, chunks } = await openInput(path);
  const progress = new Progress({ label: 'ingest', total: size, isPlain });
  return Readable.from(progress.counting(chunks), { objectMode: false });
}

function summaryOf(reply: BulkLoadReply): string {
  const { lines, entities_written, relationships_written, entities_deleted, relationships_deleted } = reply;
  return [
    `${countedText(lines, 'line')}: ${countedText(entities_written, 'entity', 'entities')}`,
    `and ${countedText(relationships_written, 'relationship')} written,`,
    `${String(entities_deleted)} and ${String(relationships_deleted)} deleted,`,
    countedText(reply.error_count, 'error'),
  ].join(' ');
}

/** Some lines were rejected; the others are loaded. */
function faultText({ errors, error_count: count }: BulkLoadReply): string {
  const shown = errors.map(({ line, code, message }) => `line ${String(line)}: ${code}: ${message}`);
  const rest = count - errors.length;
  return [...shown, ...(rest > 0 ? [`and ${String(rest)} more`] : [])].join('\n');
}
