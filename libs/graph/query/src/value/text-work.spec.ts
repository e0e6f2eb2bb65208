import { describe, expect, it } from '@jest/globals';
import { completed } from '#platform/foundation';
import { STEPS_PER_TURN, type TextMatcher } from './text-matcher.port.ts';
import { TextWork } from './text-work.ts';

/** Yields for each unit of the text; true for a text that begins with y. */
const SLOW: TextMatcher = {
  key: 'slow',
  cost: (units) => units * (STEPS_PER_TURN + 1),
  matches: () => {
    throw new Error('expected a slow text to be matched in steps');
  },
  *steps(text) {
    for (let at = 0; at < text.length; at++) yield;
    return text.startsWith('y');
  },
};

describe('TextWork', () => {
  it('repeats an attempt with the outcomes of its deferred texts', () => {
    const work = new TextWork();
    const answers: boolean[][] = [];

    const result = completed(
      work.settled(function* () {
        yield;
        answers.push(['yes', 'no'].map((text) => work.matches(SLOW, text)));
        return answers.length;
      }),
    );

    expect(answers).toEqual([
      [false, false],
      [true, false],
    ]);
    expect(result).toBe(2);
  });

  it('yields once for each turn that a deferred text takes', () => {
    const work = new TextWork();
    const steps = work.settled(function* () {
      yield;
      return work.matches(SLOW, 'y'.repeat(50));
    });

    let turns = 0;
    while (steps.next().done !== true) turns++;

    expect(turns).toBeGreaterThanOrEqual(50);
  });

  it('aborts an attempt that defers too many texts, and keeps the outcomes', () => {
    const work = new TextWork();
    const texts = Array.from({ length: 3_000 }, (_, number) => `${number % 2 === 0 ? 'y' : 'n'}${number}`);

    const found = completed(
      work.settled(function* () {
        yield;
        return texts.filter((text) => work.matches(SLOW, text)).length;
      }),
    );

    expect(found).toBe(1_500);
  });

  it('passes on the failure of an attempt without deferred texts', () => {
    const work = new TextWork();
    const steps = work.settled(function* () {
      yield;
      throw new RangeError('the failure');
    });

    expect(() => completed(steps)).toThrow('the failure');
  });
});
