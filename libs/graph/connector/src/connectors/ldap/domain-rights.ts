/**
 * Who may do what with the objects of a domain: the access list of each entry, under the names of
 * BloodHound's edges, where the entries are, and what reaches over from account to account.
 */
import type { EntityKey } from '#graph/model';
import { DomainError } from '#platform/foundation';
import type { StepContext } from '../../run/step.ts';
import { aclEdges } from '../bloodhound/sharphound-edges.ts';
import { type AccessRight, grantedSids, type ObjectKind, rightsOn } from './access-rights.ts';
import { guidText } from './binary-ids.ts';
import { DELEGATION_VERBS, emitDelegation, emitTrusts } from './domain-delegation.ts';
import { nameAbove, normalName } from './distinguished-name.ts';
import { KIND_OF_TYPE, OBJECT_FILTER } from './domain-objects.ts';
import { DomainPrincipals, entitiesOf } from './domain-principals.ts';
import { bytesOf, entryKey, KEY_ATTRIBUTES, namesIn, textOf } from './entry-values.ts';
import type { LdapConfig } from './ldap-config.ts';
import type { Entry } from './ldap-message.ts';
import type { Directory } from './ldap-session.ts';
import { parseSecurityDescriptor, type SecurityDescriptor } from './security-descriptor.ts';

/** Verbs of what is read from access lists: incomplete if one cannot be read. */
const ACCESS_VERBS = [
  ...[
    'Owns',
    'OwnsLimitedRights',
    'WriteOwnerLimitedRights',
    'GenericAll',
    'GenericWrite',
    'WriteDacl',
    'WriteOwner',
    'AllExtendedRights',
  ],
  ...['ForceChangePassword', 'AddMember', 'AddSelf', 'WriteSPN', 'AddKeyCredentialLink', 'WriteGPLink'],
  ...['GetChanges', 'GetChangesAll', 'GetChangesInFilteredSet', 'DCSync', 'ReadLAPSPassword'],
  ...['AddAllowedToAct', 'WriteAccountRestrictions', 'AllowedToAct', 'ReadGMSAPassword'],
];
export const RIGHT_VERBS: readonly string[] = [...ACCESS_VERBS, ...DELEGATION_VERBS, 'Contains', 'GPLink'];

const DESCRIPTOR = 'nTSecurityDescriptor';
/** Attributes with a list of their own: whoever is granted anything there has this edge. */
const OWN_LISTS: readonly (readonly [string, string])[] = [
  ['msDS-AllowedToActOnBehalfOfOtherIdentity', 'AllowedToAct'],
  ['msDS-GroupMSAMembership', 'ReadGMSAPassword'],
];
const LAPS_TIMES = ['ms-Mcs-AdmPwdExpirationTime', 'msLAPS-PasswordExpirationTime'];
const LAPS_PASSWORDS =
  '(|(lDAPDisplayName=ms-Mcs-AdmPwd)(lDAPDisplayName=msLAPS-Password)(lDAPDisplayName=msLAPS-EncryptedPassword))';
const ATTRIBUTES = [
  ...[DESCRIPTOR, 'gPLink', ...OWN_LISTS.map(([attribute]) => attribute), ...LAPS_TIMES, ...KEY_ATTRIBUTES],
];
/** A policy that is linked here: its name, and whether it is disabled (1) or enforced (2). */
const POLICY_LINK = /\[LDAP:\/\/([^\];]+);(\d+)\]/gi;
const [LINK_DISABLED, LINK_ENFORCED] = [1, 2];
const NAMES_SHOWN_MAX = 5;

/** An entity that has rights on it. */
interface DomainObject {
  readonly entity: EntityKey;
  readonly kind: ObjectKind;
  readonly objectId: string;
}

export async function emitRights(context: StepContext<LdapConfig>, directory: Directory): Promise<void> {
  const principals = new DomainPrincipals(context);
  const rights = new DomainRights(context, principals, await passwordTypes(directory));
  const { user_filter: users, group_filter: groups } = context.config;
  const search = {
    filter: `(|${users}${groups}${OBJECT_FILTER})`,
    attributes: ATTRIBUTES,
    types: [],
    hasDescriptors: true,
  };
  for await (const entry of directory.entries(search)) rights.emit(entry);
  rights.end();
  emitDelegation(context, principals);
  await emitTrusts(context, directory);
}

class DomainRights {
  readonly #context: StepContext<LdapConfig>;
  readonly #passwordTypes: ReadonlySet<string>;
  readonly #principals: DomainPrincipals;
  readonly #byKey = new Map<string, DomainObject>();
  readonly #byName = new Map<string, EntityKey>();
  readonly #unread: string[] = [];
  #readCount = 0;

  constructor(
    context: StepContext<LdapConfig>,
    principals: DomainPrincipals,
    passwordTypes: ReadonlySet<string>,
  ) {
    this.#context = context;
    this.#passwordTypes = passwordTypes;
    this.#principals = principals;
    for (const each of entitiesOf(context)) {
      const { type, key } = each;
      const kind = KIND_OF_TYPE.get(type);
      const [objectId = key] = namesIn(each, 'objectid');
      if (kind !== undefined) this.#byKey.set(key, { entity: { type, key }, kind, objectId });
      for (const name of namesIn(each, 'dn')) this.#byName.set(normalName(name), { type, key });
    }
  }

  emit(entry: Entry): void {
    const object = this.#byKey.get(entryKey(entry));
    if (object === undefined) return;
    this.#emitPlace(entry, object.entity);
    const descriptor = this.#descriptorOf(entry, DESCRIPTOR);
    if (descriptor === undefined) this.#unread.push(entry.dn);
    else {
      this.#readCount++;
      const hasLaps = LAPS_TIMES.some((attribute) => bytesOf(entry, attribute) !== undefined);
      this.#emitAccess(
        object,
        rightsOn(object.kind, descriptor, { hasLaps, passwordTypes: this.#passwordTypes }),
      );
    }
    for (const [attribute, right] of OWN_LISTS) {
      if (bytesOf(entry, attribute) === undefined) continue;
      const list = this.#descriptorOf(entry, attribute);
      if (list === undefined) this.#unread.push(entry.dn);
      else
        this.#emitAccess(
          object,
          grantedSids(list).map((granted) => ({ ...granted, right })),
        );
    }
  }

  /** Throws if no access list could be read; reports single ones. */
  end(): void {
    const { length } = this.#unread;
    if (length === 0) return;
    const shown = this.#unread.slice(0, NAMES_SHOWN_MAX).join(', ') + (length > NAMES_SHOWN_MAX ? ', …' : '');
    const reason = `the server does not give the access list of ${length} objects, or not a whole one: ${shown}`;
    if (this.#readCount === 0) throw new DomainError('FORBIDDEN', reason);
    this.#context.incomplete(ACCESS_VERBS, reason);
  }

  #emitAccess({ entity, kind, objectId }: DomainObject, rights: readonly AccessRight[]): void {
    const entries = rights.map(({ sid, right, isInherited }) => ({
      PrincipalSID: sid,
      PrincipalType: 'Base',
      RightName: right,
      IsInherited: isInherited,
    }));
    const seen = new Set<string>();
    for (const { from, verb, properties } of aclEdges({ id: objectId, kind }, entries)) {
      // Of equal rights the first counts.
      if (seen.has(`${verb} ${from.id}`)) continue;
      seen.add(`${verb} ${from.id}`);
      this.#context.emitRelationship({ from: this.#principals.at(from.id), verb, to: entity, properties });
    }
  }

  /** What contains the object, and the policies that are linked to it. */
  #emitPlace(entry: Entry, to: EntityKey): void {
    const container = this.#byName.get(nameAbove(normalName(entry.dn)));
    const properties = { isacl: false };
    if (container !== undefined)
      this.#context.emitRelationship({ from: container, verb: 'Contains', to, properties });
    const links = new Map<string, { readonly from: EntityKey; readonly enforced: boolean }>();
    for (const [, name = '', options] of (textOf(entry, 'gPLink') ?? '').matchAll(POLICY_LINK)) {
      const from = this.#byName.get(normalName(name));
      const flags = Number(options);
      if (from !== undefined && (flags & LINK_DISABLED) === 0)
        links.set(from.key, { from, enforced: (flags & LINK_ENFORCED) !== 0 });
    }
    for (const { from, enforced } of links.values())
      this.#context.emitRelationship({ from, verb: 'GPLink', to, properties: { ...properties, enforced } });
  }

  /** Undefined if there is none, or one that is damaged, which is a warning. */
  #descriptorOf(entry: Entry, attribute: string): SecurityDescriptor | undefined {
    const bytes = bytesOf(entry, attribute);
    if (bytes === undefined) return undefined;
    try {
      const descriptor = parseSecurityDescriptor(bytes);
      if (descriptor.conditionalCount > 0)
        this.#context.ignored('conditional entries of access lists', descriptor.conditionalCount);
      return descriptor;
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      this.#context.warn(`${entry.dn}, ${attribute}: ${error.message}`);
      return undefined;
    }
  }
}

/** The attributes that hold passwords of computers, if the domain has such: schemas differ in their GUIDs. */
async function passwordTypes(directory: Directory): Promise<ReadonlySet<string>> {
  const root = await directory.read('', 'schemaNamingContext');
  const base = root && textOf(root, 'schemaNamingContext');
  const types = new Set<string>();
  if (base === undefined) return types;
  const search = { base, filter: LAPS_PASSWORDS, attributes: ['schemaIDGUID'], types: [] };
  for await (const entry of directory.entries(search)) {
    const bytes = bytesOf(entry, 'schemaIDGUID');
    const guid = bytes && guidText(bytes);
    if (guid !== undefined) types.add(guid);
  }
  return types;
}
