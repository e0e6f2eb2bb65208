import type { EntityInput } from '#graph/model';
import type { StepContext } from '../../run/step.ts';
import { sidInDomainOf } from './binary-ids.ts';
import { KnownEntries, namesIn } from './entry-values.ts';
import type { LdapConfig } from './ldap-config.ts';
import { emitMembership, loseMembership } from './membership.ts';

/**
 * Emits MEMBER_OF for the primary group of an account, which the group's list does not contain: `gidNumber`
 * of POSIX, `primaryGroupID` of Active Directory.
 */
export function emitPrimaryGroups(context: StepContext<LdapConfig>): void {
  const byGid = new KnownEntries(context.entities('group'), (group) => namesIn(group, 'gid_number'));
  const bySid = new KnownEntries(context.entities('group'), (group) => namesIn(group, 'sid'));
  const localGids = new Set<string>();
  for (const user of [...context.entities('user'), ...context.entities('computer')]) {
    const [gid] = namesIn(user, 'gid_number');
    // A number without a group belongs to a local group of the machines: `users`, 100.
    if (gid !== undefined && byGid.find(gid).length === 0) localGids.add(gid);
    else if (gid !== undefined) relate(context, user, byGid, gid);
    const [relativeId] = namesIn(user, 'primary_group_id');
    const [sid] = namesIn(user, 'sid');
    if (relativeId === undefined) continue;
    if (sid !== undefined) relate(context, user, bySid, sidInDomainOf(sid, Number(relativeId)));
    else lose(context, user, `${nameOf(user)} has a primaryGroupID and no objectSid`);
  }
  if (localGids.size > 0) {
    context.warn(`primary groups (gidNumber) that are no group here: ${[...localGids].join(', ')}`);
  }
}

function relate(
  context: StepContext<LdapConfig>,
  user: EntityInput,
  groups: KnownEntries,
  name: string,
): void {
  const found = groups.find(name);
  const [to] = found;
  if (to !== undefined && found.length === 1) {
    emitMembership(context, user, to);
    return;
  }
  const reason = to === undefined ? 'is no group here' : `is ${found.length} groups`;
  lose(context, user, `the primary group of ${nameOf(user)} ${reason}: ${name}`);
}

function lose(context: StepContext<LdapConfig>, owner: EntityInput, reason: string): void {
  loseMembership(context, { owner, end: 'from', reason });
}

function nameOf(user: EntityInput): string {
  return String(user.properties['dn']);
}
