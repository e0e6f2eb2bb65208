import type { Entry } from 'ldapts';

const ACCOUNT_DISABLED = 2;

/** The values of an attribute as text; what is not text is left out. Attribute names have no case. */
export function textsOf(entry: Entry, attribute: string): readonly string[] {
  const wanted = attribute.toLowerCase();
  const name = Object.keys(entry).find((each) => each.toLowerCase() === wanted);
  const value = name === undefined ? [] : entry[name];
  const values: readonly unknown[] = Array.isArray(value) ? value : [value];
  return values.filter((each): each is string => typeof each === 'string' && each !== '');
}

/** The first value. */
export function textOf(entry: Entry, attribute: string): string | undefined {
  return textsOf(entry, attribute)[0];
}

/** As Active Directory, the 389 server and OpenLDAP's password policy mark it. */
export function isAccountOff(entry: Entry): boolean {
  const control = Number(textOf(entry, 'userAccountControl') ?? '0');
  return (
    (control & ACCOUNT_DISABLED) !== 0 ||
    textOf(entry, 'nsAccountLock')?.toLowerCase() === 'true' ||
    textOf(entry, 'pwdAccountLockedTime') !== undefined
  );
}
