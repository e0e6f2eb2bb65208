import type { Entry } from 'ldapts';
import { DomainError } from '#platform/foundation';
import { textsOf } from './entry-values.ts';
import { ldapFailure } from './ldap-failure.ts';
import type { Directory } from './ldap-session.ts';

/** Active Directory gives long lists in parts: `member;range=0-1499`, the last as `member;range=1500-*`. */
const RANGED = /^(.+);range=(\d+)-(\d+|\*)$/i;

interface MemberRange {
  readonly values: readonly string[];
  /** Of the range that follows; undefined when this is the last. */
  readonly next: number | undefined;
}

/** All that could be read, and why it is not all. */
export interface MemberNames {
  readonly names: readonly string[];
  readonly failure?: string;
}

/** All names of an attribute, those of the following ranges too. */
export async function allMembers(
  directory: Directory,
  entry: Entry,
  attribute: string,
): Promise<MemberNames> {
  const names = [...textsOf(entry, attribute)];
  let range = rangeIn(entry, attribute, 0);
  names.push(...(range?.values ?? []));
  try {
    while (range?.next !== undefined) {
      const { next } = range;
      const more = await directory.read(entry.dn, `${attribute};range=${next}-*`);
      range = more && rangeIn(more, attribute, next);
      if (range === undefined) {
        throw new DomainError('INVALID_REQUEST', `the server does not give them from number ${next} on`);
      }
      for (const name of range.values) names.push(name);
    }
  } catch (error) {
    const failure = ldapFailure(error);
    return { names, failure: failure instanceof Error ? failure.message : String(failure) };
  }
  return { names };
}

function rangeIn(entry: Entry, attribute: string, from: number): MemberRange | undefined {
  for (const key of Object.keys(entry)) {
    const [, name = '', first, last = ''] = RANGED.exec(key) ?? [];
    const values = textsOf(entry, key);
    if (name.toLowerCase() !== attribute.toLowerCase() || Number(first) !== from) continue;
    if (values.length > 0) return { values, next: last === '*' ? undefined : Number(last) + 1 };
  }
  return undefined;
}
