import { Client, type Entry, ResultCodeError } from 'ldapts';
import type { Disk } from '#platform/disk';
import { DomainError } from '#platform/foundation';
import type { StepContext } from '../../run/step.ts';
import { BINARY_ATTRIBUTES } from './entry-values.ts';
import type { LdapConfig } from './ldap-config.ts';

/** One search over the whole tree below the base, with these attributes. */
export interface LdapSearch {
  readonly filter: string;
  readonly attributes: readonly string[];
  /** Types and verbs derived from the entries: incomplete if some entries are on another server. */
  readonly types: readonly string[];
}

export interface Directory {
  /**
   * The entries of a search, page after page. Throws if the server aborts the search or truncates the result
   * by a size or time limit.
   */
  entries(search: LdapSearch): AsyncIterable<Entry>;
  /** One entry again, with one attribute. */
  read(name: string, attribute: string): Promise<Entry | undefined>;
}

/** Partitions of Active Directory that every search over a domain refers to; they contain no accounts. */
const SYSTEM_PARTITION = /\/(?:DC=(?:Forest|Domain)DnsZones|CN=Configuration),/i;

/** Runs the work on an authenticated connection, which is closed at the end or when the step is stopped. */
export async function withDirectory(
  disk: Disk,
  context: StepContext<LdapConfig>,
  work: (directory: Directory) => Promise<void>,
): Promise<void> {
  const { config, signal } = context;
  signal.throwIfAborted();
  const client = await connect(disk, config);
  const hangUp = (): void => {
    client.unbind().catch(() => undefined);
  };
  signal.addEventListener('abort', hangUp);
  try {
    await logIn(client, config);
    await work({
      entries: (search) => entriesOf(client, context, search),
      async read(name, attribute) {
        const { searchEntries } = await client.search(name, { scope: 'base', attributes: [attribute] });
        return searchEntries[0];
      },
    });
  } catch (error) {
    throw ldapFailure(error);
  } finally {
    signal.removeEventListener('abort', hangUp);
    await client.unbind();
  }
}

async function* entriesOf(
  client: Client,
  context: StepContext<LdapConfig>,
  { filter, attributes, types }: LdapSearch,
): AsyncGenerator<Entry> {
  const { config } = context;
  const options = {
    scope: 'sub' as const,
    filter,
    attributes: [...attributes],
    explicitBufferAttributes: BINARY_ATTRIBUTES,
    paged: { pageSize: config.page_size },
  };
  for await (const { searchEntries, searchReferences } of client.searchPaginated(config.base_dn, options)) {
    const elsewhere = searchReferences.filter((url) => !SYSTEM_PARTITION.test(url));
    if (elsewhere.length > 0) {
      context.incomplete(
        types,
        `the server refers to other servers, which are not queried: ${elsewhere.join(', ')}`,
      );
    }
    yield* searchEntries;
  }
}

async function connect(disk: Disk, config: LdapConfig): Promise<Client> {
  const authority = config.ca_file === '' ? undefined : await disk.readText(config.ca_file);
  const tlsOptions = authority === undefined ? {} : { ca: authority };
  const isSecure = config.url.startsWith('ldaps:');
  const client = new Client({
    url: config.url,
    timeout: config.timeout_ms,
    connectTimeout: config.timeout_ms,
    ...(isSecure && { tlsOptions }),
  });
  // The certificate must match the host of the URL, which TLS does not know on an existing connection.
  if (config.start_tls && !isSecure) {
    await client.startTLS({ ...tlsOptions, host: new URL(config.url).hostname });
  }
  return client;
}

async function logIn(client: Client, { bind_dn: name, password_env: password }: LdapConfig): Promise<void> {
  if (name === undefined) return;
  // Servers treat an empty password as an anonymous login and return only public entries.
  if (password === undefined) {
    throw new DomainError('INVALID_CONFIG', 'bind_dn without password_env: the bind would be anonymous');
  }
  await client.bind(name, password.reveal());
}

/**
 * The meaning of LDAP result codes (RFC 4511, appendix A), since servers often return only the number. Active
 * Directory gives the reason of a failed login as a Windows error code after `data`.
 */
const INVALID_CREDENTIALS = 49;

const MEANING: Readonly<Record<number, string>> = {
  3: 'the server gave up at its time limit',
  4: 'the server gives only some entries: its size limit',
  8: 'the server wants a stronger login',
  10: 'the server refers to another one',
  11: 'the server gives only some entries: a limit of its administrator',
  13: 'the server wants an encrypted connection',
  32: 'there is no such entry: base_dn',
  34: 'the server takes a name for malformed: base_dn or bind_dn',
  48: 'the server does not let this name log in so',
  [INVALID_CREDENTIALS]: 'the server refuses the credentials',
  50: 'the login may not read this',
  51: 'the server is busy',
  52: 'the server is unavailable',
  53: 'the server is unwilling',
};

const LOGIN_REFUSED: Readonly<Record<string, string>> = {
  525: 'there is no such user',
  '52e': 'wrong name or password',
  530: 'no login at this time',
  531: 'no login from here',
  532: 'the password has expired',
  533: 'the account is disabled',
  701: 'the account has expired',
  773: 'the password has to be changed first',
  775: 'the account is locked',
};

/** The same failure with its meaning, the server's message, and the code. */
export function ldapFailure(error: unknown): unknown {
  if (!(error instanceof ResultCodeError)) return error;
  const { code } = error;
  const said = error.message.replace(/ ?Code: 0x[0-9a-f]+$/, '');
  const meaning = MEANING[code] ?? 'the server refuses';
  const why =
    code === INVALID_CREDENTIALS ? LOGIN_REFUSED[/\bdata ([0-9a-f]+)/.exec(said)?.[1] ?? ''] : undefined;
  const text = why === undefined ? meaning : `${meaning}: ${why}`;
  const details = said === '' ? `LDAP ${code}` : `LDAP ${code}, ${said}`;
  return new Error(`${text} (${details})`, { cause: error });
}
