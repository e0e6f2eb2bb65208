import type { EntityKey } from '#graph/model';
import { countedText } from '#platform/foundation';
import type { StepContext } from '../../run/step.ts';
import { foldedText, isTopLevel, isWithin, normalName } from './distinguished-name.ts';
import { membersOfUrls } from './dynamic-members.ts';
import { KnownEntries, namesIn, textOf } from './entry-values.ts';
import type { LdapConfig } from './ldap-config.ts';
import type { Entry } from './ldap-message.ts';
import type { Directory } from './ldap-session.ts';
import { emitMembership, leaveOutMembership, loseMembership } from './membership.ts';
import { allMembers } from './member-ranges.ts';

/** The attribute whose values are the `uid` of users; those of others are names of entries. */
const UID_ATTRIBUTE = 'memberuid';
const MEMBER_URL = 'memberURL';
/** The optional identifier after the name in a `uniqueMember`: `#'0101'B`. */
const UNIQUE_ID = /#'[01]*'B$/;
/** The name of a member from another domain in Active Directory. Other identifiers belong to the system. */
const FOREIGN_MEMBER = /^cn=s-1-5-21-[\d-]+,cn=foreignsecurityprincipals,/;
const ALIASES = '(objectClass=alias)';
const ALIAS_TARGET = 'aliasedObjectName';
const ALIAS_HOPS_MAX = 16;
const NAMES_SHOWN_MAX = 10;

/**
 * Emits MEMBER_OF for every member among the users and groups. A member outside the directory is external; of
 * a group with a member that cannot be told, all memberships are kept; other unknown names are reported.
 */
export async function emitMemberships(context: StepContext<LdapConfig>, directory: Directory): Promise<void> {
  const { member_attributes, dynamic_groups } = context.config;
  const memberships = new Memberships(context, directory);
  const attributes = [...member_attributes, ...(dynamic_groups ? [MEMBER_URL] : [])];
  const search = { filter: groupFilter(context.config), attributes, types: [] };
  for await (const entry of directory.entries(search)) await memberships.emit(entry);
  await memberships.end();
}

/** Groups by their lists, and those whose members are the entries that a search finds. */
export function groupFilter({ group_filter, dynamic_groups }: LdapConfig): string {
  return dynamic_groups ? `(|${group_filter}(objectClass=groupOfURLs))` : group_filter;
}

/** A member named by an entry, and the group of that entry. */
interface Member {
  readonly name: string;
  readonly group: string;
  readonly to: EntityKey;
}

class Memberships {
  readonly #context: StepContext<LdapConfig>;
  readonly #directory: Directory;
  readonly #base: string;
  readonly #usersByName: KnownEntries;
  readonly #groupsByName: KnownEntries;
  readonly #usersByUid: KnownEntries;
  readonly #usersByFoldedUid: KnownEntries;
  /** Names within the base that match nothing: aliases, or stale. */
  readonly #unknown: Member[] = [];
  readonly #otherSpellings: string[] = [];

  constructor(context: StepContext<LdapConfig>, directory: Directory) {
    this.#context = context;
    this.#directory = directory;
    this.#base = normalName(context.config.base_dn);
    const users = [...context.entities('user'), ...context.entities('computer')];
    const groups = context.entities('group');
    this.#usersByName = new KnownEntries(users, (user) => namesIn(user, 'dn').map(normalName));
    this.#groupsByName = new KnownEntries(groups, (group) => namesIn(group, 'dn').map(normalName));
    this.#usersByUid = new KnownEntries(users, uidsOf);
    this.#usersByFoldedUid = new KnownEntries(users, (user) => uidsOf(user).map(foldedText));
  }

  async emit(entry: Entry): Promise<void> {
    const [to] = this.#groupsByName.find(normalName(entry.dn));
    if (to === undefined) return;
    const { member_attributes, dynamic_groups } = this.#context.config;
    for (const attribute of member_attributes) {
      const { values, failure } = await allMembers(this.#directory, entry, attribute);
      this.#context.signal.throwIfAborted();
      if (failure !== undefined) {
        this.#lose(to, `the server gives only some members of ${entry.dn}: ${failure}`);
      }
      const isUid = attribute.toLowerCase() === UID_ATTRIBUTE;
      for (const name of values) this.#relate({ name, group: entry.dn, to }, isUid);
    }
    if (dynamic_groups) await this.#emitFound(entry, to);
  }

  /** Resolves what may be an alias, and reports the rest. */
  async end(): Promise<void> {
    if (this.#unknown.length > 0) await this.#resolveAliases();
    const { length } = this.#otherSpellings;
    if (length === 0) return;
    const shown = this.#otherSpellings.slice(0, NAMES_SHOWN_MAX).join(', ');
    this.#context.warn(
      `${countedText(length, 'member is', 'members are')} spelt otherwise than the uid of the user: ${shown}`,
    );
  }

  /** The members of a dynamic group: the users and groups that its searches find. */
  async #emitFound(entry: Entry, to: EntityKey): Promise<void> {
    const { names, failures, external } = await membersOfUrls(this.#directory, entry, MEMBER_URL);
    this.#context.signal.throwIfAborted();
    for (const reason of failures) this.#lose(to, `the members of ${entry.dn} cannot be searched: ${reason}`);
    for (const reason of external) {
      leaveOutMembership(this.#context, { owner: to, end: 'to', reason: `${entry.dn}: ${reason}` });
    }
    for (const name of names) {
      const [from] = this.#entriesNamed(normalName(name));
      if (from === undefined)
        this.#context.ignored('members of dynamic groups that are no user and no group');
      else emitMembership(this.#context, from, to);
    }
  }

  #relate(member: Member, isUid: boolean): void {
    const isName = member.name.includes('=');
    if ((isUid || !isName) && this.#relateByUid(member)) return;
    if (isName) this.#relateByName({ ...member, name: member.name.replace(UNIQUE_ID, '') });
    else if (isUid) this.#leaveOut(member, 'is no user here');
    else this.#context.warn(`${member.group} has a member that is no name of an entry: ${member.name}`);
  }

  /** Whether the name is that of users. */
  #relateByUid(member: Member): boolean {
    const { name, group, to } = member;
    const exact = this.#usersByUid.find(name);
    const found = exact.length > 0 ? exact : this.#usersByFoldedUid.find(foldedText(name));
    const [from] = found;
    if (from === undefined) return false;
    if (found.length > 1) {
      const keys = found.map(({ key }) => key).join(', ');
      this.#lose(to, `${group} has a member that is ${found.length} users here: ${name} (${keys})`);
      return true;
    }
    if (exact.length === 0) this.#otherSpellings.push(name);
    emitMembership(this.#context, from, to);
    return true;
  }

  #relateByName(member: Member): void {
    const { name, group, to } = member;
    const normal = normalName(name);
    const found = this.#entriesNamed(normal);
    const [from] = found;
    if (from !== undefined && found.length === 1) {
      emitMembership(this.#context, from, to);
    } else if (from !== undefined) {
      this.#lose(to, `${group} has a member that is ${found.length} entries here: ${name}`);
    } else if (FOREIGN_MEMBER.test(normal)) {
      this.#leaveOut(member, 'is of another domain');
    } else if (isTopLevel(normal)) {
      // `cn=none`: a placeholder, since some kinds of group must not be empty.
    } else if (isWithin(normal, this.#base)) {
      this.#unknown.push(member);
    } else {
      this.#leaveOut(member, `is outside ${this.#context.config.base_dn}`);
    }
  }

  /** The members that are aliases are the entries that those lead to. */
  async #resolveAliases(): Promise<void> {
    const targets = new Map<string, string>();
    const search = { filter: ALIASES, attributes: [ALIAS_TARGET], types: [] };
    for await (const entry of this.#directory.entries(search)) {
      const target = textOf(entry, ALIAS_TARGET);
      if (target !== undefined) targets.set(normalName(entry.dn), normalName(target));
    }
    for (const { name, group, to } of this.#unknown) {
      const end = targetOf(normalName(name), targets);
      const [from] = this.#entriesNamed(end);
      if (from !== undefined) emitMembership(this.#context, from, to);
      else if (this.#directory.isElsewhere(end)) {
        this.#lose(to, `${group} has a member on another server: ${name}`);
      } else {
        // The whole base has been read: the member was deleted, or is excluded by the filters.
        this.#context.warn(`${group} has a member that is no user and no group here: ${name}`);
      }
    }
  }

  #entriesNamed(normal: string): readonly EntityKey[] {
    const users = this.#usersByName.find(normal);
    return users.length > 0 ? users : this.#groupsByName.find(normal);
  }

  #lose(owner: EntityKey, reason: string): void {
    loseMembership(this.#context, { owner, end: 'to', reason });
  }

  #leaveOut({ name, group, to }: Member, why: string): void {
    const reason = `${group} has a member that ${why}: ${name}`;
    leaveOutMembership(this.#context, { owner: to, end: 'to', reason });
  }
}

function uidsOf(user: Parameters<typeof namesIn>[0]): readonly string[] {
  return [...namesIn(user, 'name'), ...namesIn(user, 'uids')];
}

/** Follows aliases of aliases, and stops in a cycle. */
function targetOf(name: string, targets: ReadonlyMap<string, string>): string {
  let end = name;
  for (let hops = 0; hops < ALIAS_HOPS_MAX; hops++) end = targets.get(end) ?? end;
  return end;
}
