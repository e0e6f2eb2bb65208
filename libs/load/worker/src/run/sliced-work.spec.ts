import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { type SlicedTask, SlicedWork } from './sliced-work.ts';

describe('SlicedWork', () => {
  let work: SlicedWork;
  let done: string[];
  let nowMs: number;

  beforeEach(() => {
    work = new SlicedWork();
    done = [];
    nowMs = 0;
    jest.useFakeTimers({ doNotFake: ['performance'] });
    jest.spyOn(performance, 'now').mockImplementation(() => nowMs);
  });
  afterEach(() => {
    jest.useRealTimers();
    jest.restoreAllMocks();
  });

  /** Each part takes so long. */
  const task = (name: string, length: number, msAPart: number): SlicedTask => ({
    length,
    run: (from, to) => {
      done.push(`${name} ${from}-${to}`);
      nowMs += (to - from) * msAPart;
    },
  });

  it('completes a short task at once', () => {
    work.add(task('block', 70, 0));

    expect(done).toEqual(['block 0-32', 'block 32-64', 'block 64-70']);
  });

  it('calls a task without parts once', () => {
    work.add(task('replaced', 0, 0));

    expect(done).toEqual(['replaced 0-0']);
  });

  it('yields after 2 ms, and continues in later turns of the event loop', () => {
    work.add(task('block', 96, 0.1));
    const atFirst = [...done];
    jest.runAllTimers();

    expect(atFirst).toEqual(['block 0-32']);
    expect(done).toEqual(['block 0-32', 'block 32-64', 'block 64-96']);
  });

  it('keeps the order of tasks', () => {
    work.add(task('first', 40, 0.1));
    work.add(task('second', 1, 0.1));
    jest.runAllTimers();

    expect(done).toEqual(['first 0-32', 'first 32-40', 'second 0-1']);
  });

  it('completes all waiting tasks at once on finish()', () => {
    work.add(task('first', 96, 0.1));
    work.add(task('second', 33, 0.1));
    work.finish();
    const atOnce = [...done];
    jest.runAllTimers();

    expect(atOnce).toEqual(['first 0-32', 'first 32-64', 'first 64-96', 'second 0-32', 'second 32-33']);
    expect(done).toEqual(atOnce);
  });
});
