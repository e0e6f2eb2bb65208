import type { Disk } from '#platform/disk';
import { type ConnectorType, defineConnector } from '../../config/connector-type.ts';
import type { StepContext } from '../../run/step.ts';
import { sidText } from './binary-ids.ts';
import { isAccountActive, STATE_ATTRIBUTES } from './account-state.ts';
import { bytesOf, entryKey, KEY_ATTRIBUTES, textOf, textsOf } from './entry-values.ts';
import { LDAP_CONFIG, type LdapConfig } from './ldap-config.ts';
import type { Entry } from './ldap-message.ts';
import { withDirectory } from './ldap-session.ts';
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

const VOCABULARY = {
  entities: {
    user:
      'active department dn email employee_type first_name gid_number last_name name primary_group_id principal sid ' +
      'title uid_number uids',
    group: 'description dn gid_number name sid',
  },
  relationships: { 'user MEMBER_OF group': '', 'group MEMBER_OF group': '' },
};

/**
 * An LDAP directory: `user` MEMBER_OF `group` MEMBER_OF `group`, keyed by identifiers that survive renaming.
 * Supports OpenLDAP-like servers and Active Directory.
 */
export function ldapConnector(disk: Disk): ConnectorType {
  return defineConnector({
    name: 'ldap',
    about: 'users, groups and nested memberships of an LDAP directory',
    config: LDAP_CONFIG,
    vocabulary: VOCABULARY,
    steps: () => [
      {
        id: 'users',
        emits: { entities: ['user'] },
        isNeverEmpty: true,
        async run(context) {
          const filter = context.config.user_filter;
          await withDirectory(disk, context, async (directory) => {
            const search = { filter, attributes: USER_ATTRIBUTES, types: ['user'] };
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
            const search = { filter, attributes: GROUP_ATTRIBUTES, types: ['group'] };
            for await (const entry of directory.entries(search)) emitGroup(context, entry);
          });
        },
      },
      {
        id: 'memberships',
        description: 'members of groups, groups in groups and primary groups included',
        dependsOn: ['users', 'groups'],
        emits: { relationships: ['MEMBER_OF'] },
        async run(context) {
          await withDirectory(disk, context, (directory) => emitMemberships(context, directory));
          emitPrimaryGroups(context);
        },
      },
    ],
  });
}

function emitUser(context: StepContext<LdapConfig>, entry: Entry): void {
  const uids = textsOf(entry, 'uid');
  const name = uids[0] ?? textOf(entry, 'sAMAccountName') ?? textOf(entry, 'cn');
  context.emitEntity({
    type: 'user',
    key: entryKey(entry),
    class: 'User',
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
    },
  });
}

function emitGroup(context: StepContext<LdapConfig>, entry: Entry): void {
  const name = textOf(entry, 'cn') ?? textOf(entry, 'sAMAccountName');
  const properties = {
    name,
    dn: entry.dn,
    description: textOf(entry, 'description'),
    gid_number: numberOf(entry, 'gidNumber'),
    sid: sidOf(entry),
  };
  context.emitEntity({
    type: 'group',
    key: entryKey(entry),
    class: 'Group',
    display_name: name,
    properties,
  });
}

function numberOf(entry: Entry, attribute: string): number | undefined {
  const text = textOf(entry, attribute);
  return text === undefined || !/^\d{1,15}$/.test(text) ? undefined : Number(text);
}

function sidOf(entry: Entry): string | undefined {
  const bytes = bytesOf(entry, 'objectSid');
  return bytes && sidText(bytes);
}
