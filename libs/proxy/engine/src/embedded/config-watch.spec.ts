import { beforeEach, describe, expect, it } from '@jest/globals';
import { TurnedTimers } from '../../test/turned-timers.ts';
import { ConfigWatch } from './config-watch.ts';

const EVERY_MS = 1_000;

describe('ConfigWatch', () => {
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

  it('reports nothing without changes', async () => {
    await timers.turn(10 * EVERY_MS);

    expect(offered).toEqual([]);
  });

  it('reports a change once, after two equal readings', async () => {
    content = 'two';
    await timers.turn(EVERY_MS);
    expect(offered).toEqual([]);
    await timers.turn(10 * EVERY_MS);

    expect(offered).toEqual(['two']);
  });

  it('ignores a file that changes between readings', async () => {
    for (const part of ['t', 'tw', 'two', 'two ', 'two !']) {
      content = part;
      await timers.turn(EVERY_MS);
    }
    expect(offered).toEqual([]);
    await timers.turn(EVERY_MS);

    expect(offered).toEqual(['two !']);
  });

  it('does not report a rejected change again, and reports the next one', async () => {
    isTaken = false;
    content = 'broken';
    await timers.turn(10 * EVERY_MS);
    isTaken = true;
    content = 'two';
    await timers.turn(10 * EVERY_MS);

    expect(offered).toEqual(['broken', 'two']);
  });

  it('is silent when the active configuration was changed in another way', async () => {
    content = held = 'two';
    await timers.turn(10 * EVERY_MS);

    expect(offered).toEqual([]);
  });

  it('stops', async () => {
    watch.stop();
    content = 'two';
    await timers.turn(10 * EVERY_MS);

    expect(offered).toEqual([]);
    expect(timers.pending).toBe(0);
  });
});
