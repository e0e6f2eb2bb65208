import type { Entry } from 'ldapts';
import type { Disk } from '#disk';
import { type ConnectorType, defineConnector } from '../../config/connector-type.ts';
import type { StepContext } from '../../step/step.ts';
import { emitMemberships, MEMBER_ATTRIBUTES } from './memberships.ts';
import { normalName } from './distinguished-name.ts';
import { isAccountOff, textOf } from './entry-values.ts';
import { LDAP_CONFIG, type LdapConfig } from './ldap-config.ts';
import { searchDirectory } from './ldap-session.ts';

const USER_ATTRIBUTES = [
  ...['uid', 'cn', 'sn', 'givenName', 'displayName', 'mail', 'title', 'employeeType', 'departmentNumber'],
  ...['department', 'sAMAccountName', 'userPrincipalName', 'userAccountControl', 'nsAccountLock'],
  ...['pwdAccountLockedTime', 'uidNumber'],
];
const GROUP_ATTRIBUTES = ['cn', 'description', 'gidNumber', 'sAMAccountName'];

/**
 * A directory: `user` MEMBER_OF `group` MEMBER_OF `group`, keyed by distinguished name. OpenLDAP and
 * its like, and Active Directory.
 */
export function ldapConnector(disk: Disk): ConnectorType {
  return defineConnector({
    name: 'ldap',
    about: 'users, groups and nested memberships of an LDAP directory',
    config: LDAP_CONFIG,
    steps: () => [
      {
        id: 'users',
        emits: { entities: ['user'] },
        async run(context) {
          const search = { filter: context.config.user_filter, attributes: USER_ATTRIBUTES };
          for await (const entry of searchDirectory(disk, context, search)) emitUser(context, entry);
        },
      },
      {
        id: 'groups',
        emits: { entities: ['group'] },
        async run(context) {
          const search = { filter: context.config.group_filter, attributes: GROUP_ATTRIBUTES };
          for await (const entry of searchDirectory(disk, context, search)) emitGroup(context, entry);
        },
      },
      {
        id: 'memberships',
        description: 'members of groups, groups in groups included',
        dependsOn: ['users', 'groups'],
        emits: { relationships: ['MEMBER_OF'] },
        async run(context) {
          const search = { filter: context.config.group_filter, attributes: MEMBER_ATTRIBUTES };
          await emitMemberships(context, searchDirectory(disk, context, search));
        },
      },
    ],
  });
}

function emitUser(context: StepContext<LdapConfig>, entry: Entry): void {
  const name = textOf(entry, 'uid') ?? textOf(entry, 'sAMAccountName') ?? textOf(entry, 'cn');
  context.emitEntity({
    type: 'user',
    key: normalName(entry.dn),
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
      uid_number: numberOf(entry, 'uidNumber'),
      active: !isAccountOff(entry),
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
  };
  context.emitEntity({
    type: 'group',
    key: normalName(entry.dn),
    class: 'Group',
    display_name: name,
    properties,
  });
}

function numberOf(entry: Entry, attribute: string): number | undefined {
  const text = textOf(entry, attribute);
  return text === undefined || !/^\d{1,15}$/.test(text) ? undefined : Number(text);
}
