import { Client, type Entry } from 'ldapts';
import type { Disk } from '#disk';
import { DomainError } from '#foundation';
import type { StepContext } from '../../step/step.ts';
import type { LdapConfig } from './ldap-config.ts';
import { ldapFailure } from './ldap-failure.ts';

/** One search over the whole tree below the base, with these attributes. */
export interface LdapSearch {
  readonly filter: string;
  readonly attributes: readonly string[];
}

/**
 * The entries of a search, page after page. It throws when the server breaks off, or gives only some: a size
 * limit, a time limit. The connection is ended with the iteration, and when the step is stopped.
 */
export async function* searchDirectory(
  disk: Disk,
  context: StepContext<LdapConfig>,
  search: LdapSearch,
): AsyncGenerator<Entry> {
  const { config, signal } = context;
  signal.throwIfAborted();
  const client = await connect(disk, config);
  const hangUp = (): void => {
    client.unbind().catch(() => undefined);
  };
  signal.addEventListener('abort', hangUp);
  try {
    await logIn(client, config);
    const options = {
      scope: 'sub' as const,
      filter: search.filter,
      attributes: [...search.attributes],
      paged: { pageSize: config.page_size },
    };
    for await (const { searchEntries, searchReferences } of client.searchPaginated(config.base_dn, options)) {
      if (searchReferences.length > 0) context.warn(`not followed: ${searchReferences.length} references`);
      yield* searchEntries;
    }
  } catch (error) {
    throw ldapFailure(error);
  } finally {
    signal.removeEventListener('abort', hangUp);
    await client.unbind();
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
  // The certificate has to be for the host of the URL: on a connection that stands, TLS does not know it.
  if (config.start_tls && !isSecure) {
    await client.startTLS({ ...tlsOptions, host: new URL(config.url).hostname });
  }
  return client;
}

async function logIn(client: Client, { bind_dn: name, password_env: password }: LdapConfig): Promise<void> {
  if (name === undefined) return;
  // Servers take an empty password for an anonymous login, and answer with the little that anyone may see.
  if (password === undefined) {
    throw new DomainError('INVALID_CONFIG', 'bind_dn without password_env: the server would see nobody');
  }
  await client.bind(name, password.reveal());
}
