import type { EntityInput, EntityKey } from '#graph/model';
import { DomainError } from '#platform/foundation';
import type { StepContext } from '../../run/step.ts';
import { sidInDomainOf } from './binary-ids.ts';
import { isTopLevel, isWithin, normalName } from './distinguished-name.ts';
import { KnownEntries, namesIn, textsOf } from './entry-values.ts';
import type { LdapConfig } from './ldap-config.ts';
import type { Entry } from './ldap-message.ts';
import type { Directory } from './ldap-session.ts';

const NAME_ATTRIBUTES = ['member', 'uniqueMember'];
/** By distinguished name, and by the `uid` of a user. */
const MEMBER_ATTRIBUTES = [...NAME_ATTRIBUTES, 'memberUid'];
const VERB = 'MEMBER_OF';
/** The optional identifier after the name in a `uniqueMember`: `#'0101'B`. */
const UNIQUE_ID = /#'[01]*'B$/;
/** The name of a member from another domain in Active Directory. Other identifiers belong to the system. */
const FOREIGN_MEMBER = /^cn=s-1-5-21-[\d-]+,cn=foreignsecurityprincipals,/;

/**
 * Emits MEMBER_OF for every member among the users and groups. Unknown members that may exist make the verb
 * incomplete; names that match nothing are reported.
 */
export async function emitMemberships(context: StepContext<LdapConfig>, directory: Directory): Promise<void> {
  const memberships = new Memberships(context, directory);
  const search = { filter: context.config.group_filter, attributes: MEMBER_ATTRIBUTES, types: [VERB] };
  for await (const entry of directory.entries(search)) await memberships.emit(entry);
}

class Memberships {
  readonly #context: StepContext<LdapConfig>;
  readonly #directory: Directory;
  readonly #base: string;
  readonly #usersByName: KnownEntries;
  readonly #groupsByName: KnownEntries;
  readonly #usersByUid: KnownEntries;

  constructor(context: StepContext<LdapConfig>, directory: Directory) {
    this.#context = context;
    this.#directory = directory;
    this.#base = normalName(context.config.base_dn);
    this.#usersByName = new KnownEntries(context.entities('user'), (user) =>
      namesIn(user, 'dn').map(normalName),
    );
    this.#groupsByName = new KnownEntries(context.entities('group'), (group) =>
      namesIn(group, 'dn').map(normalName),
    );
    this.#usersByUid = new KnownEntries(context.entities('user'), (user) => [
      ...namesIn(user, 'name'),
      ...namesIn(user, 'uids'),
    ]);
  }

  async emit(entry: Entry): Promise<void> {
    const [to] = this.#groupsByName.find(normalName(entry.dn));
    if (to === undefined) return;
    for (const attribute of NAME_ATTRIBUTES) {
      const { names, failure } = await allMembers(this.#directory, entry, attribute);
      this.#context.signal.throwIfAborted();
      if (failure !== undefined) {
        this.#lose(`the server gives only some members of ${entry.dn}: ${failure}`);
      }
      for (const name of names) this.#relateByName(entry, name.replace(UNIQUE_ID, ''), to);
    }
    for (const uid of textsOf(entry, 'memberUid')) this.#relateByUid(entry, uid, to);
  }

  #relateByName(entry: Entry, name: string, to: EntityKey): void {
    const normal = normalName(name);
    const users = this.#usersByName.find(normal);
    const found = users.length > 0 ? users : this.#groupsByName.find(normal);
    const [from] = found;
    if (from !== undefined && found.length === 1) {
      this.#context.emitRelationship({ from, verb: VERB, to });
    } else if (from !== undefined) {
      this.#lose(`${entry.dn} has a member that is ${found.length} entries here: ${name}`);
    } else if (FOREIGN_MEMBER.test(normal)) {
      this.#lose(`${entry.dn} has a member of another domain: ${name}`);
    } else if (isTopLevel(normal)) {
      // `cn=none`: a placeholder, since some kinds of group must not be empty.
    } else if (isWithin(normal, this.#base)) {
      // The whole base has been read: the member was deleted, or is excluded by the filters.
      this.#context.warn(`${entry.dn} has a member that is no user and no group here: ${name}`);
    } else {
      this.#lose(`${entry.dn} has a member outside ${this.#context.config.base_dn}: ${name}`);
    }
  }

  #relateByUid(entry: Entry, uid: string, to: EntityKey): void {
    const found = this.#usersByUid.find(uid);
    const [from] = found;
    if (from !== undefined && found.length === 1) {
      this.#context.emitRelationship({ from, verb: VERB, to });
    } else if (from === undefined) {
      this.#lose(`${entry.dn} has a member that is no user here: ${uid}`);
    } else {
      this.#lose(
        `${entry.dn} has a member that is ${found.length} users here: ${uid} (${found.map(({ key }) => key).join(', ')})`,
      );
    }
  }

  #lose(reason: string): void {
    this.#context.incomplete([VERB], reason);
  }
}

/**
 * Active Directory returns long lists in ranges: `member;range=0-1499`, the last one `member;range=1500-*`.
 */
const RANGED = /^(.+);range=(\d+)-(\d+|\*)$/i;

interface MemberRange {
  readonly values: readonly string[];
  /** Attribute of the following range; undefined after the last one. */
  readonly next: number | undefined;
}

/** The values that could be read, and why they are incomplete. */
interface MemberNames {
  readonly names: readonly string[];
  readonly failure?: string;
}

/** All names of an attribute, including the following ranges. */
async function allMembers(directory: Directory, entry: Entry, attribute: string): Promise<MemberNames> {
  const names = [...textsOf(entry, attribute)];
  let range = rangeIn(entry, attribute, 0);
  names.push(...(range?.values ?? []));
  try {
    while (range?.next !== undefined) {
      const { next } = range;
      const more = await directory.read(entry.dn, `${attribute};range=${next}-*`);
      range = more && rangeIn(more, attribute, next);
      if (range === undefined) {
        throw new DomainError('INVALID_REQUEST', `the server does not give them from number ${next} on`);
      }
      for (const name of range.values) names.push(name);
    }
  } catch (error) {
    return { names, failure: error instanceof Error ? error.message : String(error) };
  }
  return { names };
}

function rangeIn(entry: Entry, attribute: string, from: number): MemberRange | undefined {
  for (const key of entry.attributes.keys()) {
    const [, name = '', first, last = ''] = RANGED.exec(key) ?? [];
    const values = textsOf(entry, key);
    if (name.toLowerCase() !== attribute.toLowerCase() || Number(first) !== from) continue;
    if (values.length > 0) return { values, next: last === '*' ? undefined : Number(last) + 1 };
  }
  return undefined;
}

/**
 * Emits MEMBER_OF for the primary group of an account, which the group's list does not contain: `gidNumber`
 * of POSIX, `primaryGroupID` of Active Directory.
 */
export function emitPrimaryGroups(context: StepContext<unknown>): void {
  const byGid = new KnownEntries(context.entities('group'), (group) => namesIn(group, 'gid_number'));
  const bySid = new KnownEntries(context.entities('group'), (group) => namesIn(group, 'sid'));
  const localGids = new Set<string>();
  for (const user of context.entities('user')) {
    const [gid] = namesIn(user, 'gid_number');
    // A number without a group belongs to a local group of the machines: `users`, 100.
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
