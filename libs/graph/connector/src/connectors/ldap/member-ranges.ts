import { DomainError } from '#platform/foundation';
import { textsOf } from './entry-values.ts';
import { type Entry, ldapText } from './ldap-message.ts';
import type { Directory } from './ldap-session.ts';

/**
 * Active Directory returns long lists in ranges: `member;range=0-1499`, the last one `member;range=1500-*`.
 */
const RANGED = /^(.+);range=(\d+)-(\d+|\*)$/i;

interface MemberRange {
  readonly values: readonly string[];
  /** Attribute of the following range; undefined after the last one. */
  readonly next: number | undefined;
}

/** The values that could be read, and why they are incomplete. */
export interface MemberValues {
  readonly values: readonly string[];
  readonly failure?: string;
}

/** All values of an attribute, including the following ranges. */
export async function allMembers(
  directory: Directory,
  entry: Entry,
  attribute: string,
): Promise<MemberValues> {
  const values = [...textsOf(entry, attribute)];
  let range = rangeIn(entry, attribute, 0);
  values.push(...(range?.values ?? []));
  try {
    if (range === undefined && hasRange(entry, attribute)) throw missingFrom(0);
    while (range?.next !== undefined) {
      const { next } = range;
      const more = await directory.read(entry.dn, `${attribute};range=${next}-*`);
      range = more && rangeIn(more, attribute, next);
      if (range === undefined) throw missingFrom(next);
      for (const value of range.values) values.push(value);
    }
  } catch (error) {
    return { values, failure: error instanceof Error ? error.message : String(error) };
  }
  return { values };
}

function rangeIn(entry: Entry, attribute: string, from: number): MemberRange | undefined {
  for (const [key, bytes] of entry.attributes) {
    const [, name = '', first, last = ''] = RANGED.exec(key) ?? [];
    if (name.toLowerCase() !== attribute.toLowerCase() || Number(first) !== from) continue;
    const values = bytes.map(ldapText);
    // One that ends before it begins would be asked for again and again.
    if (values.length > 0 && !(Number(last) < from))
      return { values, next: last === '*' ? undefined : Number(last) + 1 };
  }
  return undefined;
}

function hasRange({ attributes }: Entry, attribute: string): boolean {
  return [...attributes].some(
    ([key, { length }]) => length > 0 && RANGED.exec(key)?.[1]?.toLowerCase() === attribute.toLowerCase(),
  );
}

function missingFrom(number: number): DomainError {
  return new DomainError('INVALID_REQUEST', `the server does not return them from number ${number} on`);
}
