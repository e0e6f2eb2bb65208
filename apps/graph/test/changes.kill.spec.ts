/**
 * The change feed of the built program, which is killed under writers while readers follow it: a reader that
 * goes on behind its last event has each change once, in order. `KILL_ROUNDS=100` runs a long set.
 */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { effort } from '#testing';
import { type RunningServer, startServer } from './support/built-program.ts';
import { serverEvents } from './support/server-events.ts';

const ROUNDS = Number(process.env['KILL_ROUNDS'] ?? effort(3, 1));
const WRITERS = 6;
const READERS = 2;
const WRITES_MIN = 40;
/** A reader is left now and then, and goes on later. */
const READ_AT_ONCE = 25;
const TIMEOUT_MS = 60_000;

interface Change {
  readonly id: string;
  readonly seq: number;
  readonly change: string;
  readonly entity: { readonly key: string; readonly properties: { readonly n: number } };
}

/** What a client keeps: the changes it has seen, and where it goes on. */
class Reader {
  readonly seen: Change[] = [];
  #next = '0';

  /** Follows until the server is gone. */
  async follow({ url }: RunningServer, isGone: () => boolean): Promise<void> {
    while (!isGone()) {
      try {
        let read = 0;
        for await (const { event, id, data } of serverEvents(`${url}/v1/changes?from=${this.#next}`)) {
          if (event === 'change') this.seen.push(JSON.parse(data ?? '') as Change);
          if (id !== undefined) this.#next = id;
          if (++read > READ_AT_ONCE) break;
        }
      } catch (error) {
        if (!isGone() && (error as Error).name !== 'TypeError') throw error;
      }
    }
  }

  /** What there is after the last event. */
  async drain({ url }: RunningServer): Promise<void> {
    const reply = await fetch(`${url}/v1/changes?from=${this.#next}`);
    for (const line of (await reply.text()).trim().split('\n')) {
      const item = JSON.parse(line) as Partial<Change>;
      if (item.change !== undefined) this.seen.push(item as Change);
    }
  }
}

/** Writes a record of its own until the server is gone, and notes each number that was acknowledged. */
async function write({ url }: RunningServer, key: string, done: (n: number) => void): Promise<void> {
  for (let n = 0; ; n++) {
    const entities = [{ type: 'host', key, class: 'Host', properties: { n } }];
    const headers = { 'Content-Type': 'application/json' };
    try {
      const body = JSON.stringify({ entities, relationships: [] });
      const reply = await fetch(`${url}/v1/ingest/write`, { method: 'POST', headers, body });
      if (reply.status !== 200) throw new Error(`refused with ${reply.status}`);
      done(n);
    } catch (error) {
      if ((error as Error).name === 'TypeError') return;
      throw error;
    }
  }
}

describe('the change feed under SIGKILL', () => {
  let directory: string;

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'plexus-changes-kill-'));
  });
  afterEach(() => rm(directory, { recursive: true, force: true }));

  it(
    'has each change once and in order for readers that go on behind their last event',
    async () => {
      const readers = Array.from({ length: READERS }, () => new Reader());
      const acknowledged = new Set<string>();
      for (let round = 0; round < ROUNDS; round++) {
        const server = await startServer(['--data-dir', join(directory, 'data')]);
        let isGone = false;
        const following = readers.map((reader) => reader.follow(server, () => isGone));
        const wanted = acknowledged.size + WRITES_MIN;
        const seenBefore = readers.map(({ seen }) => seen.length);
        const haveRead = () => readers.every(({ seen }, at) => seen.length > (seenBefore[at] ?? 0));
        const enough = Promise.withResolvers<undefined>();
        const writers = Array.from({ length: WRITERS }, (_, at) =>
          write(server, `${round}-${at}`, (n) => {
            acknowledged.add(`${round}-${at} ${n}`);
            if (acknowledged.size >= wanted && haveRead()) enough.resolve(undefined);
          }),
        );
        await enough.promise;
        isGone = true;
        await server.end('SIGKILL');
        await Promise.all([...writers, ...following]);
      }
      const server = await startServer(['--data-dir', join(directory, 'data')]);
      const late = new Reader();
      for (const reader of [late, ...readers]) await reader.drain(server);
      await server.end('SIGTERM');

      const ids = late.seen.map(({ id }) => id);
      const states = new Set(late.seen.map(({ entity: { key, properties } }) => `${key} ${properties.n}`));
      const seqs = late.seen.map(({ seq }) => seq);
      expect(new Set(ids).size).toBe(ids.length);
      expect(seqs).toEqual(seqs.toSorted((a, b) => a - b));
      expect([...acknowledged].filter((state) => !states.has(state))).toEqual([]);
      for (const reader of readers) expect(reader.seen).toEqual(late.seen);
    },
    (ROUNDS + 1) * TIMEOUT_MS,
  );
});
