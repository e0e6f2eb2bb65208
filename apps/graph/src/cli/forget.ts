import type { Command } from 'commander';
import type { Forgotten } from '#graph/engine';
import { UsageError } from '#platform/cli';
import type { CommandContext } from './command-context.ts';
import { HttpTarget } from './target/http-target.ts';

export function addTo(command: Command, context: CommandContext): void {
  command
    .argument('<entity>', 'id of the entity: 32 hex digits')
    .option('--url <url>', 'URL of a running server')
    .option('--tls-ca <file>', 'CA certificate of the server')
    .action(async (id: string, _flags: unknown, command: Command) => {
      const settings = context.settingsOf(command);
      if (settings.url === '') throw new UsageError('expected --url of a running server');
      const path = `/v1/entities/${encodeURIComponent(id)}/forget`;
      const reply = await new HttpTarget(settings).post<Forgotten>(path, {});
      for (const line of reportOf(reply)) await context.output.line(line);
    });
}

function reportOf(reply: Forgotten): readonly string[] {
  const { id, forgotten_at: at, files_left: files, naming, naming_more: more } = reply;
  return [
    `${id} was forgotten at ${at}:`,
    `  entities deleted now: ${String(reply.entities_deleted)}, relationships: ${String(reply.relationships_deleted)}`,
    `  former records removed from the history: ${String(reply.history_records)}`,
    `  findings, messages, replies and sessions changed or removed: ${String(reply.documents_changed)}`,
    ...files.map(
      (file) => `  left in the data directory, to be removed by hand or with the running backup: ${file}`,
    ),
    ...(naming === null
      ? ['  not looked for again in what people wrote: its names are known no more']
      : naming.map(({ kind, id, until }) => `  named by the ${kind} ${id}, ${untilText(until)}`)),
    ...(more > 0 ? [`  and named by ${String(more)} more`] : []),
    'Not reached: backups, exports, logs, other systems. See docs/history.md#forgetting.',
  ];
}

function untilText(until: string | null): string {
  return until === null ? 'until it is changed by hand; then forget again' : `until ${until}`;
}
