/** The objects of a domain of Active Directory that have rights, apart from users and groups. */
import type { StepContext } from '../../run/step.ts';
import { isAccountActive, STATE_ATTRIBUTES } from './account-state.ts';
import type { ObjectKind } from './access-rights.ts';
import { guidText, sidText } from './binary-ids.ts';
import { normalName } from './distinguished-name.ts';
import { allBytesOf, bytesOf, entryKey, KEY_ATTRIBUTES, textOf, textsOf } from './entry-values.ts';
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
/** Of accounts in a domain: whom they may act for, and which identifiers they have had. */
export const DELEGATION_ATTRIBUTES = [
  ...['sAMAccountName', 'userAccountControl', 'msDS-AllowedToDelegateTo', 'sIDHistory'],
];
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
  ...DELEGATION_ATTRIBUTES,
];
/** Bits of userAccountControl. */
const CONTROL = { domainController: 0x2000, delegates: 0x80000, delegatesAnyLogin: 0x1000000 } as const;

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
        ...domainProperties(entry, context),
      },
    });
  }
}

function computerProperties(entry: Entry): Readonly<Record<string, unknown>> {
  return {
    dns_name: textOf(entry, 'dNSHostName'),
    operating_system: textOf(entry, 'operatingSystem'),
    is_dc: hasControl(entry, CONTROL.domainController) === true,
  };
}

function accountProperties(entry: Entry): Readonly<Record<string, unknown>> {
  const group = Number(textOf(entry, 'primaryGroupID'));
  return {
    primary_group_id: Number.isSafeInteger(group) && group > 0 ? group : undefined,
    active: isAccountActive(entry, Date.now()),
  };
}

/** Whether an account has the bit; undefined for what is no account. */
function hasControl(entry: Entry, bit: number): boolean | undefined {
  const control = textOf(entry, 'userAccountControl');
  return control === undefined ? undefined : (Number(control) & bit) !== 0;
}

/** What collectors say of every object of a domain, under their names. */
export function domainProperties(
  entry: Entry,
  context: StepContext<LdapConfig>,
): Readonly<Record<string, unknown>> {
  const guid = bytesOf(entry, 'objectGUID');
  const services = textsOf(entry, 'msDS-AllowedToDelegateTo');
  return {
    objectid: sidOf(entry) ?? (guid && guidText(guid))?.toUpperCase(),
    domain: domainName(context.config),
    samaccountname: textOf(entry, 'sAMAccountName'),
    unconstraineddelegation: hasControl(entry, CONTROL.delegates),
    trustedtoauth: hasControl(entry, CONTROL.delegatesAnyLogin),
    allowedtodelegate: services.length === 0 ? undefined : services,
    sidhistory: formerSids(context, entry),
  };
}

/** `CORP.EXAMPLE` of `OU=x,DC=corp,DC=example`. */
export function domainName({ base_dn: base }: LdapConfig): string {
  const parts = [...normalName(base).matchAll(/(?:^|,)dc=([^,]+)/g)].map(([, part = '']) => part);
  return parts.join('.').toUpperCase();
}

/** The identifiers that an account had in other domains. */
function formerSids(context: StepContext<LdapConfig>, entry: Entry): readonly string[] | undefined {
  const values = allBytesOf(entry, 'sIDHistory');
  const sids = values.flatMap((bytes) => sidText(bytes) ?? []);
  context.ignored('former identifiers that are none', values.length - sids.length);
  return sids.length === 0 ? undefined : sids;
}

export function sidOf(entry: Entry, attribute = 'objectSid'): string | undefined {
  const bytes = bytesOf(entry, attribute);
  return bytes && sidText(bytes);
}
