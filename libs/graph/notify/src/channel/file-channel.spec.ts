import { describe, expect, it } from '@jest/globals';
import { NodeDisk } from '#platform/disk';
import { CrashDisk } from '#testing';
import type { NotificationMessage } from '../outbox/message.ts';
import { FileChannel } from './file-channel.ts';

const PATH = '/var/alerts.ndjson';
const MESSAGE = { id: 'n1', event: 'opened', at: '2026-11-26T12:00:00.000Z' } as NotificationMessage;
const LINE = `${JSON.stringify(MESSAGE)}\n`;

/** The file after a message is sent to one with this text. */
async function sentTo(text: string): Promise<string> {
  const disk = new CrashDisk(1);
  await disk.makeDirectory('/var');
  await disk.writeNew(PATH, new TextEncoder().encode(text));
  await new FileChannel({ type: 'file', path: PATH }, disk).send(MESSAGE);
  return disk.readText(PATH);
}

describe('a file channel', () => {
  it.each([
    ['an empty file', '', LINE],
    ['complete lines', 'one\ntwo\n', `one\ntwo\n${LINE}`],
    ['the beginning of its own line, of a crash', `one\n${LINE.slice(0, 20)}`, `one\n${LINE}`],
    ['nothing but the beginning of its own line', LINE.slice(0, -1), LINE],
    ["an operator's text without a line break", 'notes\nmore notes', `notes\nmore notes\n${LINE}`],
    ["an operator's only line", 'notes', `notes\n${LINE}`],
    ['the beginning of another message', `${LINE}{"id":"n0"`, `${LINE}{"id":"n0"\n${LINE}`],
    ['a long line', 'x'.repeat(100_000), `${'x'.repeat(100_000)}\n${LINE}`],
  ])('adds one line to %s, and keeps everything else', async (_, before, after) => {
    expect(await sentTo(before)).toBe(after);
  });

  it('fails where no directory can be created', async () => {
    const channel = new FileChannel({ type: 'file', path: '/proc/plexus/alerts.ndjson' }, new NodeDisk());

    await expect(channel.send(MESSAGE)).rejects.toThrow('the file was not written: ENOENT');
  });
});
