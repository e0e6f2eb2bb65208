import type { Entry } from 'ldapts';
import type { EntityKey } from '#graph/model';
import type { StepContext } from '../../step/step.ts';
import { isTopLevel, isWithin, normalName } from './distinguished-name.ts';
import { textsOf } from './entry-values.ts';
import { KnownEntries, namesIn } from './known-entries.ts';
import type { LdapConfig } from './ldap-config.ts';
import type { Directory } from './ldap-session.ts';
import { allMembers } from './member-ranges.ts';

const NAME_ATTRIBUTES = ['member', 'uniqueMember'];
/** By distinguished name, and by the `uid` of a user. */
const MEMBER_ATTRIBUTES = [...NAME_ATTRIBUTES, 'memberUid'];
const VERB = 'MEMBER_OF';
/** What a `uniqueMember` may have behind its name: `#'0101'B`. */
const UNIQUE_ID = /#'[01]*'B$/;
/** How Active Directory writes a member of another domain. Other identifiers are those of the system. */
const FOREIGN_MEMBER = /^cn=s-1-5-21-[\d-]+,cn=foreignsecurityprincipals,/;

/**
 * Emits MEMBER_OF for every member that is among the users and groups. Members that may exist and are not
 * known make the verb incomplete; names of nobody are told of.
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
      // `cn=none`: some kinds of group may not be empty.
    } else if (isWithin(normal, this.#base)) {
      // The whole base has been read: it is gone, or the filters leave it out.
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
