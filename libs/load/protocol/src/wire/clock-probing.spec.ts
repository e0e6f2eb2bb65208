import { describe, expect, it } from '@jest/globals';
import { ClockProbing } from './clock-probing.ts';

const AHEAD_US = 7_000_000;

describe('clock probing', () => {
  it('takes an answer that comes after the next question', () => {
    let nowUs = 1_000_000;
    const probing = new ClockProbing(() => nowUs);
    const first = probing.ask();
    nowUs += 100_000;
    probing.ask();
    nowUs += 100_000;

    const offset = probing.accept({ ...first, t1Us: 1_100_000 + AHEAD_US, t2Us: 1_100_000 + AHEAD_US });

    expect(offset?.offsetUs).toBe(AHEAD_US);
  });

  it('takes each answer once, and none that was never asked for', () => {
    let nowUs = 1_000_000;
    const probing = new ClockProbing(() => nowUs);
    const asked = probing.ask();
    nowUs += 1_000;
    const answer = { ...asked, t1Us: nowUs, t2Us: nowUs };

    expect(probing.accept(answer)).toBeDefined();
    expect(probing.accept(answer)).toBeUndefined();
    expect(probing.accept({ ...answer, id: asked.id + 1 })).toBeUndefined();
  });

  it('forgets the oldest of very many open questions', () => {
    const probing = new ClockProbing(() => 1_000_000);
    const first = probing.ask();
    const others = Array.from({ length: 16 }, () => probing.ask());

    expect(probing.accept({ ...first, t1Us: 1_000_000, t2Us: 1_000_000 })).toBeUndefined();
    expect(probing.accept({ ...others[0]!, t1Us: 1_000_000, t2Us: 1_000_000 })).toBeDefined();
  });
});
