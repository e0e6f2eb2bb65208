/**
 * The edges that an object of SharpHound states, under BloodHound's names. Those that BloodHound derives from
 * what the collector says of one object alone are here as well: AdminTo of local groups, DCSync of two
 * rights.
 */
import { isJsonObject, type JsonObject } from '#graph/model';
import { LOCAL_GROUP } from './bloodhound-kinds.ts';
import { RIGHT_NAME } from './shapes.ts';
import {
  edge,
  knownPrincipal,
  NOT_ACL,
  objects,
  principal,
  principals,
  propertiesIn,
} from './sharphound-ends.ts';
import { trustEdges, wellKnownEdges } from './sharphound-trusts.ts';
import type { Edge, Principal } from './statement.ts';

/** What an id begins with that is a distinguished name. */
export const NAMED = 'DN=';
const OWNER_RIGHTS = 'S-1-3-4';
/** What the members of a local group of this relative id can do. */
export const LOCAL_RIGHTS: readonly (readonly [string, string])[] = [
  ['-544', 'AdminTo'],
  ['-555', 'CanRDP'],
  ['-562', 'ExecuteDCOM'],
  ['-580', 'CanPSRemote'],
];
/** What may be done with a computer by its own policy. */
export const PRIVILEGES: ReadonlyMap<unknown, string> = new Map([
  ['SeRemoteInteractiveLogonRight', 'RemoteInteractiveLogonRight'],
  ['SeBackupPrivilege', 'BackupPrivilege'],
  ['SeRestorePrivilege', 'RestorePrivilege'],
]);
/** The same in version 5, and in the changes of group policies, in the order of the local groups. */
export const LOCAL_LISTS: readonly (readonly [string, string])[] = [
  ['LocalAdmins', 'AdminTo'],
  ['RemoteDesktopUsers', 'CanRDP'],
  ['DcomUsers', 'ExecuteDCOM'],
  ['PSRemoteUsers', 'CanPSRemote'],
];
/** Lists of principals that the object leads to. */
const TO_OTHERS: readonly (readonly [string, string])[] = [
  ['AllowedToDelegate', 'AllowedToDelegate'],
  ['HasSIDHistory', 'HasSIDHistory'],
  ['DumpSMSAPassword', 'DumpSMSAPassword'],
  ['ChildObjects', 'Contains'],
];
/** The edges of an object; `own` is the object itself. */
export function* edgesOf(own: Principal, item: JsonObject): Generator<Edge> {
  yield* listEdges(own, item);
  yield* aclEdges(own, entriesFor(item), propertiesIn(item));
  yield* computerEdges(own, item);
  yield* domainEdges(own, item);
  yield* certificateEdges(own, item);
}

/** A session in a file of its own. */
export function* sessionEdges(item: JsonObject): Generator<Edge> {
  const [computer, user] = [item['ComputerSID'], item['UserSID']];
  if (typeof computer !== 'string' || typeof user !== 'string') return;
  const properties = item['LogonType'] === undefined ? NOT_ACL : { ...NOT_ACL, logontype: item['LogonType'] };
  yield edge(knownPrincipal(computer, 'Computer'), 'HasSession', knownPrincipal(user, 'User'), properties);
}

function* listEdges(own: Principal, item: JsonObject): Generator<Edge> {
  yield* containerEdges(own, item);
  for (const [field, verb] of TO_OTHERS)
    for (const other of principals(item[field])) yield edge(own, verb, other);
  for (const other of principals(item['AllowedToAct'])) yield edge(other, 'AllowedToAct', own);
  for (const member of principals(item['Members']))
    yield edge(byName(member), 'MemberOf', own, { ...NOT_ACL, isprimarygroup: false });
  if (typeof item['PrimaryGroupSID'] === 'string' && item['PrimaryGroupSID'] !== '')
    yield edge(own, 'MemberOf', knownPrincipal(item['PrimaryGroupSID'], 'Group'), {
      ...NOT_ACL,
      isprimarygroup: true,
    });
  for (const target of objects(item['SPNTargets'])) {
    const [computer, service] = [target['ComputerSID'], target['Service']];
    if (typeof computer === 'string' && typeof service === 'string' && RIGHT_NAME.test(service))
      yield edge(own, service, knownPrincipal(computer, 'Computer'), { isacl: true, port: target['Port'] });
  }
}

/** Rights come down to an object from what contains it, unless it is protected or starts a partition. */
function* containerEdges(own: Principal, item: JsonObject): Generator<Edge> {
  const domain = item['DomainSID'];
  if ((own.kind === 'User' || own.kind === 'Computer') && typeof domain === 'string' && domain !== '')
    yield edge(knownPrincipal(domain, 'Domain'), 'ContainsIdentity', own);
  const container = principal(item['ContainedBy']);
  if (container === undefined) return;
  yield edge(container, 'Contains', own);
  const name = propertiesIn(item)['distinguishedname'];
  const isPartition = own.kind === 'Container' && /^CN=CONFIGURATION,DC=/i.test(String(name));
  if (item['IsACLProtected'] !== true && !isPartition) yield edge(container, 'PropagatesACEsTo', own);
}

/** A member that the collector did not resolve has its distinguished name in place of an id. */
function byName(member: Principal): Principal {
  if (!member.id.startsWith(NAMED)) return member;
  const name = member.id.slice(NAMED.length);
  return { ...member, match: { kind: undefined, values: [['distinguishedname', name]] } };
}

/** A certification authority has the rights of its own registry in place of those in the directory. */
function entriesFor(item: JsonObject): readonly JsonObject[] {
  const registry = isJsonObject(item['CARegistryData']) ? item['CARegistryData'] : {};
  const security = isJsonObject(registry['CASecurity']) ? registry['CASecurity'] : {};
  const entries = objects(item['Aces']);
  if (security['Collected'] !== true) return entries;
  const own = objects(security['Data']).filter(
    ({ PrincipalType, RightName }) => PrincipalType !== 'LocalGroup' && RightName !== 'Owns',
  );
  const replaced = new Set<unknown>(['ManageCA', 'ManageCertificates', 'Enroll']);
  const kept = entries.filter(
    ({ PrincipalSID, RightName }) => PrincipalSID === item['HostingComputer'] || !replaced.has(RightName),
  );
  return [...own, ...kept];
}

/** The entries of others than the object itself. Of equal rights the one that is not inherited is first. */
function grantsOn(own: Principal, entries: readonly JsonObject[]): readonly Grant[] {
  const grants = entries.flatMap((entry) => {
    const { PrincipalSID: sid, PrincipalType: type, RightName: right, IsInherited: isInherited } = entry;
    if (typeof sid !== 'string' || typeof right !== 'string' || !RIGHT_NAME.test(right)) return [];
    const hash = entry['InheritanceHash'] === '' ? undefined : entry['InheritanceHash'];
    return [{ from: knownPrincipal(sid, type), right, isInherited: isInherited === true, hash }];
  });
  const others = grants.filter(({ from }) => from.id !== own.id);
  return others.toSorted((one, other) => Number(one.isInherited) - Number(other.isInherited));
}

interface Grant {
  readonly from: Principal;
  readonly right: string;
  readonly isInherited: boolean;
  /** Says from which object it is inherited. */
  readonly hash: unknown;
}

/** The rights that an object grants, with what is left to its owner. */
export function* aclEdges(
  own: Principal,
  entries: readonly JsonObject[],
  properties: JsonObject = {},
): Generator<Edge> {
  const all = grantsOn(own, entries);
  const grants = all.filter((grant) => !isOfOwner(grant));
  const limits = ownerLimits(all.filter(isOfOwner), properties);
  for (const grant of grants) {
    const { from, isInherited } = grant;
    const [verb, privileges] = limitedRight(grant, limits);
    const facts = { isacl: true, isinherited: isInherited, inheritancehash: grant.hash, privileges };
    if (verb !== undefined) yield edge(from, verb, own, facts);
  }
  if (own.kind === 'Domain') yield* replicationEdges(own, grants);
}

/**
 * Rights of the owner as such (OWNER RIGHTS) are in place of all that an owner can do. Of them, those that
 * are inherited are all that is left to one who makes itself the owner.
 */
interface OwnerLimits {
  readonly exist: boolean;
  readonly areInherited: boolean;
  readonly privileges: readonly string[];
  readonly inherited: readonly string[];
}

function ownerLimits(ofOwner: readonly Grant[], properties: JsonObject): OwnerLimits {
  const privileges = ofOwner.map(({ right }) => right);
  return {
    exist: privileges.length > 0 || properties['doesanyacegrantownerrights'] === true,
    areInherited: properties['doesanyinheritedacegrantownerrights'] === true,
    privileges,
    inherited: ofOwner.filter(({ isInherited }) => isInherited).map(({ right }) => right),
  };
}

/** The verb, undefined for a right that leads nowhere, and what it is limited to. */
function limitedRight(
  { right }: Grant,
  { exist, areInherited, privileges, inherited }: OwnerLimits,
): readonly [string | undefined, (readonly string[])?] {
  if (!exist) return [right];
  if (right === 'Owns') return privileges.length > 0 ? ['OwnsLimitedRights', privileges] : [undefined];
  if (right !== 'WriteOwner') return [right];
  if (inherited.length > 0) return ['WriteOwnerLimitedRights', inherited];
  return areInherited ? [undefined] : [right];
}

function isOfOwner({ from }: Grant): boolean {
  return from.id.endsWith(OWNER_RIGHTS);
}

/** Whoever may read all changes of a domain can copy its passwords. */
function* replicationEdges(own: Principal, grants: readonly Grant[]): Generator<Edge> {
  const having = (name: string): readonly Grant[] => grants.filter(({ right }) => right === name);
  const all = new Set(having('GetChangesAll').map(({ from }) => from.id));
  for (const { from } of having('GetChanges')) if (all.has(from.id)) yield edge(from, 'DCSync', own);
}

function* computerEdges(own: Principal, item: JsonObject): Generator<Edge> {
  for (const field of ['Sessions', 'PrivilegedSessions', 'RegistrySessions']) {
    const sessions = item[field];
    if (!isCollected(sessions)) continue;
    for (const session of objects(sessions['Results'])) yield* sessionEdges(session);
  }
  for (const [field, verb] of LOCAL_LISTS) {
    const found = item[field];
    if (isCollected(found)) for (const member of principals(found['Results'])) yield edge(member, verb, own);
  }
  for (const group of objects(item['LocalGroups'])) yield* localGroupEdges(own, group);
  for (const right of objects(item['UserRights'])) {
    const verb = PRIVILEGES.get(right['Privilege']);
    if (!isCollected(right) || verb === undefined) continue;
    for (const member of namedPrincipals(right)) yield edge(member, verb, own);
  }
  yield* delegationEdges(own, item);
}

function* localGroupEdges(computer: Principal, group: JsonObject): Generator<Edge> {
  const own = localGroup(group);
  if (own === undefined) return;
  yield edge(own, 'LocalToComputer', computer);
  const right = LOCAL_RIGHTS.find(([suffix]) => own.id.endsWith(suffix));
  for (const member of isCollected(group) ? namedPrincipals(group) : []) {
    yield edge(member, 'MemberOfLocalGroup', own);
    if (right !== undefined) yield edge(member, right[1], computer);
  }
}

/** A group that has members, or whose members could not be asked for. Its name may be left out. */
export function localGroup(group: JsonObject): Principal | undefined {
  const { ObjectIdentifier: id, Name: given, Results: members } = group;
  const name = typeof given === 'string' && given !== 'IGNOREME' ? given.toUpperCase() : undefined;
  const isEmpty = objects(members).length === 0 && name?.startsWith('DIRECT ACCESS USERS') !== true;
  const isThere = isCollected(group) ? !isEmpty : isAsked(group);
  return isThere && typeof id === 'string' && id !== ''
    ? { ...knownPrincipal(id, LOCAL_GROUP), name }
    : undefined;
}

/** A computer or user with unconstrained delegation, unless it is a domain controller. */
function* delegationEdges(own: Principal, item: JsonObject): Generator<Edge> {
  const properties = propertiesIn(item);
  const domain = properties['domainsid'] ?? item['DomainSID'];
  if (typeof domain !== 'string' || domain === '') return;
  if (item['IsDC'] === true) {
    if (typeof item['DomainSID'] === 'string') yield edge(own, 'DCFor', knownPrincipal(domain, 'Domain'));
    return;
  }
  const isUnconstrained = properties['unconstraineddelegation'] ?? item['UnconstrainedDelegation'];
  if ((own.kind === 'Computer' || own.kind === 'User') && isUnconstrained === true)
    yield edge(own, 'CoerceToTGT', knownPrincipal(domain, 'Domain'));
}

/** Links of group policies, what they change on computers, and trusts. */
function* domainEdges(own: Principal, item: JsonObject): Generator<Edge> {
  for (const link of objects(item['Links'])) {
    const { Guid: id, IsEnforced: enforced } = link;
    if (typeof id === 'string')
      yield edge(knownPrincipal(id, 'GPO'), 'GPLink', own, { ...NOT_ACL, enforced: enforced === true });
  }
  const changes = isJsonObject(item['GPOChanges']) ? item['GPOChanges'] : {};
  for (const each of principals(changes['AffectedComputers'])) {
    const computer = { ...each, kind: 'Computer' };
    for (const [at, [field]] of LOCAL_LISTS.entries()) {
      const suffix = LOCAL_RIGHTS[at]?.[0] ?? '';
      const group = { ObjectIdentifier: computer.id + suffix, Collected: true, Results: changes[field] };
      if (principals(changes[field]).length > 0) yield* localGroupEdges(computer, group);
    }
  }
  for (const trust of objects(item['Trusts'])) yield* trustEdges(own, trust);
  const name = propertiesIn(item)['name'];
  if (own.kind === 'Domain' && typeof name === 'string') yield* wellKnownEdges({ ...own, name });
}

function* certificateEdges(own: Principal, item: JsonObject): Generator<Edge> {
  for (const template of principals(item['EnabledCertTemplates']))
    yield edge({ ...template, kind: 'CertTemplate' }, 'PublishedTo', own);
  yield* enrollmentAgentEdges(item);
  if (
    own.kind === 'EnterpriseCA' &&
    typeof item['HostingComputer'] === 'string' &&
    item['HostingComputer'] !== ''
  )
    yield edge(knownPrincipal(item['HostingComputer'], 'Computer'), 'HostsCAService', own);
  const domain = item['DomainSID'];
  const verb = { RootCA: 'RootCAFor', NTAuthStore: 'NTAuthStoreFor' }[own.kind];
  if (verb !== undefined && typeof domain === 'string' && domain !== '')
    yield edge(own, verb, knownPrincipal(domain, 'Domain'));
  const group = principal(item['GroupLink']);
  if (group !== undefined) yield edge(own, 'OIDGroupLink', { ...group, kind: 'Group' });
}

/** Who may enroll for others, where a certification authority restricts it. */
function* enrollmentAgentEdges(item: JsonObject): Generator<Edge> {
  const registry = isJsonObject(item['CARegistryData']) ? item['CARegistryData'] : {};
  const restrictions = registry['EnrollmentAgentRestrictions'];
  if (!isCollected(restrictions)) return;
  for (const each of objects(restrictions['Restrictions'])) {
    const agent = principal(each['Agent']);
    if (agent === undefined || each['AccessType'] !== 'AccessAllowedCallback') continue;
    const templates = each['AllTemplates'] === true ? item['EnabledCertTemplates'] : [each['Template']];
    for (const template of principals(templates))
      yield edge(agent, 'DelegatedEnrollmentAgent', { ...template, kind: 'CertTemplate' });
  }
}

/** The results of a computer, with the names of its own accounts. */
function namedPrincipals({ Results: results, LocalNames: locals }: JsonObject): readonly Principal[] {
  const names = new Map(
    objects(locals).map(({ ObjectIdentifier: id, PrincipalName: name }) => [String(id).toUpperCase(), name]),
  );
  return principals(results).map((each) => {
    const name = names.get(each.id);
    return typeof name === 'string' && name !== '' ? { ...each, name } : each;
  });
}

function isAsked({ FailureReason: reason }: JsonObject): boolean {
  return typeof reason === 'string' && reason !== '';
}

function isCollected(value: unknown): value is JsonObject {
  return isJsonObject(value) && value['Collected'] === true;
}
