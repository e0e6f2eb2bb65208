import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NodeDisk } from '#platform/disk';
import { runConnector, type TestRun } from '../../kit/run-connector.ts';
import { bloodhoundConnector } from './bloodhound-connector.ts';

const OWNER = '8e3af657-a8ff-443c-a75c-2fe8c4bcb635';
const AKS_CONTRIBUTOR = 'ed7f3fbd-7b88-4dd4-9017-9adb7ce333f8';
const WEBSITE_CONTRIBUTOR = 'de139f84-1756-47ae-9be6-808fbbe84772';
const READER = 'acdd72a7-3385-48ef-bd42-f606fba81ae7';
const GLOBAL_ADMINISTRATOR = '62e90394-69f5-4237-9190-012177145e10';
const APPLICATION_ADMINISTRATOR = '9b895d92-2cd3-44c7-9d02-a6ac2d5ea5c3';
const GROUP = '/subscriptions/s1/resourceGroups/shop-g1';
const tenant = { tenantId: 't1', tenantName: 'corp' };
const resource = (name: string, more: object = {}) => ({
  id: `${GROUP}/${name}`,
  name,
  resourceGroupId: GROUP,
  tenantId: 't1',
  ...more,
});
const grant = (field: string, principalId: string, scope: string) => ({
  [field]: { properties: { principalId, scope } },
});
const member = (field: string, id: string, type: string) => ({
  [field]: { id, '@odata.type': `#microsoft.graph.${type}` },
});
const assignee = (principalId: string, roleDefinitionId: string, objectId: string, scope = objectId) => ({
  assignee: { properties: { principalId, scope } },
  objectId,
  roleDefinitionId,
});

/** What the collector writes of a small tenant: every kind of element that is read, one of each. */
const ELEMENTS: readonly (readonly [string, object])[] = [
  ['AZTenant', { id: '/tenants/t1', tenantId: 't1', displayName: 'corp', collected: true }],
  [
    'AZUser',
    {
      id: 'u1',
      userPrincipalName: 'ann@corp.example',
      accountEnabled: true,
      onPremisesSyncEnabled: true,
      onPremisesSecurityIdentifier: 'S-1-5-21-1-2-3-1105',
      jobTitle: '',
      ...tenant,
    },
  ],
  ['AZUser', { id: 'u2', userPrincipalName: 'bob@corp.example', accountEnabled: false, ...tenant }],
  ['AZGroup', { id: 'g1', displayName: 'Helpdesk', isAssignableToRole: true, ...tenant }],
  ['AZGroupMember', { groupId: 'g1', members: [member('member', 'u1', 'user'), member('member', 'x', 'orgContact')] }],
  ['AZGroupOwner', { groupId: 'g1', owners: [member('owner', 'p1', 'servicePrincipal')] }],
  ['AZApp', { id: 'o1', appId: 'a1', displayName: 'Shop', publisherDomain: 'corp.example', ...tenant }],
  ['AZAppOwner', { appId: 'a1', owners: [member('owner', 'u2', 'user')] }],
  ['AZServicePrincipal', { id: 'p1', appId: 'a1', appDisplayName: 'Shop', displayName: 'Shop', ...tenant }],
  ['AZServicePrincipalOwner', { servicePrincipalId: 'p1', owners: [member('owner', 'u2', 'user')] }],
  ['AZDevice', { id: 'd1', deviceId: 'x1', displayName: 'PC', operatingSystem: 'Windows', ...tenant }],
  ['AZDeviceOwner', { deviceId: 'd1', owners: [member('owner', 'u1', 'user')] }],
  [
    'AZAppRoleAssignment',
    {
      appId: '00000003-0000-0000-c000-000000000000',
      appRoleId: '9e3f62cf-ca93-4989-b6ce-bf83c28f9fe8',
      principalId: 'p1',
      principalType: 'ServicePrincipal',
      principalDisplayName: 'Shop',
      resourceId: 'p9',
      resourceDisplayName: 'Microsoft Graph',
      tenantId: 't1',
    },
  ],
  ['AZRole', { id: GLOBAL_ADMINISTRATOR, displayName: 'Global Administrator', isBuiltIn: true, ...tenant }],
  ['AZRole', { id: APPLICATION_ADMINISTRATOR, displayName: 'Application Administrator', ...tenant }],
  [
    'AZRoleAssignment',
    {
      roleDefinitionId: GLOBAL_ADMINISTRATOR,
      tenantId: 't1',
      roleAssignments: [{ principalId: 'g1', roleDefinitionId: GLOBAL_ADMINISTRATOR, directoryScopeId: '/' }],
    },
  ],
  [
    'AZRoleAssignment',
    {
      roleDefinitionId: APPLICATION_ADMINISTRATOR,
      tenantId: 't1',
      roleAssignments: [
        { principalId: 'u2', roleDefinitionId: APPLICATION_ADMINISTRATOR, directoryScopeId: '/a1' },
        { principalId: 'u1', roleDefinitionId: APPLICATION_ADMINISTRATOR, directoryScopeId: '/' },
      ],
    },
  ],
  ['AZRoleEligibilityScheduleInstance', { roleDefinitionId: GLOBAL_ADMINISTRATOR, principalId: 'u2', tenantId: 't1' }],
  [
    'AZRoleManagementPolicyAssignment',
    {
      roleDefinitionId: GLOBAL_ADMINISTRATOR,
      tenantId: 't1',
      endUserAssignmentRequiresApproval: true,
      endUserAssignmentUserApprovers: ['u1'],
    },
  ],
  ['AZManagementGroup', { id: '/mg/m1', properties: { displayName: 'Root' }, ...tenant }],
  ['AZManagementGroupDescendant', { id: '/subscriptions/s1', properties: { parent: { id: '/mg/m1' } } }],
  ['AZManagementGroupOwner', { managementGroupId: '/mg/m1', owners: [grant('owner', 'u2', '/mg/m1')] }],
  ['AZSubscription', { id: '/subscriptions/s1', subscriptionId: 's1', displayName: 'Prod', tenantId: 't1' }],
  [
    'AZSubscriptionOwner',
    {
      subscriptionId: '/subscriptions/s1',
      owners: [grant('owner', 'u2', '/subscriptions/s1'), grant('owner', 'u1', '/mg/m1')],
    },
  ],
  ['AZSubscriptionContributor', { subscriptionId: '/subscriptions/s1', contributors: [grant('contributor', 'u1', '/subscriptions/s1'), grant('contributor', 'u2', '/mg/m1')] }],
  ['AZManagementGroupContributor', { managementGroupId: '/mg/m1', contributors: [grant('contributor', 'u1', '/mg/m1')] }],
  ['AZResourceGroupContributor', { resourceGroupId: GROUP, contributors: [grant('contributor', 'u1', GROUP)] }],
  ['AZResourceGroup', { id: GROUP, name: 'g1', subscriptionId: '/subscriptions/s1', tenantId: 't1' }],
  [
    'AZResourceGroupUserAccessAdmin',
    { resourceGroupId: GROUP, userAccessAdmins: [grant('userAccessAdmin', 'u2', GROUP)] },
  ],
  [
    'AZKeyVault',
    { id: `${GROUP}/kv`, name: 'kv', resourceGroup: GROUP, tenantId: 't1', properties: { enableRbacAuthorization: true } },
  ],
  [
    'AZKeyVaultAccessPolicy',
    { keyVaultId: `${GROUP}/kv`, objectId: 'u1', permissions: { secrets: ['List', 'Get'], keys: ['List'], certificates: ['all'] } },
  ],
  ['AZKeyVaultKVContributor', { keyVaultId: `${GROUP}/kv`, kvContributors: [grant('kvContributor', 'u2', `${GROUP}/kv`)] }],
  ['AZKeyVaultContributor', { keyVaultId: `${GROUP}/kv`, contributors: [grant('contributor', 'u1', GROUP)] }],
  [
    'AZVM',
    resource('vm', {
      properties: { storageProfile: { osDisk: { osType: 'Linux' } } },
      identity: {
        principalId: 'p2',
        userAssignedIdentities: { x: { clientId: 'c3', principalId: 'p3' }, y: { principalId: 'p4' } },
      },
    }),
  ],
  ['AZVMAdminLogin', { virtualMachineId: `${GROUP}/vm`, adminLogins: [grant('adminLogin', 'u1', GROUP)] }],
  ['AZVMVMContributor', { virtualMachineId: `${GROUP}/vm`, vmContributors: [grant('vmContributor', 'u1', '/subscriptions/s1')] }],
  ['AZVMAvereContributor', { virtualMachineId: `${GROUP}/vm`, avereContributors: [grant('avereContributor', 'u1', GROUP)] }],
  ['AZManagedCluster', resource('aks', { subscriptionId: '/subscriptions/s1', properties: { nodeResourceGroup: 'nodes' } })],
  [
    'AZManagedClusterRoleAssignment',
    { objectId: `${GROUP}/aks`, assignees: [assignee('u1', AKS_CONTRIBUTOR, `${GROUP}/aks`), assignee('u2', READER, `${GROUP}/aks`)] },
  ],
  ['AZWebApp', resource('web')],
  [
    'AZWebAppRoleAssignment',
    { objectId: `${GROUP}/web`, assignees: [assignee('u1', WEBSITE_CONTRIBUTOR, `${GROUP}/web`), assignee('u2', OWNER, `${GROUP}/web`, GROUP)] },
  ],
  ['AZContainerRegistryRoleAssignment', { objectId: `${GROUP}/cr`, assignees: [assignee('u1', WEBSITE_CONTRIBUTOR, `${GROUP}/cr`)] }],
  ['AZStorageAccount', resource('store')],
]; // prettier-ignore

/** Read off BloodHound's rules for each element; ids as they stand in the file. */
const EDGES = [
  't1 AZContains u1', 't1 AZContains u2', 't1 AZContains g1', 't1 AZContains a1', 't1 AZContains p1', 't1 AZContains d1',
  't1 AZContains GA@t1', 't1 AZContains AA@t1', 't1 AZContains /mg/m1', 't1 AZContains SUB', 'SUB AZContains RG',
  '/mg/m1 AZContains SUB', 'RG AZContains kv', 'RG AZContains vm', 'RG AZContains aks', 'RG AZContains web',
  'u1 SyncedToADUser S-1-5-21-1-2-3-1105', 'S-1-5-21-1-2-3-1105 SyncedToEntraUser u1',
  'u1 AZMemberOf g1', 'p1 AZOwns g1', 'u2 AZOwns a1', 'u2 AZOwns p1', 'u1 AZOwns d1', 'a1 AZRunsAs p1',
  'p1 AZMGRoleManagement_ReadWrite_Directory p9',
  'g1 AZHasRole GA@t1', 'g1 AZGlobalAdmin t1', 'u2 AZAppAdmin a1', 'u1 AZHasRole AA@t1', 'u2 AZRoleEligible GA@t1',
  'u1 AZRoleApprover GA@t1', 'AA@t1 AZAddSecret a1', 'AA@t1 AZAddSecret p1',
  'u1 AZContributor /mg/m1', 'u1 AZContributor SUB', 'u1 AZContributor RG',
  'u2 AZOwner /mg/m1', 'u2 AZOwner SUB', 'u2 AZUserAccessAdministrator RG', 'u2 AZKeyVaultContributor kv',
  'u1 AZGetSecrets kv', 'u1 AZGetCertificates kv', 'u1 AZVMAdminLogin vm',
  'vm AZManagedIdentity p2', 'vm AZManagedIdentity p3',
  'aks AZNodeResourceGroup /subscriptions/s1/resourcegroups/nodes', 'u1 AZAKSContributor aks', 'u1 AZWebsiteContributor web',
]; // prettier-ignore

const ALIASES: readonly (readonly [string, string])[] = [
  [GLOBAL_ADMINISTRATOR, 'GA'],
  [APPLICATION_ADMINISTRATOR, 'AA'],
  [`${GROUP}/`, ''],
  [GROUP, 'RG'],
];

/** Ids of the collection in short; the subscription is no part of other ids then. */
function short(id: string): string {
  const aliased = ALIASES.reduce(
    (text, [long, alias]) => text.replace(long.toUpperCase(), alias.toUpperCase()),
    id,
  );
  return aliased === '/SUBSCRIPTIONS/S1' ? 'SUB' : aliased;
}
const linksOf = ({ relationships }: TestRun): readonly string[] =>
  relationships.map(({ from, verb, to }) => `${short(from.key)} ${verb} ${short(to.key)}`).sort();
const expected = EDGES.map((edge) => {
  const [from = '', verb = '', to = ''] = edge.split(' ');
  return `${from.toUpperCase()} ${verb} ${to.toUpperCase()}`;
}).sort();

let directory: string;
let found: TestRun;

async function read(
  elements: readonly (readonly [unknown, unknown])[],
  count = elements.length,
): Promise<TestRun> {
  const data = elements.map(([kind, value]) => ({ kind, data: value }));
  const file = join(directory, 'azure.json');
  await writeFile(file, JSON.stringify({ data, meta: { type: 'azure', version: 5, count } }));
  return runConnector(bloodhoundConnector(new NodeDisk()), { config: { file } });
}

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'plexus-azurehound-'));
  found = await read(ELEMENTS);
});
afterAll(() => rm(directory, { recursive: true }));

describe('a collection of AzureHound', () => {
  it('has every edge under its name in BloodHound', () => {
    expect(linksOf(found)).toEqual(expected);
    const role = found.relationships.find(({ verb, from }) => verb === 'AZHasRole' && from.key === 'G1');
    expect(role?.properties).toEqual({ scope: 'T1' });
  });

  it('counts the kinds that BloodHound does not read', () => {
    expect(found.report).toMatchObject({
      status: 'complete',
      ignored: { "AzureHound's AZStorageAccount": 1 },
    });
  });

  it('counts what BloodHound has no edge for, by name', async () => {
    const graph = { appId: '00000003-0000-0000-c000-000000000000', principalType: 'ServicePrincipal' };
    const web = `${GROUP}/web`;
    const { report, relationships } = await read([
      ['AZGroupMember', { groupId: 'g1', members: [member('member', 'x', 'orgContact')] }],
      ['AZAppRoleAssignment', { ...graph, principalId: 'p1', resourceId: 'p9', appRoleId: 'other' }],
      [
        'AZWebAppRoleAssignment',
        { objectId: web, assignees: [assignee('u1', READER, web), assignee('u1', READER, web, GROUP)] },
      ],
    ]);

    expect(relationships).toEqual([]);
    expect(report).toMatchObject({ status: 'complete', entities: 2 });
    expect(report.ignored).toEqual({
      "AzureHound's AZGroupMember of the type #microsoft.graph.orgContact": 1,
      "AzureHound's AZAppRoleAssignment of other permissions": 1,
      "AzureHound's AZWebAppRoleAssignment of other roles": 2,
    });
  });

  it('counts rights of a wider scope that nothing else states', async () => {
    const [web, vm] = [`${GROUP}/web`, `${GROUP}/vm`];
    const { report, relationships } = await read([
      ['AZVMVMContributor', { virtualMachineId: vm, vmContributors: [grant('vmContributor', 'u1', '/subscriptions/s1')] }],
      ['AZVMAdminLogin', { virtualMachineId: vm, adminLogins: [grant('adminLogin', 'u1', '/subscriptions/s1/resourceGroups/shop')] }],
      ['AZVMOwner', { virtualMachineId: vm, owners: [grant('owner', 'u1', '/subscriptions/s1')] }],
      [
        'AZWebAppRoleAssignment',
        { objectId: web, assignees: [assignee('u1', WEBSITE_CONTRIBUTOR, web, GROUP), assignee('u1', OWNER, web, GROUP)] },
      ],
    ]); // prettier-ignore

    expect(relationships).toEqual([]);
    expect(report.ignored).toEqual({
      "AzureHound's AZVMContributor of a wider scope than its AZVM": 1,
      "AzureHound's AZVMAdminLogin of a wider scope than its AZVM": 1,
      "AzureHound's AZWebsiteContributor of a wider scope than its AZWebApp": 1,
    });
  });

  it('has the applications that service principals name', async () => {
    const { entities } = await read([
      ['AZApp', { appId: 'a1', displayName: 'Shop', publisherDomain: 'corp.example', ...tenant }],
      [
        'AZServicePrincipal',
        { id: 'p1', appId: 'a1', appDisplayName: 'Old', displayName: 'Shop', ...tenant },
      ],
      [
        'AZServicePrincipal',
        { id: 'p2', appId: 'a2', appDisplayName: 'Other', appOwnerOrganizationId: 't9' },
      ],
    ]);
    const propertiesOf = (id: string) => entities.find(({ key }) => key === id)?.properties;

    expect(propertiesOf('A1')).toMatchObject({
      name: 'SHOP@CORP.EXAMPLE',
      displayname: 'Shop',
      tenantid: 'T1',
    });
    expect(propertiesOf('A2')).toMatchObject({ displayname: 'Other', tenantid: 'T9' });
  });

  it('has the identities of others that an application trusts', async () => {
    const fic = (id: string, name: string) => ({
      fic: { id, name, issuer: 'https://issuer.example', subject: 'repo:shop:main', audiences: ['api://x'] },
    });
    const { entities, relationships } = await read([
      [
        'AZFederatedIdentityCredential',
        { appId: 'a1', fics: [fic('c1', 'Build'), fic('c2', 'Release')], ...tenant },
      ],
    ]);

    expect(relationships.map(({ from, verb, to }) => `${from.key} ${verb} ${to.type} ${to.key}`)).toEqual([
      'C1 AZAuthenticatesTo az_app A1',
      'C2 AZAuthenticatesTo az_app A1',
    ]);
    expect(entities.find(({ key }) => key === 'C1')).toMatchObject({
      type: 'az_federated_identity_credential',
      class: 'AZFederatedIdentityCredential',
      labels: ['AZBase'],
      displayName: 'BUILD@CORP',
      properties: {
        tenantid: 'T1',
        issuer: 'https://issuer.example',
        subject: 'repo:shop:main',
        audiences: ['api://x'],
      },
    });
  });

  it('takes the role of each assignment, and the group of the nodes of a cluster', async () => {
    const { relationships, entities } = await read([
      ['AZRoleAssignment', { tenantId: 't1', roleAssignments: [{ principalId: 'u1', roleDefinitionId: 'r1', directoryScopeId: '/' }] }],
      ['AZManagedCluster', resource('aks', { subscriptionId: 's1', properties: { nodeResourceGroup: 'nodes' } })],
    ]); // prettier-ignore

    expect(relationships.filter(({ verb }) => verb === 'AZHasRole').map(({ to }) => to.key)).toEqual([
      'R1@T1',
    ]);
    expect(entities.find(({ class: kind }) => kind === 'AZManagedCluster')?.properties).toMatchObject({
      noderesourcegroupid: '/SUBSCRIPTIONS/S1/RESOURCEGROUPS/NODES',
    });
  });

  it('has objects by their ids, with the kinds and properties of BloodHound', () => {
    const facts = found.entities.map(({ type, class: kind, labels, key, displayName }) => [
      `${type} ${kind} ${String(labels)}`,
      short(key),
      displayName,
    ]);

    expect(facts).toContainEqual(['az_user AZUser AZBase', 'U1', 'ANN@CORP.EXAMPLE']);
    expect(facts).toContainEqual(['az_vm AZVM AZBase', 'VM', 'VM']);
    expect(facts).toContainEqual(['az_service_principal AZServicePrincipal AZBase', 'P9', 'Microsoft Graph']);
    expect(facts).toContainEqual(['az_subscription AZSubscription AZBase', 'SUB', 'PROD']);
    expect(facts).toContainEqual(['user User Base', 'S-1-5-21-1-2-3-1105', 'S-1-5-21-1-2-3-1105']);
    expect(found.entities.find(({ key }) => key === 'U1')?.properties).toEqual({
      name: 'ANN@CORP.EXAMPLE',
      objectid: 'U1',
      tenantid: 'T1',
      enabled: true,
      userprincipalname: 'ann@corp.example',
      onpremid: 'S-1-5-21-1-2-3-1105',
      onpremsyncenabled: true,
    });
    const role = found.entities.find(({ key }) => key.startsWith(GLOBAL_ADMINISTRATOR.toUpperCase()));
    expect(role?.properties).toMatchObject({
      name: 'GLOBAL ADMINISTRATOR@CORP',
      isbuiltin: true,
      enduserassignmentuserapprovers: ['U1'],
      roledefinitionid: GLOBAL_ADMINISTRATOR.toUpperCase(),
    });
  });

  it('is the same with the ids in upper case that newer versions of the collector write', async () => {
    const upper = (value: unknown): unknown => {
      if (typeof value === 'string') return /^(#|Service)/.test(value) ? value : value.toUpperCase();
      if (Array.isArray(value)) return value.map(upper);
      if (typeof value !== 'object' || value === null) return value;
      return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, upper(each)]));
    };

    expect(linksOf(await read(ELEMENTS.map(([kind, data]) => [kind, upper(data)])))).toEqual(expected);
  });

  it('leaves out an element without a kind or an id, by its place', async () => {
    const { report } = await read([
      [undefined, {}],
      ['AZUser', {}],
      ['AZGroup', { id: 'g1' }],
      ['AZRoleAssignment', { roleAssignments: [{}], tenantId: 't1', roleDefinitionId: 'r' }],
    ]);

    expect(report).toMatchObject({ status: 'partial', entities: 1, relationships: 0 });
    expect(report.warnings).toEqual([
      'collection: azure.json, data[0]: it has no kind or no data; it is left out',
      'collection: azure.json, data[1]: it is an AZUser without an id; it is left out',
      'collection: elements, or values in them, are left out; what earlier runs knew is kept',
    ]);
  });

  it('that is cut fails with the name of its file', async () => {
    const { report } = await read(ELEMENTS.slice(0, 2), 3);

    expect(report.steps[0]?.reason).toContain(
      'azure.json: meta.count: expected 3 objects, got 2: the file is cut',
    );
  });
});
