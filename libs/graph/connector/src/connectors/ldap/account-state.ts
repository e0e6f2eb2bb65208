import type { Entry } from './ldap-message.ts';
import { textOf } from './entry-values.ts';

/** The attributes of {@link isAccountActive}. */
export const STATE_ATTRIBUTES = [
  ...['userAccountControl', 'msDS-UserAccountDisabled', 'accountExpires', 'nsAccountLock', 'loginDisabled'],
  ...['pwdAccountLockedTime', 'pwdEndTime', 'krbPrincipalExpiration', 'shadowExpire'],
];
const SWITCHES = ['nsAccountLock', 'loginDisabled', 'msDS-UserAccountDisabled'];
const END_TIMES = ['pwdEndTime', 'krbPrincipalExpiration'];
const ACCOUNT_DISABLED = 2;
const DAY_MS = 86_400_000;
/** Active Directory counts 100 nanoseconds since 1601. */
const FILETIME_PER_MS = 10_000n;
const FILETIME_EPOCH_MS = 11_644_473_600_000n;
const FILETIME_NEVER = 2n ** 63n - 1n;
const GENERALIZED_TIME = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)?(\d\d)?(?:[.,]\d+)?(?:Z|([+-]\d\d)(\d\d)?)$/i;

/**
 * Whether an account is neither disabled nor expired, as marked by Active Directory, 389 Directory Server,
 * eDirectory, OpenLDAP's password policy, Kerberos and POSIX (`shadowExpire`). Other values mark nothing.
 */
export function isAccountActive(entry: Entry, nowMs: number): boolean {
  const control = Number(textOf(entry, 'userAccountControl') ?? '0');
  if ((control & ACCOUNT_DISABLED) !== 0) return false;
  if (SWITCHES.some((name) => textOf(entry, name)?.toLowerCase() === 'true')) return false;
  if (textOf(entry, 'pwdAccountLockedTime') !== undefined) return false;
  const ends = [
    fileTimeMs(textOf(entry, 'accountExpires')),
    shadowMs(textOf(entry, 'shadowExpire')),
    ...END_TIMES.map((name) => generalizedTimeMs(textOf(entry, name))),
  ];
  return ends.every((endMs) => endMs === undefined || nowMs < endMs);
}

/** Undefined for never: 0, and the largest number. */
function fileTimeMs(text = ''): number | undefined {
  const time = /^\d{1,19}$/.test(text) ? BigInt(text) : 0n;
  return time === 0n || time >= FILETIME_NEVER
    ? undefined
    : Number(time / FILETIME_PER_MS - FILETIME_EPOCH_MS);
}

/** Days since 1970; a negative number is never. */
function shadowMs(text = ''): number | undefined {
  return /^\d{1,9}$/.test(text) ? Number(text) * DAY_MS : undefined;
}

function generalizedTimeMs(text = ''): number | undefined {
  const [match, year, month, day, hour, minute = '00', second = '00', zone, zoneMinute = '00'] =
    GENERALIZED_TIME.exec(text) ?? [];
  if (match === undefined) return undefined;
  const offset = zone === undefined ? 'Z' : `${zone}:${zoneMinute}`;
  const ms = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}${offset}`);
  return Number.isNaN(ms) ? undefined : ms;
}
