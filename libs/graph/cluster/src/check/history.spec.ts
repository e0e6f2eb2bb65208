import { describe, expect, it } from '@jest/globals';
import { History, type Seen, type Written } from './history.ts';

const wrote = (seq: number, values: Readonly<Record<string, number>>): Written => ({
  seq,
  values: new Map(Object.entries(values)),
});
const saw = (seq: number, values: Readonly<Record<string, number | undefined>>): Seen => ({
  seq,
  values: new Map(Object.entries(values)),
});

/** In any order, as clients receive their answers. */
const WRITES = [wrote(8, { a: 3 }), wrote(3, { a: 1, b: 1 }), wrote(5, { a: 2, b: 2 })];

function violationsOf(...seen: readonly Seen[]): readonly string[] {
  const history = new History();
  for (const write of WRITES) history.wrote(write);
  for (const each of seen) history.saw(each);
  return history.violations();
}

describe('History', () => {
  it('accepts reads that one order of the writes explains', () => {
    const explained = [
      saw(9, { a: 3, b: 2 }),
      saw(2, { a: undefined, b: undefined }),
      saw(3, { a: 1, b: 1 }),
      saw(4, { a: 1, b: 1 }),
      saw(7, { a: 2, b: 2 }),
      saw(8, { a: 3, b: 2 }),
    ];

    expect(violationsOf(...explained)).toEqual([]);
  });

  it.each([
    ['half of a write', saw(5, { a: 2, b: 1 }), ['at 5: expected 2 in b, saw 1']],
    ['a write too late', saw(8, { a: 2, b: 2 }), ['at 8: expected 3 in a, saw 2']],
    ['a write too early', saw(4, { a: 2 }), ['at 4: expected 1 in a, saw 2']],
    ['what nobody wrote', saw(5, { a: 7 }), ['at 5: expected 2 in a, saw 7']],
    ['nothing where something is', saw(3, { b: undefined }), ['at 3: expected 1 in b, saw nothing']],
    ['something before the first write', saw(1, { b: 0 }), ['at 1: expected nothing in b, saw 0']],
  ])('is not explained where a read shows %s', (_, seen, violations) => {
    expect(violationsOf(saw(9, { a: 3 }), seen, saw(3, { a: 1 }))).toEqual(violations);
  });

  it('rejects two writes with one sequence number', () => {
    const history = new History();
    history.wrote(wrote(3, { a: 1 }));
    history.wrote(wrote(3, { b: 1 }));
    history.saw(saw(4, { a: 1, b: 1 }));

    expect(history.violations()).toEqual(['two writes have the number 3']);
  });

  it('is sufficient after 50 writes and 20 distinct states read', () => {
    const history = new History();
    for (let seq = 1; seq <= 50; seq++) {
      expect(history.isEnough).toBe(false);
      history.wrote(wrote(seq, { a: seq }));
    }
    for (let seq = 1; seq <= 20; seq++) {
      expect(history.isEnough).toBe(false);
      history.saw(saw(seq, { a: seq }));
      history.saw(saw(seq, { a: seq }));
    }

    expect([history.isEnough, history.writes, history.reads, history.states]).toEqual([true, 50, 40, 20]);
  });
});
