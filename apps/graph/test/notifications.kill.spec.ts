/**
 * The built server is killed with SIGKILL while evaluations change findings and a receiver fails part of the
 * time. Every finding opened by an acknowledged evaluation must be delivered, after the next start if
 * necessary.
 */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { effort } from '#testing';
import { type RunningServer, startServer } from './support/built-program.ts';
import { Receiver } from './support/receiver.ts';

const ROUNDS = Number(process.env['KILL_ROUNDS'] ?? effort(5, 2));
const JSON_TYPE = { 'Content-Type': 'application/json' };

async function post({ url }: RunningServer, path: string, body: object): Promise<void> {
  const reply = await fetch(url + path, { method: 'POST', headers: JSON_TYPE, body: JSON.stringify(body) });
  if (!reply.ok) throw new Error(`refused with ${reply.status}: ${await reply.text()}`);
  await reply.text();
}

describe('notifications of a killed server', () => {
  let directory: string;
  let receiver: Receiver;

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'plexus-notify-kill-'));
    receiver = await Receiver.start();
  });
  afterEach(async () => {
    await receiver.stop();
    await rm(directory, { recursive: true, force: true });
  });

  it(`report each finding at least once, over ${ROUNDS} rounds`, async () => {
    const file = join(directory, 'notifications.yaml');
    await writeFile(
      file,
      `channels: { ops: { type: webhook, url: "${receiver.url}", allow_private: [127.0.0.1] } }
notifications: [{ on: opened, to: ops }]
retry: { first: 1ms, longest: 20ms }\n`,
    );
    const start = (): Promise<RunningServer> =>
      startServer(['--data-dir', join(directory, 'data'), '--notifications', file]);
    // Two of three attempts fail in different ways.
    receiver.answer = (reply, _, nth) => {
      if (nth % 3 === 0) reply.end();
      else if (nth % 3 === 1) reply.writeHead(503).end();
      else reply.destroy();
    };
    const acknowledged = new Set<string>();
    let server = await start();
    await post(server, '/v1/policies', { rules: [{ id: 'hosts', query: 'FIND host' }] });
    for (let round = 0; round < ROUNDS; round++) {
      let killed: Promise<unknown> = Promise.resolve();
      for (let at = 0; at < 12; at++) {
        const key = `h${round}-${at}`;
        try {
          await post(server, '/v1/ingest/write', { entities: [{ type: 'host', key }] });
          await post(server, '/v1/policies/evaluate', {});
          acknowledged.add(`host ${key}`);
        } catch (error) {
          if ((error as Error).name !== 'TypeError') throw error;
          break;
        }
        // During the following evaluations.
        if (at === 6) killed = server.end('SIGKILL');
      }
      await killed;
      server = await start();
    }
    const told = (): ReadonlySet<string> =>
      new Set(
        receiver.story.entries.flatMap(({ message }) => message.findings.map((one) => String(one['label']))),
      );
    await receiver.story.until(() => [...acknowledged].every((label) => told().has(label)));
    await server.end('SIGTERM');

    expect(acknowledged.size).toBeGreaterThanOrEqual(ROUNDS * 7);
    expect([...acknowledged].filter((label) => !told().has(label))).toEqual([]);
  });
});
