/**
 * Address of the store's database, in libpq's form: `postgres://user@host:port,host:port/database?sslmode=…`.
 */
import { DomainError, Secret } from '#platform/foundation';

const FORM = /^postgres(?:ql)?:\/\/(?:([^@/?#]*)@)?([^/?#]*)(?:\/([^?#]*))?(?:\?([^#]*))?$/;
/** Without @: what stands before a second one is the rest of a password, which messages would show. */
const HOST = /^(\[[0-9a-f:.]+\]|[^@:[\]]+)(?::(\d{1,5}))?$/i;
const PORT = 5_432;
const PORT_MAX = 65_535;

export interface StoreHost {
  /** `host:port`, for messages. */
  readonly name: string;
  /** The address for the driver, with all parameters. */
  readonly url: Secret;
}

export interface StoreAddress {
  readonly hosts: readonly StoreHost[];
  readonly database: string;
  readonly user: string;
}

/**
 * A separate password overrides the one in the address. Throws INVALID_REQUEST, without the address, which
 * may contain a secret.
 */
export function parseStoreAddress(text: string, password?: Secret): StoreAddress {
  const [, login = '', hosts = '', path = '', query = ''] = FORM.exec(text) ?? refuse('its form');
  const [user = '', ownPassword] = login.split(/:(.*)/s);
  if (user === '') refuse('the user');
  const database = decoded(path === '' ? user : path, 'the database');
  const secret =
    password?.reveal() ?? (ownPassword === undefined ? undefined : decoded(ownPassword, 'the password'));
  const named = hosts.split(',').map((host) => namedHost(host));
  const parameters = parametersOf(query);
  return {
    database,
    user: decoded(user, 'the user'),
    hosts: named.map((name) => {
      const account = `${user}${secret === undefined ? '' : `:${encodeURIComponent(secret)}`}`;
      const url = `postgres://${account}@${name}/${encodeURIComponent(database)}?${parameters}`;
      return { name, url: new Secret(url) };
    }),
  };
}

function namedHost(text: string): string {
  const [, host, port = String(PORT)] =
    HOST.exec(text) ?? refuse('a host, or a password with @ in place of %40,');
  if (Number(port) < 1 || Number(port) > PORT_MAX) refuse('a port');
  return `${host ?? ''}:${port}`;
}

/** `sslmode` with libpq's semantics. */
function parametersOf(query: string): string {
  const parameters = new URLSearchParams(query);
  parameters.set('uselibpqcompat', 'true');
  return parameters.toString();
}

function decoded(text: string, part: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return refuse(part);
  }
}

function refuse(part: string): never {
  throw new DomainError(
    'INVALID_REQUEST',
    `store: expected postgres://user@host:port,host:port/database; ${part} is wrong`,
  );
}
