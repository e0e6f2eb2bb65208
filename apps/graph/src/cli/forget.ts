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
  const { id, forgotten_at: at, files_left: files } = reply;
  return [
    `${id} was forgotten at ${at}:`,
    `  entities deleted now: ${String(reply.entities_deleted)}, relationships: ${String(reply.relationships_deleted)}`,
    `  former records removed from the history: ${String(reply.history_records)}`,
    ...files.map(
      (file) => `  left in the data directory, to be removed by hand or with the running backup: ${file}`,
    ),
    'Not reached: findings, saved documents, stored replies, backups, other systems. See docs/history.md#forgetting.',
  ];
}
