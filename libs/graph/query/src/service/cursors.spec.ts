import { describe, expect, it } from '@jest/globals';
import { Cursors } from './cursors.ts';

interface Named {
  readonly pql: string;
  readonly result: { memory(): number };
  readonly snapshot: { release(): void };
}

const MIB = 2 ** 20;

function pinned(released: string[], pql: string, bytes = 0): Named {
  return { pql, result: { memory: () => bytes }, snapshot: { release: () => void released.push(pql) } };
}

describe('Cursors', () => {
  it('evict the one idle longest when there are too many', () => {
    const released: string[] = [];
    const cursors = new Cursors<Named>(
      { nowMs: () => 0, monotonicMs: () => 0 },
      { pinsMax: 2, bytesMax: MIB },
    );
    const first = cursors.pin(pinned(released, 'first'));
    cursors.pin(pinned(released, 'second'));
    cursors.find(cursors.token(first, 1));

    cursors.pin(pinned(released, 'third'));

    expect(released).toEqual(['second']);
    expect(cursors.find(cursors.token(first, 7))).toMatchObject({ offset: 7, pin: { pql: 'first' } });
  });

  it('release results idle for a minute, and all of them when cleared', () => {
    const released: string[] = [];
    let nowMs = 0;
    const cursors = new Cursors<Named>(
      { nowMs: () => nowMs, monotonicMs: () => nowMs },
      { pinsMax: 10, bytesMax: MIB },
    );
    const idle = cursors.pin(pinned(released, 'idle'));
    nowMs = 30_000;
    cursors.pin(pinned(released, 'younger'));

    nowMs = 60_000;
    cursors.sweep();
    const afterSweep = [...released];
    cursors.clear();

    expect(afterSweep).toEqual(['idle']);
    expect(released).toEqual(['idle', 'younger']);
    expect(() => cursors.find(cursors.token(idle, 1))).toThrow('idle for too long');
  });

  it('evict those idle longest until a new one fits the budget', () => {
    const released: string[] = [];
    const clock = { nowMs: () => 0, monotonicMs: () => 0 };
    const cursors = new Cursors<Named>(clock, { pinsMax: 100, bytesMax: 10 * MIB });
    const first = cursors.pin(pinned(released, 'first', 3 * MIB));
    cursors.pin(pinned(released, 'second', 3 * MIB));
    cursors.pin(pinned(released, 'third', 3 * MIB));
    cursors.find(cursors.token(first, 1));

    cursors.pin(pinned(released, 'fourth', 5 * MIB));

    expect(released).toEqual(['second', 'third']);
    expect(cursors.bytes).toBeLessThanOrEqual(10 * MIB);
  });

  it('keep one that exceeds the whole budget until the next one is added', () => {
    const released: string[] = [];
    const clock = { nowMs: () => 0, monotonicMs: () => 0 };
    const cursors = new Cursors<Named>(clock, { pinsMax: 100, bytesMax: MIB });
    const huge = cursors.pin(pinned(released, 'huge', 50 * MIB));
    const found = cursors.find(cursors.token(huge, 1));

    cursors.pin(pinned(released, 'small'));

    expect(found.pin.pql).toBe('huge');
    expect(released).toEqual(['huge']);
    expect(() => cursors.find(cursors.token(huge, 1))).toThrow(
      expect.objectContaining({ code: 'CURSOR_EXPIRED' }),
    );
  });

  it('contain their node, and report another one; those of earlier releases contain none', () => {
    const clock = { nowMs: () => 0, monotonicMs: () => 0 };
    const [here, there] = ['here', 'there'].map(
      (node) => new Cursors<Named>(clock, { pinsMax: 10, bytesMax: MIB }, node),
    );
    const token = there?.token(there.pin(pinned([], 'query')), 3) ?? '';
    const faultOf = (cursor: string): unknown => {
      try {
        return here?.find(cursor);
      } catch (error) {
        return error;
      }
    };

    expect(there?.find(token)).toMatchObject({ offset: 3 });
    expect(faultOf(token)).toMatchObject({ code: 'CURSOR_EXPIRED', details: { node: 'there' } });
    expect(faultOf(token.slice('there.'.length))).toMatchObject({
      code: 'CURSOR_EXPIRED',
      details: undefined,
    });
    expect(faultOf('there.x')).toMatchObject({ code: 'INVALID_REQUEST' });
  });
});
