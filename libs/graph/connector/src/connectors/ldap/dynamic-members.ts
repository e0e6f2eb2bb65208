import { textsOf } from './entry-values.ts';
import type { Entry } from './ldap-message.ts';
import type { Directory } from './ldap-session.ts';

/** The members that the searches of a group find. */
export interface FoundMembers {
  readonly names: ReadonlySet<string>;
  /** Why a search could not be made. */
  readonly failures: readonly string[];
  /** Searches on other servers. */
  readonly external: readonly string[];
}

/** One search of RFC 4516: `ldap:///ou=people,dc=x??sub?(title=dba)`. */
interface UrlSearch {
  readonly base: string;
  readonly scope: 'base' | 'one' | 'sub';
  readonly filter: string;
}

/** Runs the searches of a `groupOfURLs`. */
export async function membersOfUrls(
  directory: Directory,
  entry: Entry,
  attribute: string,
): Promise<FoundMembers> {
  const names = new Set<string>();
  const failures: string[] = [];
  const external: string[] = [];
  for (const text of textsOf(entry, attribute)) {
    const search = parseUrl(text);
    if (search === 'elsewhere') external.push(`its members are on another server: ${text}`);
    else if (search === undefined) failures.push(`expected ldap:///base??scope?filter, got ${text}`);
    else {
      try {
        for await (const name of directory.names(search)) names.add(name);
      } catch (error) {
        failures.push(`${text}: ${error instanceof Error ? error.message : String(error)}`);
      }
    }
  }
  return { names, failures, external };
}

/** With attributes, their values would be the members; an extension could change the search. */
const URL_FORM = /^ldaps?:\/\/([^/?]*)(?:\/([^?]*)(?:\?\?(base|one|sub)?(?:\?([^?]*))?)?)?$/i;
const ANY_ENTRY = '(objectClass=*)';

function parseUrl(text: string): UrlSearch | 'elsewhere' | undefined {
  const [match, host, base = '', scope = 'base', filter = ''] = URL_FORM.exec(text) ?? [];
  if (match === undefined) return undefined;
  if (host !== '') return 'elsewhere';
  try {
    return {
      base: decodeURIComponent(base),
      scope: scope.toLowerCase() as UrlSearch['scope'],
      filter: filter === '' ? ANY_ENTRY : decodeURIComponent(filter),
    };
  } catch {
    return undefined;
  }
}
