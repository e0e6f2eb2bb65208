import type { EntityInput } from '#graph/model';
import type { StepContext } from '../../step/step.ts';
import { sidInDomainOf } from './binary-ids.ts';
import { KnownEntries, namesIn } from './known-entries.ts';

/**
 * Emits MEMBER_OF for the group that an account has from the start, of which the group's own list says
 * nothing: `gidNumber` of POSIX, `primaryGroupID` of Active Directory.
 */
export function emitPrimaryGroups(context: StepContext<unknown>): void {
  const byGid = new KnownEntries(context.entities('group'), (group) => namesIn(group, 'gid_number'));
  const bySid = new KnownEntries(context.entities('group'), (group) => namesIn(group, 'sid'));
  const localGids = new Set<string>();
  for (const user of context.entities('user')) {
    const [gid] = namesIn(user, 'gid_number');
    // A number of no group here is one of the machine's own: `users`, 100.
    if (gid !== undefined && byGid.find(gid).length === 0) localGids.add(gid);
    else if (gid !== undefined) relate(context, user, byGid, gid);
    const [relativeId] = namesIn(user, 'primary_group_id');
    const [sid] = namesIn(user, 'sid');
    if (relativeId === undefined) continue;
    if (sid !== undefined) relate(context, user, bySid, sidInDomainOf(sid, Number(relativeId)));
    else context.incomplete(['MEMBER_OF'], `${nameOf(user)} has a primaryGroupID and no objectSid`);
  }
  if (localGids.size > 0) {
    context.warn(`primary groups (gidNumber) that are no group here: ${[...localGids].join(', ')}`);
  }
}

function relate(context: StepContext<unknown>, user: EntityInput, groups: KnownEntries, name: string): void {
  const found = groups.find(name);
  const [to] = found;
  if (to !== undefined && found.length === 1) {
    context.emitRelationship({ from: user, verb: 'MEMBER_OF', to });
    return;
  }
  const reason = to === undefined ? 'is no group here' : `is ${found.length} groups`;
  context.incomplete(['MEMBER_OF'], `the primary group of ${nameOf(user)} ${reason}: ${name}`);
}

function nameOf(user: EntityInput): string {
  return String(user.properties['dn']);
}
