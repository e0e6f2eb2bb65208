import type { Disk } from '#platform/disk';
import { type ConnectorType, defineConnector } from '../../config/connector-type.ts';
import type { EntityDraft, Step, StepContext } from '../../run/step.ts';
import { isAccountActive, STATE_ATTRIBUTES } from './account-state.ts';
import { entryKey, KEY_ATTRIBUTES, textOf, textsOf } from './entry-values.ts';
import {
  BASE_LABELS,
  DELEGATION_ATTRIBUTES,
  domainProperties,
  emitObjects,
  OBJECT_TYPES,
  sidOf,
} from './domain-objects.ts';
import { PRINCIPAL_TYPES } from './domain-principals.ts';
import { emitRights, RIGHT_VERBS } from './domain-rights.ts';
import { LDAP_CONFIG, type LdapConfig } from './ldap-config.ts';
import type { Entry } from './ldap-message.ts';
import { withDirectory } from './ldap-session.ts';
import { LDAP_VOCABULARY } from './ldap-vocabulary.ts';
import { membershipVerbs } from './membership.ts';
import { emitMemberships, groupFilter } from './memberships.ts';
import { emitPrimaryGroups } from './primary-groups.ts';

const USER_ATTRIBUTES = [
  ...['uid', 'cn', 'sn', 'givenName', 'displayName', 'mail', 'title', 'employeeType', 'departmentNumber'],
  ...['department', 'sAMAccountName', 'userPrincipalName', 'uidNumber', 'gidNumber', 'primaryGroupID'],
  ...['objectSid', ...STATE_ATTRIBUTES, ...KEY_ATTRIBUTES],
];
const GROUP_ATTRIBUTES = [
  ...['cn', 'description', 'gidNumber', 'sAMAccountName', 'objectSid', ...KEY_ATTRIBUTES],
];

/**
 * An LDAP directory: `user` MEMBER_OF `group` MEMBER_OF `group`, keyed by identifiers that survive renaming.
 * Supports OpenLDAP-like servers and Active Directory.
 */
export function ldapConnector(disk: Disk): ConnectorType {
  return defineConnector({
    name: 'ldap',
    about: 'users, groups and nested memberships of an LDAP directory',
    config: LDAP_CONFIG,
    vocabulary: LDAP_VOCABULARY,
    steps: (config) => [
      {
        id: 'users',
        emits: { entities: ['user'] },
        isNeverEmpty: true,
        async run(context) {
          const filter = context.config.user_filter;
          await withDirectory(disk, context, async (directory) => {
            const search = { filter, attributes: attributesFor(config, USER_ATTRIBUTES), types: ['user'] };
            for await (const entry of directory.entries(search)) emitUser(context, entry);
          });
        },
      },
      {
        id: 'groups',
        emits: { entities: ['group'] },
        isNeverEmpty: true,
        async run(context) {
          const filter = groupFilter(context.config);
          await withDirectory(disk, context, async (directory) => {
            const search = { filter, attributes: attributesFor(config, GROUP_ATTRIBUTES), types: ['group'] };
            for await (const entry of directory.entries(search)) emitGroup(context, entry);
          });
        },
      },
      {
        id: 'memberships',
        description: 'members of groups, groups in groups and primary groups included',
        dependsOn: ['users', 'groups', ...(config.rights ? ['objects'] : [])],
        emits: { relationships: membershipVerbs(config) },
        async run(context) {
          await withDirectory(disk, context, (directory) => emitMemberships(context, directory));
          emitPrimaryGroups(context);
        },
      },
      ...(config.rights ? domainSteps(disk) : []),
    ],
  });
}

/** The other objects of a domain of Active Directory, and the rights on all of them. */
function domainSteps(disk: Disk): readonly Step<LdapConfig>[] {
  return [
    {
      id: 'objects',
      description: 'computers, units, policies and containers of a domain',
      dependsOn: ['users', 'groups'],
      emits: { entities: OBJECT_TYPES },
      isNeverEmpty: true,
      run: (context) => withDirectory(disk, context, (directory) => emitObjects(context, directory)),
    },
    {
      id: 'rights',
      description: 'who may do what with each object of a domain',
      dependsOn: ['objects'],
      emits: { entities: PRINCIPAL_TYPES, relationships: RIGHT_VERBS },
      run: (context) => withDirectory(disk, context, (directory) => emitRights(context, directory)),
    },
  ];
}

function emitUser(context: StepContext<LdapConfig>, entry: Entry): void {
  const uids = textsOf(entry, 'uid');
  const name = uids[0] ?? textOf(entry, 'sAMAccountName') ?? textOf(entry, 'cn');
  const { labels, properties: inDomain } = domainFacts(context, entry);
  context.emitEntity({
    type: 'user',
    key: entryKey(entry),
    class: 'User',
    labels,
    display_name: textOf(entry, 'displayName') ?? textOf(entry, 'cn') ?? name,
    properties: {
      name,
      dn: entry.dn,
      email: textOf(entry, 'mail'),
      first_name: textOf(entry, 'givenName'),
      last_name: textOf(entry, 'sn'),
      title: textOf(entry, 'title'),
      department: textOf(entry, 'department') ?? textOf(entry, 'departmentNumber'),
      employee_type: textOf(entry, 'employeeType'),
      principal: textOf(entry, 'userPrincipalName'),
      uids: uids.length > 1 ? uids : undefined,
      uid_number: numberOf(entry, 'uidNumber'),
      gid_number: numberOf(entry, 'gidNumber'),
      primary_group_id: numberOf(entry, 'primaryGroupID'),
      sid: sidOf(entry),
      active: isAccountActive(entry, Date.now()),
      ...inDomain,
    },
  });
}

function emitGroup(context: StepContext<LdapConfig>, entry: Entry): void {
  const name = textOf(entry, 'cn') ?? textOf(entry, 'sAMAccountName');
  const { labels, properties: inDomain } = domainFacts(context, entry);
  const properties = {
    name,
    dn: entry.dn,
    description: textOf(entry, 'description'),
    gid_number: numberOf(entry, 'gidNumber'),
    sid: sidOf(entry),
    ...inDomain,
  };
  context.emitEntity({
    type: 'group',
    key: entryKey(entry),
    class: 'Group',
    labels,
    display_name: name,
    properties,
  });
}

function numberOf(entry: Entry, attribute: string): number | undefined {
  const text = textOf(entry, attribute);
  return text === undefined || !/^\d{1,15}$/.test(text) ? undefined : Number(text);
}

/** With rights, users and groups have what the other objects of a domain have. */
function domainFacts(
  context: StepContext<LdapConfig>,
  entry: Entry,
): Pick<EntityDraft, 'labels' | 'properties'> {
  return context.config.rights ? { labels: BASE_LABELS, properties: domainProperties(entry, context) } : {};
}

function attributesFor({ rights }: Pick<LdapConfig, 'rights'>, own: readonly string[]): readonly string[] {
  return rights ? [...new Set([...own, ...DELEGATION_ATTRIBUTES])] : own;
}
