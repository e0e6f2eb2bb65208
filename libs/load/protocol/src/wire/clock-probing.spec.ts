import { describe, expect, it } from '@jest/globals';
import { ClockProbing } from './clock-probing.ts';

const AHEAD_US = 7_000_000;

describe('ClockProbing', () => {
  it('accepts an answer that arrives after the next question', () => {
    let nowUs = 1_000_000;
    const probing = new ClockProbing(() => nowUs);
    const first = probing.ask();
    nowUs += 100_000;
    probing.ask();
    nowUs += 100_000;

    const offset = probing.accept({ ...first, t1Us: 1_100_000 + AHEAD_US, t2Us: 1_100_000 + AHEAD_US });

    expect(offset?.offsetUs).toBe(AHEAD_US);
  });

  it('accepts each answer once, and ignores unsolicited answers', () => {
    let nowUs = 1_000_000;
    const probing = new ClockProbing(() => nowUs);
    const asked = probing.ask();
    nowUs += 1_000;
    const answer = { ...asked, t1Us: nowUs, t2Us: nowUs };

    expect(probing.accept(answer)).toBeDefined();
    expect(probing.accept(answer)).toBeUndefined();
    expect(probing.accept({ ...answer, id: asked.id + 1 })).toBeUndefined();
  });

  it('discards the oldest open questions above a limit', () => {
    const probing = new ClockProbing(() => 1_000_000);
    const first = probing.ask();
    const others = Array.from({ length: 16 }, () => probing.ask());

    expect(probing.accept({ ...first, t1Us: 1_000_000, t2Us: 1_000_000 })).toBeUndefined();
    expect(probing.accept({ ...others[0]!, t1Us: 1_000_000, t2Us: 1_000_000 })).toBeDefined();
  });
});
