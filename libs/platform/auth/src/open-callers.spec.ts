import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { createHash } from 'node:crypto';
import { systemClock } from '#platform/foundation';
import type { Caller } from './caller.ts';
import { Keyring } from './keyring.ts';
import { type KeysDocument, parseKeys } from './keys-document.ts';
import { OpenCallers } from './open-callers.ts';
import { GRAPH_ACCESS } from './permission.ts';

const HOUR_MS = 3_600_000;
const WRITE = { permission: 'write', keepsSource: true, keepsScope: false } as const;

function keysWith(more: string): KeysDocument {
  const sha256 = createHash('sha256').update('secret').digest('hex');
  return parseKeys(`keys: [{ name: a, sha256: ${sha256}, ${more} }]`, 'keys.yaml', GRAPH_ACCESS);
}

describe('what a caller has open', () => {
  let keys: Keyring;
  let open: OpenCallers;
  let faults: string[];

  const follow = (): (() => void) => {
    const caller = keys.find('secret') as Caller;
    return open.follow({ caller, requirement: WRITE }, ({ message }) => void faults.push(message));
  };

  beforeEach(() => {
    jest.useFakeTimers({ now: Date.parse('2026-06-01T00:00:00Z') });
    keys = new Keyring({ named: keysWith('role: editor, until: 2026-06-03T01:00:00Z'), clock: systemClock });
    open = new OpenCallers(keys);
    faults = [];
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  it('ends with its key, however far off that is', () => {
    follow();

    jest.advanceTimersByTime(49 * HOUR_MS - 1);
    const before = [...faults];
    jest.advanceTimersByTime(1);

    expect([before, faults]).toEqual([[], ['missing or invalid API key']]);
    expect(jest.getTimerCount()).toBe(0);
  });

  it('ends when the role no longer has what is required, and lasts while it has', () => {
    follow();

    keys.use(keysWith('role: admin'));
    const before = [...faults];
    keys.use(keysWith('role: viewer'));
    keys.use(keysWith('role: viewer'));

    expect([before, faults]).toEqual([[], ['a lacks the permission write']]);
  });

  it('has the end that its key has by now', () => {
    follow();

    keys.use(keysWith('role: editor, until: 2026-07-01'));
    jest.advanceTimersByTime(50 * HOUR_MS);
    const before = [...faults];
    keys.use(keysWith('role: editor, until: 2026-06-02'));
    jest.advanceTimersByTime(0);

    expect([before, faults]).toEqual([[], ['missing or invalid API key']]);
  });

  it('is not watched once it has ended by itself', () => {
    follow()();

    keys.use(keysWith('role: viewer'));

    expect(faults).toEqual([]);
    expect(jest.getTimerCount()).toBe(0);
  });
});
