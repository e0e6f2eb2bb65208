import type { Disk } from '#platform/disk';
import { DomainError } from '#platform/foundation';
import type { StepContext } from '../../run/step.ts';
import type { LdapConfig } from './ldap-config.ts';
import { isWithin, normalName } from './distinguished-name.ts';
import { LdapConnection, type LdapSearchRequest } from './ldap-connection.ts';
import type { Entry } from './ldap-message.ts';

/** One search over the whole tree below the base, with these attributes. */
export interface LdapSearch {
  readonly filter: string;
  readonly attributes: readonly string[];
  /** Types and verbs derived from the entries: incomplete if some entries are on another server. */
  readonly types: readonly string[];
  /** Default: that of the configuration. */
  readonly base?: string;
  readonly hasDescriptors?: boolean;
}

export type NameSearch = Pick<LdapSearchRequest, 'base' | 'scope' | 'filter'>;

export interface Directory {
  /**
   * The entries of a search, page after page. Throws if the server aborts the search or truncates the result
   * by a size or time limit.
   */
  entries(search: LdapSearch): AsyncIterable<Entry>;
  /** The names of the entries that another search finds. */
  names(search: NameSearch): AsyncIterable<string>;
  /** One entry again, with one attribute. */
  read(name: string, attribute: string): Promise<Entry | undefined>;
  /** Whether a name, in normal form, is below a referral to another server that a search met. */
  isElsewhere(name: string): boolean;
}

/** Requests names only (RFC 4511, 4.5.1.8). */
const NO_ATTRIBUTES = ['1.1'];
const ANY_ENTRY = '(objectClass=*)';
/** Partitions of Active Directory that every search over a domain refers to; they contain no accounts. */
const SYSTEM_PARTITION = /\/(?:DC=(?:Forest|Domain)DnsZones|CN=Configuration),/i;

/** Runs the work on an authenticated connection, which is closed at the end or when the step is stopped. */
export async function withDirectory(
  disk: Disk,
  context: StepContext<LdapConfig>,
  work: (directory: Directory) => Promise<void>,
): Promise<void> {
  const { config, signal } = context;
  const tls = config.ca_file === '' ? {} : { ca: await disk.readText(config.ca_file) };
  signal.throwIfAborted();
  const url = urlIn(config);
  const connection = new LdapConnection(url, tls, config.timeout_ms);
  const hangUp = (): void => connection.close();
  signal.addEventListener('abort', hangUp);
  try {
    await connection.open();
    if (config.start_tls && url.protocol === 'ldap:') await connection.startTls(url, tls);
    await logIn(connection, config);
    const elsewhere = new Set<string>();
    await work({
      entries: (search) => entriesOf(connection, context, search, elsewhere),
      names: (search) => namesOf(connection, context, search),
      isElsewhere: (name) => [...elsewhere].some((base) => isWithin(name, base)),
      async read(base, attribute) {
        const request = { base, scope: 'base', filter: ANY_ENTRY, attributes: [attribute] } as const;
        const { entries } = await connection.search(request);
        return entries[0];
      },
    });
  } finally {
    signal.removeEventListener('abort', hangUp);
    connection.close();
  }
}

/** A page may be empty although others follow. */
async function* entriesOf(
  connection: LdapConnection,
  context: StepContext<LdapConfig>,
  { types, base = context.config.base_dn, ...search }: LdapSearch,
  referred: Set<string>,
): AsyncGenerator<Entry> {
  const { page_size: size } = context.config;
  let cookie: Buffer = Buffer.alloc(0);
  do {
    const page = { size, cookie };
    const answer = await connection.search({ ...search, base, scope: 'sub', page });
    const elsewhere = answer.references.filter((url) => !SYSTEM_PARTITION.test(url));
    for (const url of elsewhere) referred.add(baseOf(url));
    if (elsewhere.length > 0) {
      context.incomplete(
        types,
        `the server refers to other servers, which are not queried: ${elsewhere.join(', ')}`,
      );
    }
    yield* answer.entries;
    ({ cookie } = answer);
  } while (cookie.length > 0);
}

async function* namesOf(
  connection: LdapConnection,
  context: StepContext<LdapConfig>,
  search: NameSearch,
): AsyncGenerator<string> {
  const { page_size: size } = context.config;
  let cookie: Buffer = Buffer.alloc(0);
  do {
    const answer = await connection.search({ ...search, attributes: NO_ATTRIBUTES, page: { size, cookie } });
    for (const { dn } of answer.entries) yield dn;
    ({ cookie } = answer);
  } while (cookie.length > 0);
}

/** The name of the entries that an LDAP URL leads to: `ldap://far.example/ou=far,dc=corp??sub`. */
function baseOf(url: string): string {
  const path = /^ldaps?:\/\/[^/]*\/([^?]*)/i.exec(url)?.[1] ?? '';
  try {
    return normalName(decodeURIComponent(path));
  } catch {
    return normalName(path);
  }
}

function urlIn({ url: text }: LdapConfig): URL {
  const url = URL.parse(text);
  if (url !== null && /^ldaps?:$/.test(url.protocol)) return url;
  throw new DomainError('INVALID_CONFIG', 'url: expected ldap://host or ldaps://host');
}

async function logIn(
  connection: LdapConnection,
  { bind_dn: name, password_env: password }: LdapConfig,
): Promise<void> {
  if (name === undefined) return;
  // Servers treat an empty password as an anonymous login and return only public entries.
  if (password === undefined) {
    throw new DomainError('INVALID_CONFIG', 'bind_dn without password_env: the bind would be anonymous');
  }
  await connection.bind(name, password.reveal());
}
