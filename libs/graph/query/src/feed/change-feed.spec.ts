import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Graph } from '#graph/engine';
import { systemClock } from '#platform/foundation';
import { CrashDisk } from '#testing';
import { createQueryEngine } from '../service/query-service.ts';
import { ChangeFeed } from './change-feed.ts';

/** More than one reader may open. */
const MANY = 20;

describe('ChangeFeed', () => {
  let graph: Graph;
  let feed: ChangeFeed;

  beforeEach(async () => {
    graph = await Graph.open({ directory: '/data', disk: new CrashDisk(1), historyMs: 3_600_000 });
    feed = new ChangeFeed(graph, createQueryEngine(systemClock));
  });
  afterEach(() => graph.close());

  const open = (signal: AbortSignal, from?: string): Promise<unknown> =>
    feed.open({ from, classes: undefined, query: undefined, follows: true, reader: 'cmdb', signal });

  it.each([
    ['before it begins', (signals: AbortController) => signals.abort(), undefined],
    ['while its place is looked for', () => undefined, undefined],
    ['and whose place is none', () => undefined, 'nowhere'],
  ])('counts a reader no more that leaves %s', async (_when, before, from) => {
    for (let at = 0; at < MANY; at++) {
      const reader = new AbortController();
      before(reader);
      const opening = open(reader.signal, from).catch(() => undefined);
      reader.abort();
      await opening;
    }

    expect(await open(new AbortController().signal)).toBeDefined();
  });

  it('admits no more streams of one reader than documented, until one of them is left', async () => {
    const first = new AbortController();
    await open(first.signal);
    for (let at = 1; at < 16; at++) await open(new AbortController().signal);
    const refused = open(new AbortController().signal);

    await expect(refused).rejects.toMatchObject({ code: 'TOO_BUSY' });
    first.abort();
    expect(await open(new AbortController().signal)).toBeDefined();
  });
});
