import { dirname, join, resolve } from 'node:path';
import { YamlDocument } from '#platform/config';
import { type Disk, DiskError, filesAndLinks, isMissingFile } from '#platform/disk';
import { DomainError } from '#platform/foundation';
import {
  type ChannelConfig,
  type ChannelEnvironment,
  NotificationConfig,
  type NotificationFile,
  notificationShape,
} from './notification-config.ts';

interface ReadFile {
  readonly file: string;
  readonly document: YamlDocument;
  readonly written: NotificationFile;
}

/**
 * Reads a notification file, or all `.yaml` and `.yml` files of a directory as one. Throws INVALID_CONFIG
 * with `file:line:column` for the first error: an unknown key, an unset variable, an unknown or duplicate
 * channel, or a second `retry`.
 */
export async function readNotifications(
  path: string,
  disk: Disk,
  environment: ChannelEnvironment,
): Promise<NotificationConfig> {
  const shape = notificationShape(environment);
  const files: ReadFile[] = [];
  for (const file of await filesAt(path, disk)) {
    const document = YamlDocument.parse(await disk.readText(file), file);
    files.push({ file, document, written: document.read(shape, [], document.value ?? {}) });
  }
  const channels = channelsOf(files);
  for (const read of files) checkReferences(read, channels);
  return new NotificationConfig({
    channels,
    subscriptions: files.flatMap(({ written }) => written.notifications),
    retry: retryOf(files),
  });
}

function channelsOf(files: readonly ReadFile[]): ReadonlyMap<string, ChannelConfig> {
  const channels = new Map<string, ChannelConfig>();
  for (const { file, document, written } of files) {
    for (const [name, channel] of Object.entries(written.channels)) {
      if (channels.has(name))
        throw document.fault(['channels', name], `there is another channel ${name}`, 'key');
      channels.set(name, placed(channel, file));
    }
  }
  return channels;
}

/** Paths are relative to the configuration file. */
function placed(channel: ChannelConfig, file: string): ChannelConfig {
  return channel.type === 'file' ? { ...channel, path: resolve(dirname(file), channel.path) } : channel;
}

function checkReferences({ document, written }: ReadFile, channels: ReadonlyMap<string, unknown>): void {
  for (const [index, { to }] of written.notifications.entries()) {
    const unknown = to.find((name) => !channels.has(name));
    if (unknown === undefined) continue;
    throw document.fault(['notifications', index, 'to'], `there is no channel ${unknown}`);
  }
}

function retryOf(files: readonly ReadFile[]): NotificationConfig['retry'] | undefined {
  const [first, second] = files.filter(({ document }) => hasRetry(document.value));
  if (second !== undefined) throw second.document.fault(['retry'], `${first?.file} has it too`, 'key');
  return first?.written.retry;
}

function hasRetry(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'retry' in value;
}

async function filesAt(path: string, disk: Disk): Promise<readonly string[]> {
  try {
    const names = await filesAndLinks(disk, path);
    return names.filter((name) => /\.ya?ml$/.test(name)).map((name) => join(path, name));
  } catch (error) {
    if (error instanceof DiskError && error.code === 'ENOTDIR') return [path];
    if (!isMissingFile(error)) throw error;
    throw new DomainError('INVALID_CONFIG', `${path}: there is no such file or directory`, { cause: error });
  }
}
