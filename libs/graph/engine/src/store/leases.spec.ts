import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { SharedLog } from '#graph/storage';
import { Leadership } from './leadership.ts';
import { Leases } from './leases.ts';

const LEASE_MS = 10_000;

/** The holders and expiry times of leases; replies when the test allows it. */
class LeaseBook {
  readonly #held = new Map<string, { readonly node: string; readonly untilMs: number }>();
  readonly #waiting: (() => void)[] = [];
  isReached = true;
  isSlow = false;

  node(node: string): SharedLog {
    const log: Pick<SharedLog, 'hold' | 'release'> = {
      hold: async (name, ms) => {
        if (this.isSlow) await new Promise<void>((resolve) => this.#waiting.push(resolve));
        const other = this.#held.get(name);
        const isOthers = other !== undefined && other.node !== node && other.untilMs > performance.now();
        if (isOthers || !this.isReached) return false;
        this.#held.set(name, { node, untilMs: performance.now() + ms });
        return true;
      },
      release: async (name) => {
        if (this.#held.get(name)?.node === node) this.#held.delete(name);
      },
    };
    return log as SharedLog;
  }

  answer(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  has(name: string): boolean {
    return this.#held.has(name);
  }
}

describe('Leases', () => {
  beforeEach(() => {
    jest.useFakeTimers();
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  it('are held by one process at a time, until it releases them', async () => {
    const book = new LeaseBook();
    const [a, b] = [new Leases(book.node('a')), new Leases(book.node('b'))];

    expect(await a.hold('run')).toBe(true);
    await jest.advanceTimersByTimeAsync(10 * LEASE_MS);
    expect(await b.hold('run')).toBe(false);
    await a.release('run');

    expect(await b.hold('run')).toBe(true);
    expect(a.isHeld('run')).toBe(false);
    await b.close();
    expect(book.has('run')).toBe(false);
  });

  it('stay released if a request was in progress at the release', async () => {
    const book = new LeaseBook();
    const leases = new Leases(book.node('a'));
    await leases.hold('run');
    book.isSlow = true;
    await jest.advanceTimersByTimeAsync(2_000);

    const released = leases.release('run');
    book.answer();
    await released;
    await jest.advanceTimersByTimeAsync(LEASE_MS);

    expect(book.has('run')).toBe(false);
    expect(jest.getTimerCount()).toBe(0);
  });

  it('are all held by a single process', async () => {
    const leases = new Leases(undefined);

    expect(await leases.hold('run')).toBe(true);
    expect(leases.isHeld('anything')).toBe(true);
  });
});

describe('Leadership', () => {
  beforeEach(() => {
    jest.useFakeTimers();
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  it('moves to another process when the leader ends or becomes silent', async () => {
    const book = new LeaseBook();
    const leases = ['a', 'b', 'c'].map((node) => new Leases(book.node(node)));
    const elected: number[] = [];
    const nodes = leases.map((one, at) => {
      const leadership = new Leadership(one);
      leadership.onElected(() => elected.push(at));
      leadership.start();
      return leadership;
    });
    await jest.advanceTimersByTimeAsync(LEASE_MS);
    const first = nodes.map(({ isLeader }) => isLeader);
    await leases[0]?.close();
    await jest.advanceTimersByTimeAsync(LEASE_MS);
    const second = nodes.map(({ isLeader }) => isLeader);

    expect([first, second]).toEqual([
      [true, false, false],
      [false, true, false],
    ]);
    expect(elected).toEqual([0, 1]);
    await Promise.all(leases.map((one) => one.close()));
  });

  it('ends while leases are unavailable, and starts again afterwards', async () => {
    const book = new LeaseBook();
    const leases = new Leases(book.node('a'));
    const leadership = new Leadership(leases);
    const elected: boolean[] = [];
    leadership.onElected(() => elected.push(leadership.isLeader));
    leadership.start();
    await jest.advanceTimersByTimeAsync(0);
    book.isReached = false;
    await jest.advanceTimersByTimeAsync(LEASE_MS + 1);
    const isLost = !leadership.isLeader;
    book.isReached = true;
    await jest.advanceTimersByTimeAsync(2_000);

    expect([isLost, leadership.isLeader]).toEqual([true, true]);
    expect(elected).toEqual([true, true]);
    await leases.close();
  });
});
