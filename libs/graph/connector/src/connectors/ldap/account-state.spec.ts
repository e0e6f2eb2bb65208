import { describe, expect, it } from '@jest/globals';
import { isAccountActive } from './account-state.ts';

const NOW_MS = Date.UTC(2026, 0, 2);
/** 2026-01-02 in days, and in 100 nanoseconds since 1601. */
const TODAY = NOW_MS / 86_400_000;
const FILETIME = (BigInt(NOW_MS) + 11_644_473_600_000n) * 10_000n;

describe('isAccountActive', () => {
  it.each<[string, string | number | bigint, boolean]>([
    ['shadowExpire', TODAY, false],
    ['shadowExpire', TODAY + 1, true],
    ['shadowExpire', 0, false],
    ['shadowExpire', -1, true],
    ['shadowExpire', 'soon', true],
    ['accountExpires', FILETIME, false],
    ['accountExpires', FILETIME + 10_000n, true],
    ['accountExpires', 0, true],
    ['accountExpires', 9_223_372_036_854_775_807n, true],
    ['accountExpires', 1, false],
    ['accountExpires', '99999999999999999999', true],
    ['userAccountControl', 512, true],
    ['userAccountControl', 514, false],
    ['userAccountControl', 66_050, false],
    ['nsAccountLock', 'TRUE', false],
    ['nsAccountLock', 'false', true],
    ['loginDisabled', 'TRUE', false],
    ['msDS-UserAccountDisabled', 'TRUE', false],
    ['pwdAccountLockedTime', '000001010000Z', false],
    ['krbPrincipalExpiration', '20260102000000Z', false],
    ['krbPrincipalExpiration', '20260102000001Z', true],
    ['pwdEndTime', '202601020100+0200', false],
    ['pwdEndTime', '2026010200.5-01', true],
    ['pwdEndTime', '20261399000000Z', true],
  ])('with %s %s is %s', (name, value, isActive) => {
    const attributes = new Map([[name.toLowerCase(), [Buffer.from(String(value))]]]);

    expect(isAccountActive({ dn: 'uid=a', attributes }, NOW_MS)).toBe(isActive);
  });
});
