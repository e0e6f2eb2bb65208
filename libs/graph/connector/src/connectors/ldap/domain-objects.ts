/** The objects of a domain of Active Directory that have rights, apart from users and groups. */
import type { StepContext } from '../../run/step.ts';
import { isAccountActive, STATE_ATTRIBUTES } from './account-state.ts';
import type { ObjectKind } from './access-rights.ts';
import { guidText, sidText } from './binary-ids.ts';
import { normalName } from './distinguished-name.ts';
import { bytesOf, entryKey, KEY_ATTRIBUTES, textOf, textsOf } from './entry-values.ts';
import type { LdapConfig } from './ldap-config.ts';
import type { Entry } from './ldap-message.ts';
import type { Directory } from './ldap-session.ts';

/** The class of everything in a domain, as collectors name it. */
export const BASE_LABELS = ['Base'];
/** The types of entities, with the kind of each. */
export const KIND_OF_TYPE: ReadonlyMap<string, ObjectKind> = new Map([
  ['user', 'User'],
  ['group', 'Group'],
  ['computer', 'Computer'],
  ['domain', 'Domain'],
  ['gpo', 'GPO'],
  ['ou', 'OU'],
  ['container', 'Container'],
]);
/** The first class that an entry has decides: accounts of services are computers, policies are containers. */
const TYPE_OF_CLASS: readonly (readonly [string, string])[] = [
  ['msds-groupmanagedserviceaccount', 'user'],
  ['computer', 'computer'],
  ['domaindns', 'domain'],
  ['grouppolicycontainer', 'gpo'],
  ['organizationalunit', 'ou'],
  ['container', 'container'],
];
export const OBJECT_TYPES: readonly string[] = TYPE_OF_CLASS.map(([, type]) => type);
export const OBJECT_FILTER = `(|${TYPE_OF_CLASS.map(([name]) => `(objectClass=${name})`).join('')})`;
const ATTRIBUTES = [
  ...[
    'objectClass',
    'name',
    'displayName',
    'description',
    'sAMAccountName',
    'dNSHostName',
    'operatingSystem',
  ],
  ...['objectSid', 'objectGUID', 'primaryGroupID', ...STATE_ATTRIBUTES, ...KEY_ATTRIBUTES],
];
const DOMAIN_CONTROLLER = 0x2000;

/** Emits them; a user or group that the filters of the configuration include is not repeated. */
export async function emitObjects(context: StepContext<LdapConfig>, directory: Directory): Promise<void> {
  const search = { filter: OBJECT_FILTER, attributes: ATTRIBUTES, types: OBJECT_TYPES };
  for await (const entry of directory.entries(search)) {
    const classes = new Set(textsOf(entry, 'objectClass').map((name) => name.toLowerCase()));
    const [, type] = TYPE_OF_CLASS.find(([name]) => classes.has(name)) ?? [];
    const key = entryKey(entry);
    if (type === undefined || context.has('user', key) || context.has('group', key)) continue;
    const name = textOf(entry, 'displayName') ?? textOf(entry, 'name') ?? entry.dn;
    context.emitEntity({
      type,
      key,
      class: KIND_OF_TYPE.get(type),
      labels: BASE_LABELS,
      display_name: name,
      properties: {
        name,
        dn: entry.dn,
        description: textOf(entry, 'description'),
        ...(type === 'computer' && computerProperties(entry)),
        ...(['computer', 'user'].includes(type) && accountProperties(entry)),
        sid: sidOf(entry),
        ...domainProperties(entry, context.config),
      },
    });
  }
}

function computerProperties(entry: Entry): Readonly<Record<string, unknown>> {
  const control = Number(textOf(entry, 'userAccountControl') ?? '0');
  return {
    dns_name: textOf(entry, 'dNSHostName'),
    operating_system: textOf(entry, 'operatingSystem'),
    is_dc: (control & DOMAIN_CONTROLLER) !== 0,
  };
}

function accountProperties(entry: Entry): Readonly<Record<string, unknown>> {
  const group = Number(textOf(entry, 'primaryGroupID'));
  return {
    primary_group_id: Number.isSafeInteger(group) && group > 0 ? group : undefined,
    active: isAccountActive(entry, Date.now()),
  };
}

/** What collectors say of every object of a domain. */
export function domainProperties(
  entry: Entry,
  config: LdapConfig,
): Readonly<Record<string, string | undefined>> {
  const guid = bytesOf(entry, 'objectGUID');
  return {
    objectid: sidOf(entry) ?? (guid && guidText(guid))?.toUpperCase(),
    domain: domainName(config),
  };
}

/** `CORP.EXAMPLE` of `OU=x,DC=corp,DC=example`. */
export function domainName({ base_dn: base }: LdapConfig): string {
  const parts = [...normalName(base).matchAll(/(?:^|,)dc=([^,]+)/g)].map(([, part = '']) => part);
  return parts.join('.').toUpperCase();
}

export function sidOf(entry: Entry): string | undefined {
  const bytes = bytesOf(entry, 'objectSid');
  return bytes && sidText(bytes);
}
