import type { Command } from 'commander';
import { createChannel, readNotifications, sendTest } from '#graph/notify';
import { UsageError } from '#platform/cli';
import { readEnvironment } from '#platform/config';
import { NodeDisk } from '#platform/disk';
import { DomainError, systemClock } from '#platform/foundation';
import type { CommandContext } from './command-context.ts';

export function addTo(notify: Command, context: CommandContext): void {
  notify
    .command('test')
    .description('send a test message through a channel immediately')
    .argument('<channel>', 'name of the channel in the notification files')
    .option('--notifications <path>', 'file or directory of notification files')
    .action(async (name: string, _options: unknown, command: Command) => {
      const { notifications: path } = context.settingsOf(command);
      if (path === '') throw new UsageError('expected --notifications <path>, or PLEXUS_NOTIFICATIONS');
      const disk = new NodeDisk();
      const { channels } = await readNotifications(path, disk, readEnvironment());
      const config = channels.get(name);
      if (config === undefined) {
        const known = [...channels.keys()].join(', ');
        throw new DomainError('NOT_FOUND', `there is no channel ${name}; there are: ${known}`);
      }
      const channel = createChannel(name, config, disk, systemClock);
      const { id } = await sendTest(channel, systemClock.nowMs());
      await context.output.line(`${name} has accepted the test message ${id}`);
    });
}
