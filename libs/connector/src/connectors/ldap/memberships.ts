import type { Entry } from 'ldapts';
import type { EntityKey } from '#model';
import { DomainError } from '#foundation';
import type { StepContext } from '../../step/step.ts';
import { normalName } from './distinguished-name.ts';
import { textsOf } from './entry-values.ts';
import type { LdapConfig } from './ldap-config.ts';

/** By distinguished name, and by the `uid` of a user. */
export const MEMBER_ATTRIBUTES = ['member', 'uniqueMember', 'memberUid'];
/** Active Directory gives long lists in parts: `member;range=0-1499`. */
const RANGED = /^(?:member|uniquemember);range=/i;

/** Emits MEMBER_OF for every member that is among the users and groups, and warns of the others. */
export async function emitMemberships(
  context: StepContext<LdapConfig>,
  groups: AsyncIterable<Entry>,
): Promise<void> {
  const usersByName = new Map<string, EntityKey>();
  for (const { type, key, properties } of context.entities('user')) {
    usersByName.set(String(properties['name']), { type, key });
  }
  for await (const entry of groups) {
    const to = { type: 'group', key: normalName(entry.dn) };
    if (!context.has(to.type, to.key)) continue;
    if (Object.keys(entry).some((name) => RANGED.test(name))) {
      throw new DomainError('INVALID_REQUEST', `the server gives only some members of ${entry.dn}`);
    }
    for (const member of membersOf(context, entry, usersByName)) {
      context.emitRelationship({ from: member, verb: 'MEMBER_OF', to });
    }
  }
}

function* membersOf(
  context: StepContext<LdapConfig>,
  entry: Entry,
  usersByName: ReadonlyMap<string, EntityKey>,
): Iterable<EntityKey> {
  for (const name of [...textsOf(entry, 'member'), ...textsOf(entry, 'uniqueMember')]) {
    const key = normalName(name);
    const type = ['user', 'group'].find((each) => context.has(each, key));
    if (type !== undefined) yield { type, key };
    else context.warn(`${entry.dn} has a member that is no user and no group here: ${name}`);
  }
  for (const name of textsOf(entry, 'memberUid')) {
    const user = usersByName.get(name);
    if (user !== undefined) yield user;
    else context.warn(`${entry.dn} has a member that is no user here: ${name}`);
  }
}
