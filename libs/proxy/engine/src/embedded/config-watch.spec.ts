import { beforeEach, describe, expect, it } from '@jest/globals';
import { TurnedTimers } from '../../test/turned-timers.ts';
import { ConfigWatch } from './config-watch.ts';

const EVERY_MS = 1_000;

describe('a watch of the configuration', () => {
  let timers: TurnedTimers;
  let content: string;
  let held: string;
  let isTaken: boolean;
  let offered: string[];
  let watch: ConfigWatch;

  beforeEach(() => {
    timers = new TurnedTimers();
    content = held = 'one';
    isTaken = true;
    offered = [];
    watch = new ConfigWatch({
      timers,
      everyMs: EVERY_MS,
      look: async () => content,
      known: () => held,
      onChange: async () => {
        offered.push(content);
        if (isTaken) held = content;
      },
    });
    watch.start();
  });

  it('offers nothing while nothing changes', async () => {
    await timers.turn(10 * EVERY_MS);

    expect(offered).toEqual([]);
  });

  it('offers a change once, when two looks have found it', async () => {
    content = 'two';
    await timers.turn(EVERY_MS);
    expect(offered).toEqual([]);
    await timers.turn(10 * EVERY_MS);

    expect(offered).toEqual(['two']);
  });

  it('leaves a file alone that changes between looks', async () => {
    for (const part of ['t', 'tw', 'two', 'two ', 'two !']) {
      content = part;
      await timers.turn(EVERY_MS);
    }
    expect(offered).toEqual([]);
    await timers.turn(EVERY_MS);

    expect(offered).toEqual(['two !']);
  });

  it('does not offer again what was not taken, and offers what comes after it', async () => {
    isTaken = false;
    content = 'broken';
    await timers.turn(10 * EVERY_MS);
    isTaken = true;
    content = 'two';
    await timers.turn(10 * EVERY_MS);

    expect(offered).toEqual(['broken', 'two']);
  });

  it('is silent when what holds has come by another way', async () => {
    content = held = 'two';
    await timers.turn(10 * EVERY_MS);

    expect(offered).toEqual([]);
  });

  it('ends', async () => {
    watch.stop();
    content = 'two';
    await timers.turn(10 * EVERY_MS);

    expect(offered).toEqual([]);
    expect(timers.pending).toBe(0);
  });
});
