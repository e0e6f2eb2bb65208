import { describe, expect, it } from '@jest/globals';
import { Cursors, cursorToken } from './cursors.ts';

interface Named {
  readonly pql: string;
  readonly snapshot: { release(): void };
}

function pinned(released: string[], pql: string): Named {
  return { pql, snapshot: { release: () => void released.push(pql) } };
}

describe('Cursors', () => {
  it('let go of the one idle longest when there are too many', () => {
    const released: string[] = [];
    const cursors = new Cursors<Named>({ nowMs: () => 0, monotonicMs: () => 0 }, 2);
    const first = cursors.pin(pinned(released, 'first'));
    cursors.pin(pinned(released, 'second'));
    cursors.find(cursorToken(first, 1));

    cursors.pin(pinned(released, 'third'));

    expect(released).toEqual(['second']);
    expect(cursors.find(cursorToken(first, 7))).toMatchObject({ offset: 7, pin: { pql: 'first' } });
  });

  it('let go of what was idle for a minute, and of all when they are cleared', () => {
    const released: string[] = [];
    let nowMs = 0;
    const cursors = new Cursors<Named>({ nowMs: () => nowMs, monotonicMs: () => nowMs }, 10);
    const idle = cursors.pin(pinned(released, 'idle'));
    nowMs = 30_000;
    cursors.pin(pinned(released, 'younger'));

    nowMs = 60_000;
    cursors.sweep();
    const afterSweep = [...released];
    cursors.clear();

    expect(afterSweep).toEqual(['idle']);
    expect(released).toEqual(['idle', 'younger']);
    expect(() => cursors.find(cursorToken(idle, 1))).toThrow('idle for too long');
  });
});
