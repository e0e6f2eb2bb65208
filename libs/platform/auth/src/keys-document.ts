import {
  array,
  checked,
  mapped,
  object,
  oneOf,
  optional,
  orEmpty,
  record,
  required,
  type Shape,
  string,
  withDefault,
  YamlDocument,
} from '#platform/config';
import { type DomainError, momentMs } from '#platform/foundation';
import { type AccessModel, type DataLists, ownRoles, type Role, SOURCE_ROLES } from './permission.ts';

/** A key as its file states it. The secret itself is nowhere: only its hash. */
export interface NamedKey {
  readonly name: string;
  readonly role: string;
  /** SHA-256 of the secret, in lower-case hex. */
  readonly sha256: string;
  /** As written: a date, which is the key's last day, or a time; both in UTC. */
  readonly until?: string | undefined;
  readonly source?: string | undefined;
}

/** The content of a keys file. */
export interface KeysDocument {
  readonly keys: readonly NamedKey[];
  /** Every role, those of the program included. */
  readonly roles: ReadonlyMap<string, Role>;
}

const KEYS_MAX = 10_000;
const ROLES_MAX = 100;
const SCOPE_NAMES_MAX = 1_000;
const DAY_MS = 86_400_000;
const NAME = string(
  '1 to 64 letters, digits and ._@- beginning with a letter or digit',
  /^[A-Za-z0-9][A-Za-z0-9._@-]{0,63}$/,
);
const SHA256 = string('the SHA-256 of the secret as 64 lower-case hex digits', /^[0-9a-f]{64}$/);
const UNTIL = checked(
  string('a date such as 2027-01-31, or a time in UTC such as 2027-01-31T12:00:00Z'),
  (text) =>
    untilMs(text) === undefined
      ? 'expected a date such as 2027-01-31, or a time in UTC such as 2027-01-31T12:00:00Z'
      : undefined,
);

const KEY = object({
  name: required(NAME, 'the name in refusals'),
  role: required(string('the name of a role'), 'the role'),
  sha256: required(SHA256, 'the SHA-256 of the secret'),
  until: optional(UNTIL, 'the last day, or the end, of the key'),
  source: optional(string('the id of a source'), 'the only source as which the key writes'),
});

/** When the key ends, in milliseconds since 1970; undefined for a text that is no time. */
export function untilMs(text: string): number | undefined {
  const day = /^\d{4}-\d{2}-\d{2}$/.test(text);
  if (!day && !/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?Z$/.test(text)) return undefined;
  const ms = momentMs(text);
  return day && ms !== undefined ? ms + DAY_MS : ms;
}

/**
 * Reads a keys file. Throws INVALID_CONFIG with `file:line:column` for the first fault; it never quotes a
 * value that may be a secret in the wrong place.
 */
export function parseKeys(text: string, file: string, model: AccessModel): KeysDocument {
  const document = YamlDocument.parse(text, file);
  const written = document.read(keysShape(model), [], document.value ?? {});
  const roles = ownRoles(model);
  for (const [name, role] of Object.entries(written.roles)) {
    if (roles.has(name))
      throw document.fault(
        ['roles', name],
        `${name} is a role of the program: give yours another name`,
        'key',
      );
    roles.set(name, role);
  }
  checkKeys(written.keys, roles, (index, field, message) => document.fault(['keys', index, field], message));
  return { keys: written.keys, roles };
}

function keysShape(model: AccessModel): Shape<{
  readonly keys: readonly NamedKey[];
  readonly roles: Readonly<Record<string, Role>>;
}> {
  return object({
    keys: orEmpty(withDefault(array(KEY, { min: 0, max: KEYS_MAX }), [], 'the keys')),
    roles: orEmpty(
      withDefault(
        record(NAME, roleShape(model), { max: ROLES_MAX }),
        {},
        'roles beside those of the program',
      ),
    ),
  });
}

/** A list of permissions, or a table of them and a scope. */
function roleShape({ permissions, scopeLists = [] }: AccessModel): Shape<Role> {
  const list = array(oneOf(permissions), { min: 1, max: permissions.length });
  const bare = mapped(list, (written): Role => ({ permissions: written }));
  if (scopeLists.length === 0) return bare;
  const scoped = checked(scopedRole(list, scopeLists), ({ permissions: written, scope }) =>
    scope !== undefined && written.some((permission) => permission !== 'read')
      ? 'expected the permission read alone: a role with a scope changes nothing'
      : undefined,
  );
  return {
    expects: `${list.expects}, or a table with permissions and a scope`,
    read: (value, at) => (Array.isArray(value) ? bare : scoped).read(value, at),
  };
}

function scopedRole(list: Shape<Role['permissions']>, scopeLists: readonly string[]): Shape<Role> {
  const names = array(string('a name', /^.{1,256}$/s), { min: 1, max: SCOPE_NAMES_MAX });
  const lists: Shape<DataLists> = checked(
    record(oneOf(scopeLists), names, { max: scopeLists.length }),
    // Nothing listed would show everything.
    (written) =>
      Object.keys(written).length === 0 ? `expected a list of ${scopeLists.join(', ')}` : undefined,
  );
  const table = object({
    permissions: required(list, 'what it may do'),
    only: optional(lists, 'the part of the data that exists for it: what is in each of these lists'),
    except: optional(lists, 'the part of the data that does not exist for it: what is in any of these lists'),
  });
  return mapped(table, ({ permissions, only, except }): Role => {
    const isWhole = only === undefined && except === undefined;
    const scope = { ...(only !== undefined && { only }), ...(except !== undefined && { except }) };
    return isWhole ? { permissions } : { permissions, scope };
  });
}

type FaultAt = (index: number, field: keyof NamedKey, message: string) => DomainError;

function checkKeys(keys: readonly NamedKey[], roles: KeysDocument['roles'], faultAt: FaultAt): void {
  const names = new Set<string>();
  const hashes = new Set<string>();
  for (const [index, { name, role, sha256, source }] of keys.entries()) {
    const permissions = roles.get(role)?.permissions;
    if (permissions === undefined)
      throw faultAt(index, 'role', `expected one of ${[...roles.keys()].join(', ')}`);
    if (names.has(name)) throw faultAt(index, 'name', `there is another key ${name}`);
    if (hashes.has(sha256)) throw faultAt(index, 'sha256', `${name} has the secret of another key`);
    if (SOURCE_ROLES.has(role) && source === undefined)
      throw faultAt(index, 'role', `the role ${role} needs a source, as which it writes`);
    if (source !== undefined && !permissions.includes('write'))
      throw faultAt(index, 'source', `expected none: the role ${role} does not write`);
    names.add(name);
    hashes.add(sha256);
  }
}
