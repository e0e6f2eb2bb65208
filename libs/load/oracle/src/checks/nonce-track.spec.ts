import { describe, expect, it } from '@jest/globals';
import type { GapReason } from '../evidence/verdict.ts';
import { AccountFacts, type NonceFault, NonceTrack } from './nonce-track.ts';

const ACCOUNT = 0;

/** An account without excuses whose transactions are all executed. */
class PlainFacts extends AccountFacts {
  hasPending = false;

  override excuseOf(): GapReason | null {
    return null;
  }

  override wasReorganised(): boolean {
    return false;
  }

  override isExecuted(): boolean {
    return true;
  }

  override isPending(): boolean {
    return this.hasPending;
  }
}

class Scene {
  readonly faults: NonceFault[] = [];
  readonly facts = new PlainFacts();
  readonly track = new NonceTrack(this.facts, (fault) => this.faults.push(fault));
  #sequence = 0;

  constructor() {
    this.track.begin(ACCOUNT, 0);
  }

  see(nonce: number, receivedUs: number, isLate = false): void {
    const sequence = this.#sequence++;
    this.track.see({
      account: ACCOUNT,
      nonce,
      receivedUs,
      sequence,
      isLate,
      hash: () => null,
      blockNumber: null,
    });
  }

  conclude(nonce: number, isExecuted = false): GapReason | null {
    this.track.end(false);
    this.track.conclude(ACCOUNT, { nonce, isExecuted });
    return this.track.incomplete(ACCOUNT);
  }

  get kinds(): string[] {
    return this.faults.map(({ kind }) => kind);
  }
}

describe('dropped telemetry', () => {
  it.each([
    ['before an account was last seen', 999, ['gap'], null],
    ['up to the microsecond in which an account was last seen', 1_000, [], 'events_dropped'],
    ['after an account was last seen', 1_001, [], 'events_dropped'],
  ])('%s', (_, dropEndUs, kinds, reason) => {
    const scene = new Scene();
    scene.see(0, 1_000);
    scene.track.interval(dropEndUs, 3);
    scene.see(2, 2_000);
    scene.track.interval(2_500, 0);

    expect(scene.conclude(3)).toBe(reason);
    expect(scene.kinds).toEqual(kinds);
  });

  it.each([
    [999, ['final_count'], null],
    [1_000, [], 'events_dropped'],
    [1_001, [], 'events_dropped'],
  ])(
    'until %i may hide the last transaction of an account that was last seen at 1000',
    (dropEndUs, kinds, reason) => {
      const scene = new Scene();
      scene.see(0, 1_000);
      scene.track.interval(dropEndUs, 1);

      expect(scene.conclude(2)).toBe(reason);
      expect(scene.kinds).toEqual(kinds);
    },
  );

  it('may hide all transactions of an account that was never seen', () => {
    const scene = new Scene();
    scene.track.interval(1, 1);

    expect(scene.conclude(1)).toBe('events_dropped');
    expect(scene.kinds).toEqual([]);
  });

  it('is reported only by an interval with drops', () => {
    const scene = new Scene();
    scene.see(0, 1_000);
    scene.track.interval(1_500, 0);
    scene.see(2, 2_000);
    scene.track.interval(2_000, 0);

    expect(scene.conclude(3)).toBe(null);
    expect(scene.kinds).toEqual(['gap']);
  });
});

it('counts no seen transactions of an account that has not started', () => {
  const { track, faults } = new Scene();

  track.conclude(7, { nonce: 3, isExecuted: true });

  expect(faults).toEqual([]);
  expect([track.seen(ACCOUNT), track.seen(7), track.incomplete(7)]).toEqual([0, 0, null]);
});

describe('a message skipped by the feed', () => {
  it.each([
    ['after an account was last seen, may hide its later transactions', [0]],
    ['before an account was first seen, may hide all its transactions', []],
  ])('%s', (_, seen) => {
    const scene = new Scene();
    for (const nonce of seen) scene.see(nonce, 1_000);
    scene.track.feedGap();

    expect(scene.conclude(2)).toBe('feed_gap');
    expect(scene.kinds).toEqual([]);
  });

  it('no longer counts after the account is seen again in order', () => {
    const scene = new Scene();
    scene.see(0, 1_000);
    scene.track.feedGap();
    scene.see(1, 2_000);

    expect(scene.conclude(3)).toBeNull();
    expect(scene.kinds).toEqual(['final_count']);
  });
});

describe('a late message', () => {
  it('does not change when the account was last seen', () => {
    const scene = new Scene();
    scene.see(0, 1_000);
    scene.track.interval(1_500, 1);
    scene.see(1, 2_000, true);
    scene.see(3, 3_000);
    scene.track.interval(3_500, 0);

    expect(scene.conclude(4)).toBe('events_dropped');
    expect(scene.kinds).toEqual([]);
  });
});

describe('a state nonce below the expected nonce', () => {
  it.each([
    ['without any seen transaction', 0, -1],
    ['after seen transactions', 2, 1],
  ])('is a violation %s', (_, seen, nonce) => {
    const scene = new Scene();
    for (let at = 0; at < seen; at++) scene.see(at, 1_000);
    scene.track.reorganised(99);

    expect(scene.conclude(nonce)).toBeNull();
    expect(scene.kinds).toEqual(['final_count']);
  });

  it('is undecided while the target has pending transactions: the feed may be ahead', () => {
    const scene = new Scene();
    scene.see(0, 1_000);
    scene.facts.hasPending = true;

    expect(scene.conclude(0)).toBe('pending_transactions');
    expect(scene.kinds).toEqual([]);
  });

  it('is no violation if the feed was reorganised back to it', () => {
    const scene = new Scene();
    scene.see(0, 1_000);
    scene.track.reorganised(0);

    expect(scene.conclude(0)).toBe('reorganised');
    expect(scene.kinds).toEqual([]);
  });
});

describe('a gap', () => {
  it('is decided at the end of the interval in which it was seen', () => {
    const scene = new Scene();
    scene.see(1, 2_000);

    scene.track.interval(1_999, 0);
    const before = scene.kinds;
    scene.track.interval(2_000, 0);

    expect([before, scene.kinds]).toEqual([[], ['gap']]);
  });
});
