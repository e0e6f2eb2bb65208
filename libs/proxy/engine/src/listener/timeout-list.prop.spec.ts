import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { TurnedTimers } from '../../test/turned-timers.ts';
import { Deadline, TimeoutList } from './timeout-list.ts';

const DURATION_MS = 100;
const DEADLINES = 4;

type Step =
  | { readonly do: 'start' | 'touch' | 'stop'; readonly which: number }
  | { readonly do: 'turn'; readonly ms: number };

const step = fc.oneof<fc.Arbitrary<Step>[]>(
  fc.record({
    do: fc.constantFrom('start', 'touch', 'stop'),
    which: fc.integer({ min: 0, max: DEADLINES - 1 }),
  }),
  fc.record({ do: fc.constant('turn'), ms: fc.integer({ min: 0, max: 150 }) }),
);

describe('TimeoutList', () => {
  it('expires each deadline exactly at its time, whatever happened before', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 200 }), async (steps) => {
        const timers = new TurnedTimers();
        const list = new TimeoutList(DURATION_MS, timers);
        const ended: [which: number, atMs: number][] = [];
        const expected: [which: number, atMs: number][] = [];
        const due: (number | undefined)[] = [];
        const deadlines = Array.from({ length: DEADLINES }, (_, which) => {
          return new Deadline({ expired: () => ended.push([which, timers.monotonicMs()]) });
        });

        for (const each of steps) {
          if (each.do === 'turn') {
            const endMs = timers.monotonicMs() + each.ms;
            for (const [which, dueMs] of due.entries()) {
              if (dueMs === undefined || dueMs > endMs) continue;
              expected.push([which, dueMs]);
              due[which] = undefined;
            }
            await timers.turn(each.ms);
            continue;
          }
          const { which } = each;
          const isRunning = due[which] !== undefined;
          if (each.do === 'start') deadlines[which]!.start(list);
          else if (each.do === 'touch') deadlines[which]!.touch();
          else deadlines[which]!.stop();
          if (each.do === 'stop') due[which] = undefined;
          else if (each.do === 'start' || isRunning) due[which] = timers.monotonicMs() + DURATION_MS;
        }

        const inOrder = (all: typeof ended): typeof ended =>
          all.toSorted((a, b) => a[1] - b[1] || a[0] - b[0]);
        expect(inOrder(ended)).toEqual(inOrder(expected));
      }),
    );
  });

  it('expires nothing when its duration is 0', async () => {
    const timers = new TurnedTimers();
    let ended = 0;
    new Deadline({ expired: () => (ended += 1) }).start(new TimeoutList(0, timers));

    await timers.turn(1_000_000);

    expect(ended).toBe(0);
    expect(timers.pending).toBe(0);
  });

  it('has one timer for any number of deadlines', async () => {
    const timers = new TurnedTimers();
    const list = new TimeoutList(DURATION_MS, timers);
    for (let count = 0; count < 100; count++) {
      new Deadline({ expired: () => undefined }).start(list);
      await timers.turn(1);
    }

    expect(timers.pending).toBe(1);
  });

  it('allows a deadline to restart while it expires', async () => {
    const timers = new TurnedTimers();
    const list = new TimeoutList(DURATION_MS, timers);
    let ended = 0;
    const deadline: Deadline = new Deadline({
      expired: () => {
        ended += 1;
        deadline.start(list);
      },
    });
    deadline.start(list);

    await timers.turn(10 * DURATION_MS);

    expect(ended).toBe(10);
  });
});
