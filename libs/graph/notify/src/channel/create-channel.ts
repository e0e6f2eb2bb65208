import type { Disk } from '#platform/disk';
import type { Clock } from '#platform/foundation';
import type { ChannelConfig } from '../config/notification-config.ts';
import type { Channel } from './channel.port.ts';
import { EmailChannel } from './email-channel.ts';
import { FileChannel } from './file-channel.ts';
import { SlackChannel, WebhookChannel } from './web-channels.ts';

/** Throws INVALID_CONFIG for an invalid URL in the environment. */
export function createChannel(name: string, config: ChannelConfig, disk: Disk, clock: Clock): Channel {
  if (config.type === 'webhook') return new WebhookChannel(name, config, clock);
  if (config.type === 'slack') return new SlackChannel(name, config);
  return config.type === 'email' ? new EmailChannel(config) : new FileChannel(config, disk);
}
