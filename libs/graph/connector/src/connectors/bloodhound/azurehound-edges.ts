/**
 * The edges that an element of AzureHound states, under BloodHound's names. Those that BloodHound derives
 * from one element alone are here as well: what the most powerful roles can do with their tenant, and
 * accounts that are synchronised with those of a domain.
 */
import { isJsonObject, type JsonObject } from '#graph/model';
import {
  type AzureForm,
  FEDERATED_CREDENTIAL,
  GRAPH_APPLICATION,
  idAt,
  nodeResourceGroup,
  roleId,
  textAt,
  valueAt,
} from './azurehound-objects.ts';
import { AZURE_BASE } from './bloodhound-kinds.ts';
import { type Edge, principalOf } from './statement.ts';

const ROLE = 'AZRole';

/** Roles of a directory by their template, with the edge to their tenant. */
const TENANT_ROLES: ReadonlyMap<string, string> = new Map([
  ['62E90394-69F5-4237-9190-012177145E10', 'AZGlobalAdmin'],
  ['E8611AB8-C189-46E8-94E1-60213AB1F814', 'AZPrivilegedRoleAdmin'],
  ['7BE44C8A-ADAF-4E2A-84D6-AB2649E08A13', 'AZPrivilegedAuthAdmin'],
]);
const PRIVILEGED_ROLE_ADMINISTRATOR = 'E8611AB8-C189-46E8-94E1-60213AB1F814';
/** Roles that may add secrets to applications, with the edge to a single one. */
export const SECRET_ROLES: ReadonlyMap<string, string> = new Map([
  ['9B895D92-2CD3-44C7-9D02-A6AC2D5EA5C3', 'AZAppAdmin'],
  ['158C047A-C907-4556-B7EF-446551A6B5F7', 'AZCloudAppAdmin'],
]);

/** Roles of resources by their definition. */
const RESOURCE_ROLES: ReadonlyMap<string, string> = new Map([
  ['8E3AF657-A8FF-443C-A75C-2FE8C4BCB635', 'AZOwner'],
  ['18D7D88D-D35E-4FB5-A5C3-7773C20A72D9', 'AZUserAccessAdministrator'],
  ['B24988AC-6180-42A0-AB88-20F7382DD24C', 'AZContributor'],
  ['DE139F84-1756-47AE-9BE6-808FBBE84772', 'AZWebsiteContributor'],
  ['F353D9BD-D4A6-484E-A77A-8050B599B867', 'AZAutomationContributor'],
  ['87A39D53-FC1B-424A-814C-F7E04687DC9E', 'AZLogicAppContributor'],
  ['9980E02C-C2BE-4D73-94E8-173B1DC7CF3C', 'AZVMContributor'],
  ['ED7F3FBD-7B88-4DD4-9017-9ADB7CE333F8', 'AZAKSContributor'],
]);
const EVERY_RESOURCE = ['AZOwner', 'AZUserAccessAdministrator', 'AZContributor'];
/** The kinds whose assignments name the role, and the role that is only for them. */
const ASSIGNED_KINDS: ReadonlyMap<string, string> = new Map([
  ['AZAutomationAccount', 'AZAutomationContributor'],
  ['AZContainerRegistry', ''],
  ['AZFunctionApp', 'AZWebsiteContributor'],
  ['AZLogicApp', 'AZLogicAppContributor'],
  ['AZManagedCluster', 'AZAKSContributor'],
  ['AZVMScaleSet', 'AZVMContributor'],
  ['AZWebApp', 'AZWebsiteContributor'],
]);

/** Permissions of an application in Microsoft Graph. */
const GRAPH_PERMISSIONS: ReadonlyMap<string, string> = new Map([
  ['1BFEFB4E-E0B5-418B-A88F-73C46D2CC8E9', 'AZMGApplication_ReadWrite_All'],
  ['06B708A9-E830-4DB3-A914-8E69DA51D44F', 'AZMGAppRoleAssignment_ReadWrite_All'],
  ['19DBC75E-C2E2-444C-A770-EC69D8559FC7', 'AZMGDirectory_ReadWrite_All'],
  ['62A82D76-70EA-41E2-9197-370581804D09', 'AZMGGroup_ReadWrite_All'],
  ['DBAAE8CF-10B5-4B86-A4A1-F871C94C6695', 'AZMGGroupMember_ReadWrite_All'],
  ['9E3F62CF-CA93-4989-B6CE-BF83C28F9FE8', 'AZMGRoleManagement_ReadWrite_Directory'],
  ['89C8469C-83AD-45F7-8FF2-6E3D4285709E', 'AZMGServicePrincipalEndpoint_ReadWrite_All'],
]);

/** The kinds of the members and owners of directory objects. */
const DIRECTORY_KINDS: ReadonlyMap<unknown, string> = new Map([
  ['#microsoft.graph.user', 'AZUser'],
  ['#microsoft.graph.group', 'AZGroup'],
  ['#microsoft.graph.servicePrincipal', 'AZServicePrincipal'],
  ['#microsoft.graph.device', 'AZDevice'],
]);
/** Of an element: the list, the field of its items with the other object, the target's id and kind. */
const DIRECTORY_LISTS: ReadonlyMap<string, readonly [string, string, string, string]> = new Map([
  ['AZAppOwner', ['owners', 'owner', 'appId', 'AZApp']],
  ['AZDeviceOwner', ['owners', 'owner', 'deviceId', 'AZDevice']],
  ['AZGroupOwner', ['owners', 'owner', 'groupId', 'AZGroup']],
  ['AZServicePrincipalOwner', ['owners', 'owner', 'servicePrincipalId', 'AZServicePrincipal']],
  ['AZGroupMember', ['members', 'member', 'groupId', 'AZGroup']],
]);

/** The field of the items of a list of assignments, and the edge. */
const GRANTED: readonly (readonly [string, string, string])[] = [
  ['KVContributor', 'kvContributor', 'AZKeyVaultContributor'],
  ['VMContributor', 'vmContributor', 'AZVMContributor'],
  ['AvereContributor', 'avereContributor', 'AZAvereContributor'],
  ['UserAccessAdmin', 'userAccessAdmin', 'AZUserAccessAdministrator'],
  ['AdminLogin', 'adminLogin', 'AZVMAdminLogin'],
  ['Owner', 'owner', 'AZOwner'],
  ['Contributor', 'contributor', 'AZContributor'],
];
/** The kinds that have such lists, each with the field of its id. */
const GRANTING_KINDS: ReadonlyMap<string, string> = new Map([
  ['AZKeyVault', 'keyVaultId'],
  ['AZManagementGroup', 'managementGroupId'],
  ['AZResourceGroup', 'resourceGroupId'],
  ['AZSubscription', 'subscriptionId'],
  ['AZVM', 'virtualMachineId'],
]);
const RESOURCE_GROUP = /\/resourceGroups\/[^/]+$/i;

/** Edges, and the names of what is not read, one for each item. */
type Reader = (data: JsonObject) => Iterable<Edge | string>;

/** What reads the edges of an element of this kind; undefined for a kind that has none. */
export function azureEdgeReader(kind: string): Reader | undefined {
  const known = READERS.get(kind);
  if (known !== undefined) return known;
  if (DIRECTORY_LISTS.has(kind)) return (data) => directoryEdges(kind, data);
  const assigned = ASSIGNED_KINDS.get(kind.replace(/RoleAssignment$/, ''));
  if (kind.endsWith('RoleAssignment') && assigned !== undefined)
    return (data) => assignmentEdges(kind.replace(/RoleAssignment$/, ''), assigned, data);
  for (const [suffix, field, verb] of GRANTED) {
    const target = kind.endsWith(suffix) ? kind.slice(0, -suffix.length) : '';
    const idField = GRANTING_KINDS.get(target);
    if (idField !== undefined) return (data) => grantEdges({ target, idField, field, verb }, data);
  }
  return undefined;
}

/** The edges that an object itself states: what contains it, and its identities. */
export function* azureObjectEdges(
  kind: string,
  id: string,
  form: AzureForm,
  data: JsonObject,
): Generator<Edge> {
  if (form.container !== undefined)
    yield* edge([idAt(data, form.container[0]), form.container[1]], 'AZContains', [id, kind]);
  if (form.hasIdentity === true) yield* identityEdges(kind, id, data);
  if (kind === 'AZServicePrincipal')
    yield* edge([idAt(data, 'appId'), 'AZApp', textAt(data, 'appDisplayName')], 'AZRunsAs', [id, kind]);
  if (kind === 'AZManagedCluster')
    yield* edge([id, kind], 'AZNodeResourceGroup', [nodeResourceGroup(data), 'AZResourceGroup']);
  const account = idAt(data, 'onPremisesSecurityIdentifier');
  if (kind === 'AZUser' && data['onPremisesSyncEnabled'] === true) {
    yield* edge([id, kind], 'SyncedToADUser', [account, 'User']);
    yield* edge([account, 'User'], 'SyncedToEntraUser', [id, kind]);
  }
}

const READERS: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  ['AZAppRoleAssignment', permissionEdges],
  [FEDERATED_CREDENTIAL, federationEdges],
  ['AZKeyVaultAccessPolicy', vaultPolicyEdges],
  ['AZManagementGroupDescendant', descendantEdges],
  ['AZRoleAssignment', directoryRoleEdges],
  ['AZRoleEligibilityScheduleInstance', eligibilityEdges],
  ['AZRoleManagementPolicyAssignment', approverEdges],
]);

function* identityEdges(kind: string, id: string, data: JsonObject): Generator<Edge> {
  const identity = (principal: string | undefined): Generator<Edge> =>
    edge([id, kind], 'AZManagedIdentity', [principal, 'AZServicePrincipal']);
  yield* identity(idAt(data, 'identity.principalId'));
  const assigned = valueAt(data, 'identity.userAssignedIdentities');
  for (const each of isJsonObject(assigned) ? Object.values(assigned) : [])
    if (isJsonObject(each) && textAt(each, 'clientId') !== undefined)
      yield* identity(idAt(each, 'principalId'));
}

function* directoryEdges(kind: string, data: JsonObject): Generator<Edge | string> {
  const [list, field, idField, target] = DIRECTORY_LISTS.get(kind) ?? ['', '', '', ''];
  for (const item of itemsOf(data, list)) {
    const other = isJsonObject(item[field]) ? item[field] : {};
    const type = other['@odata.type'];
    const otherKind = DIRECTORY_KINDS.get(type);
    const verb = field === 'member' ? 'AZMemberOf' : 'AZOwns';
    if (otherKind === undefined) yield `${kind} of the type ${typeof type === 'string' ? type : 'none'}`;
    else yield* edge([idAt(other, 'id'), otherKind], verb, [idAt(data, idField), target]);
  }
}

interface Granted {
  readonly target: string;
  readonly idField: string;
  readonly field: string;
  readonly verb: string;
}

/** A list of a resource's kind of assignments; those of what contains it are stated there. */
function* grantEdges({ target, idField, field, verb }: Granted, data: JsonObject): Generator<Edge | string> {
  const id = idAt(data, idField);
  const isMachine = target === 'AZVM' && verb !== 'AZAvereContributor';
  for (const item of itemsOf(data, `${field}s`)) {
    const scope = idAt(item, `${field}.properties.scope`);
    if (id === undefined || scope === undefined) continue;
    if (isScopeOf(scope, id, isMachine))
      yield* edge([idAt(item, `${field}.properties.principalId`), AZURE_BASE], verb, [id, target]);
    else if (!EVERY_RESOURCE.includes(verb)) yield `${verb} of a wider scope than its ${target}`;
  }
}

/** The rights of a resource group count for its machines. */
function isScopeOf(scope: string, id: string, isMachine: boolean): boolean {
  return scope === id || (isMachine && RESOURCE_GROUP.test(scope) && id.startsWith(`${scope}/`));
}

/** Owners, administrators and contributors of what contains the resource are stated there. */
function* assignmentEdges(target: string, ownRole: string, data: JsonObject): Generator<Edge | string> {
  for (const item of itemsOf(data, 'assignees')) {
    const isOwn = idAt(item, 'assignee.properties.scope') === idAt(item, 'objectId');
    const verb = RESOURCE_ROLES.get(idAt(item, 'roleDefinitionId') ?? '') ?? '';
    const isForAll = EVERY_RESOURCE.includes(verb);
    const principal = idAt(item, 'assignee.properties.principalId');
    if (!isForAll && (verb === '' || verb !== ownRole)) yield `${target}RoleAssignment of other roles`;
    else if (isOwn) yield* edge([principal, AZURE_BASE], verb, [idAt(data, 'objectId'), target]);
    else if (!isForAll) yield `${verb} of a wider scope than its ${target}`;
  }
}

function* permissionEdges(data: JsonObject): Generator<Edge | string> {
  const isOfGraph = idAt(data, 'appId') === GRAPH_APPLICATION;
  const verb = isOfGraph ? GRAPH_PERMISSIONS.get(idAt(data, 'appRoleId') ?? '') : undefined;
  if (verb === undefined || data['principalType'] !== 'ServicePrincipal') {
    yield 'AZAppRoleAssignment of other permissions';
    return;
  }
  const end = (name: string): End => [
    idAt(data, `${name}Id`),
    'AZServicePrincipal',
    idAt(data, `${name}DisplayName`),
  ];
  yield* edge(end('principal'), verb, end('resource'));
}

function* vaultPolicyEdges(data: JsonObject): Generator<Edge> {
  for (const what of ['Certificates', 'Keys', 'Secrets']) {
    const permissions = valueAt(data, `permissions.${what.toLowerCase()}`);
    const mayGet = (Array.isArray(permissions) ? permissions : []).some(
      (each) => typeof each === 'string' && /^(?:get|all)$/i.test(each),
    );
    if (mayGet)
      yield* edge([idAt(data, 'objectId'), AZURE_BASE], `AZGet${what}`, [
        idAt(data, 'keyVaultId'),
        'AZKeyVault',
      ]);
  }
}

function descendantEdges(data: JsonObject): Iterable<Edge> {
  const parent: End = [idAt(data, 'properties.parent.id'), 'AZManagementGroup'];
  return edge(parent, 'AZContains', [idAt(data, 'id'), AZURE_BASE]);
}

/** A role for one application is an edge to it; other roles are edges to the role, with their scope. */
function* directoryRoleEdges(data: JsonObject): Generator<Edge> {
  const tenant = idAt(data, 'tenantId');
  for (const item of itemsOf(data, 'roleAssignments')) {
    const principal: End = [idAt(item, 'principalId'), AZURE_BASE];
    const definition = idAt(item, 'roleDefinitionId') ?? idAt(data, 'roleDefinitionId') ?? '';
    const role = roleId(definition, tenant);
    const scope = textAt(item, 'directoryScopeId') ?? '/';
    const single = scope === '/' ? undefined : SECRET_ROLES.get(definition);
    if (single !== undefined) {
      yield* edge(principal, single, [scope.slice(1).toUpperCase(), AZURE_BASE]);
      continue;
    }
    const properties = { scope: scope === '/' ? tenant : scope.slice(1).toUpperCase() };
    yield* edge(principal, 'AZHasRole', [role, ROLE], properties);
    const power = scope === '/' ? TENANT_ROLES.get(definition) : undefined;
    if (power !== undefined) yield* edge(principal, power, [tenant, 'AZTenant']);
  }
}

/** What may authenticate as an application without a secret of it. */
function* federationEdges(data: JsonObject): Generator<Edge> {
  for (const item of itemsOf(data, 'fics')) {
    const credential: End = [idAt(item, 'fic.id'), FEDERATED_CREDENTIAL];
    const application = idAt(item, 'appId') ?? idAt(data, 'appId');
    yield* edge(credential, 'AZAuthenticatesTo', [application, 'AZApp']);
  }
}

function eligibilityEdges(data: JsonObject): Iterable<Edge> {
  const role = roleId(data['roleDefinitionId'], data['tenantId']);
  return edge([idAt(data, 'principalId'), AZURE_BASE], 'AZRoleEligible', [role, ROLE]);
}

/** Who approves a role; without a name, whoever administers roles. */
function* approverEdges(data: JsonObject): Generator<Edge> {
  if (data['endUserAssignmentRequiresApproval'] !== true) return;
  const role = roleId(data['roleDefinitionId'], data['tenantId']);
  const ends = (field: string, kind: string): readonly End[] =>
    textsIn(data, field).map((id) => [id.toUpperCase(), kind]);
  const named = [
    ...ends('endUserAssignmentUserApprovers', 'AZUser'),
    ...ends('endUserAssignmentGroupApprovers', 'AZGroup'),
  ];
  const administrators: End = [roleId(PRIVILEGED_ROLE_ADMINISTRATOR, data['tenantId']), ROLE];
  for (const from of named.length > 0 ? named : [administrators])
    yield* edge(from, 'AZRoleApprover', [role, ROLE]);
}

type End = readonly [id: string | undefined, kind: string, name?: string | undefined];

/** No edge without both ends. */
function* edge(from: End, verb: string, to: End, properties = {}): Generator<Edge> {
  const [start, end] = [from, to].map(([id, kind, name]) =>
    id === undefined ? undefined : { ...principalOf(id, kind), name },
  );
  if (start !== undefined && end !== undefined) yield { from: start, verb, to: end, properties };
}

function itemsOf(data: JsonObject, field: string): readonly JsonObject[] {
  const list = data[field];
  return Array.isArray(list) ? list.filter(isJsonObject) : [];
}

function textsIn(data: JsonObject, field: string): readonly string[] {
  const list = data[field];
  const items: readonly unknown[] = Array.isArray(list) ? list : [];
  return items.filter((each) => typeof each === 'string').filter((each) => each !== '');
}
