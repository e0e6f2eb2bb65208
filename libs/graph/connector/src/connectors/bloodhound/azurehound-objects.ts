/** The objects of AzureHound: what becomes of the fields of each kind, under BloodHound's names. */
import { isJsonObject, type JsonObject } from '#graph/model';
import { type StatedObject, upperProperties } from './statement.ts';

type Table = Readonly<Record<string, string>>;

/** How an object of one kind is read; a path leads through nested fields: `properties.displayName`. */
export interface AzureForm {
  /** The path of the id. Without: `id`. */
  readonly id?: string;
  /** The paths of the name, and of what follows its `@`. */
  readonly name: readonly [string, string?];
  /** The path of the id of what contains it, and the kind of that; a tenant has none. */
  readonly container?: readonly [string, string];
  /** The path of each property, apart from the name and the tenant. */
  readonly properties?: Table;
  readonly hasIdentity?: boolean;
}

const IN_TENANT = ['tenantId', 'AZTenant'] as const;
const TENANT_NAME = ['displayName', 'tenantName'] as const;
const DISPLAY: Table = { displayname: 'displayName', description: 'description' };
const SYNCED: Table = {
  onpremid: 'onPremisesSecurityIdentifier',
  onpremsyncenabled: 'onPremisesSyncEnabled',
};
const RESOURCE: AzureForm = {
  name: ['name'],
  container: ['resourceGroupId', 'AZResourceGroup'],
  hasIdentity: true,
};

/** A trust in the tokens of others, which an application has. */
export const FEDERATED_CREDENTIAL = 'AZFederatedIdentityCredential';

export const AZURE_FORMS: ReadonlyMap<string, AzureForm> = new Map<string, AzureForm>([
  [
    'AZApp',
    {
      id: 'appId',
      name: ['displayName', 'publisherDomain'],
      container: IN_TENANT,
      properties: {
        ...DISPLAY,
        appid: 'appId',
        publisherdomain: 'publisherDomain',
        signinaudience: 'signInAudience',
        whencreated: 'createdDateTime',
      },
    },
  ],
  [
    'AZDevice',
    {
      name: TENANT_NAME,
      container: IN_TENANT,
      properties: {
        displayname: 'displayName',
        deviceid: 'deviceId',
        operatingsystem: 'operatingSystem',
        operatingsystemversion: 'operatingSystemVersion',
        trustype: 'trustType',
      },
    },
  ],
  [
    'AZGroup',
    {
      name: TENANT_NAME,
      container: IN_TENANT,
      properties: {
        ...DISPLAY,
        ...SYNCED,
        isassignabletorole: 'isAssignableToRole',
        securityenabled: 'securityEnabled',
        securityidentifier: 'securityIdentifier',
        whencreated: 'createdDateTime',
      },
    },
  ],
  [
    'AZKeyVault',
    {
      name: ['name'],
      container: ['resourceGroup', 'AZResourceGroup'],
      properties: { enablerbacauthorization: 'properties.enableRbacAuthorization' },
    },
  ],
  [
    'AZManagementGroup',
    {
      name: ['properties.displayName', 'tenantName'],
      container: IN_TENANT,
      properties: { displayname: 'properties.displayName' },
    },
  ],
  ['AZResourceGroup', { name: ['name'], container: ['subscriptionId', 'AZSubscription'] }],
  [
    'AZRole',
    {
      name: TENANT_NAME,
      container: IN_TENANT,
      properties: { ...DISPLAY, enabled: 'isEnabled', isbuiltin: 'isBuiltIn', templateid: 'templateId' },
    },
  ],
  [
    'AZServicePrincipal',
    {
      name: TENANT_NAME,
      container: IN_TENANT,
      properties: {
        ...DISPLAY,
        appdescription: 'appDescription',
        appdisplayname: 'appDisplayName',
        appid: 'appId',
        appownerorganizationid: 'appOwnerOrganizationId',
        enabled: 'accountEnabled',
        loginurl: 'loginUrl',
        serviceprincipaltype: 'servicePrincipalType',
      },
    },
  ],
  [
    'AZSubscription',
    { name: ['displayName'], container: IN_TENANT, properties: { displayname: 'displayName' } },
  ],
  [
    'AZTenant',
    {
      id: 'tenantId',
      name: ['displayName'],
      properties: { displayname: 'displayName', collected: 'collected' },
    },
  ],
  [
    'AZUser',
    {
      name: ['userPrincipalName'],
      container: IN_TENANT,
      properties: {
        ...SYNCED,
        displayname: 'displayName',
        email: 'mail',
        lastsuccessfulsignindatetime: 'signInActivity.lastSuccessfulSignInDateTime',
        enabled: 'accountEnabled',
        pwdlastset: 'lastPasswordChangeDateTime',
        title: 'jobTitle',
        userprincipalname: 'userPrincipalName',
        usertype: 'userType',
        whencreated: 'createdDateTime',
      },
    },
  ],
  ['AZVM', { ...RESOURCE, properties: { operatingsystem: 'properties.storageProfile.osDisk.osType' } }],
  ['AZAutomationAccount', RESOURCE],
  ['AZContainerRegistry', RESOURCE],
  ['AZFunctionApp', RESOURCE],
  ['AZLogicApp', RESOURCE],
  ['AZManagedCluster', { ...RESOURCE, hasIdentity: false }],
  ['AZVMScaleSet', RESOURCE],
  ['AZWebApp', RESOURCE],
]);

const POLICY: Table = {
  roledefinitionid: 'roleDefinitionId',
  enduserassignmentrequiresapproval: 'endUserAssignmentRequiresApproval',
  enduserassignmentrequirescapauthenticationcontext: 'endUserAssignmentRequiresCAPAuthenticationContext',
  enduserassignmentuserapprovers: 'endUserAssignmentUserApprovers',
  enduserassignmentgroupapprovers: 'endUserAssignmentGroupApprovers',
  enduserassignmentrequiresmfa: 'endUserAssignmentRequiresMFA',
  enduserassignmentrequiresjustification: 'endUserAssignmentRequiresJustification',
  enduserassignmentrequiresticketinformation: 'endUserAssignmentRequiresTicketInformation',
};

const CREDENTIAL: Table = {
  audiences: 'audiences',
  description: 'description',
  issuer: 'issuer',
  subject: 'subject',
};
/** The application of Microsoft Graph, in all tenants. */
export const GRAPH_APPLICATION = '00000003-0000-0000-C000-000000000000';

/** The object of an element, or undefined if it has no id. */
export function azureObject(kind: string, form: AzureForm, data: JsonObject): StatedObject | undefined {
  const id = kind === 'AZRole' ? roleId(data['id'], data['tenantId']) : idAt(data, form.id ?? 'id');
  if (id === undefined) return undefined;
  const [namePath, domainPath] = form.name;
  const name = textAt(data, namePath);
  const domain = domainPath === undefined ? undefined : textAt(data, domainPath);
  const shown = name !== undefined && domain !== undefined ? `${name}@${domain}` : name;
  const properties = {
    ...upperProperties(valuesOf(data, form.properties ?? {})),
    ...(shown !== undefined && { name: shown.toUpperCase() }),
    ...(kind === 'AZManagedCluster' && { noderesourcegroupid: nodeResourceGroup(data) }),
    tenantid: idAt(data, 'tenantId'),
  };
  return { id, kind, name: shown?.toUpperCase(), properties };
}

/** What an element says of other objects than its own. */
export function azureParts(kind: string, data: JsonObject): readonly StatedObject[] {
  const part = (id: string | undefined, of: string, properties: JsonObject = {}): readonly StatedObject[] =>
    id === undefined
      ? []
      : [{ id, kind: of, properties, isPart: true, name: textAt(properties, 'displayname') }];
  const tenantid = idAt(data, 'tenantId');
  const named = (path: string): JsonObject => ({ displayname: textAt(data, path), tenantid });
  switch (kind) {
    case 'AZServicePrincipal': {
      const ofOwner = { tenantid: idAt(data, 'appOwnerOrganizationId') };
      return part(idAt(data, 'appId'), 'AZApp', { ...named('appDisplayName'), ...ofOwner });
    }
    case 'AZAppRoleAssignment': {
      if (idAt(data, 'appId') !== GRAPH_APPLICATION || data['principalType'] !== 'ServicePrincipal')
        return [];
      const end = (name: string): readonly StatedObject[] =>
        part(idAt(data, `${name}Id`), 'AZServicePrincipal', named(`${name}DisplayName`));
      return [...end('principal'), ...end('resource')];
    }
    case FEDERATED_CREDENTIAL:
      return objectsAt(data, 'fics').flatMap(({ fic }) =>
        isJsonObject(fic) ? federatedCredential(fic, data) : [],
      );
    default:
      return [];
  }
}

function federatedCredential(fic: JsonObject, of: JsonObject): readonly StatedObject[] {
  const id = idAt(fic, 'id');
  if (id === undefined) return [];
  const [own, tenant] = [idAt(fic, 'name'), idAt(of, 'tenantName')];
  const name = own !== undefined && tenant !== undefined ? `${own}@${tenant}` : own;
  const properties = {
    ...valuesOf(fic, CREDENTIAL),
    ...(name !== undefined && { name }),
    tenantid: idAt(of, 'tenantId'),
  };
  return [{ id, kind: FEDERATED_CREDENTIAL, name, properties }];
}

/** What a policy says of its role. */
export function azureRolePolicy(data: JsonObject): StatedObject | undefined {
  const id = roleId(data['roleDefinitionId'], data['tenantId']);
  if (id === undefined) return undefined;
  const upper = (value: unknown): unknown => (typeof value === 'string' ? value.toUpperCase() : value);
  const entries = Object.entries(valuesOf(data, POLICY)).map(([name, value]) => [
    name,
    Array.isArray(value) ? value.map(upper) : upper(value),
  ]);
  const properties = Object.fromEntries(entries) as JsonObject;
  return {
    id,
    kind: 'AZRole',
    properties: { ...properties, tenantid: idAt(data, 'tenantId') },
    isPart: true,
  };
}

/** Roles are the same in all tenants: their id has that of the tenant. */
export function roleId(definition: unknown, tenant: unknown): string | undefined {
  if (typeof definition !== 'string' || typeof tenant !== 'string') return undefined;
  return definition === '' || tenant === '' ? undefined : `${definition}@${tenant}`.toUpperCase();
}

/** The id of the resource group that a cluster keeps its machines in. */
export function nodeResourceGroup(data: JsonObject): string | undefined {
  const [group, subscription] = [idAt(data, 'properties.nodeResourceGroup'), idAt(data, 'subscriptionId')];
  if (group === undefined || subscription === undefined) return undefined;
  return `/SUBSCRIPTIONS/${subscription.replace(/^\/SUBSCRIPTIONS\//, '')}/RESOURCEGROUPS/${group}`;
}

function objectsAt(data: JsonObject, path: string): readonly JsonObject[] {
  const value = valueAt(data, path);
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

/** The value at a path through nested objects. */
export function valueAt(data: JsonObject, path: string): unknown {
  let value: unknown = data;
  for (const name of path.split('.')) value = isJsonObject(value) ? value[name] : undefined;
  return value;
}

export function textAt(data: JsonObject, path: string): string | undefined {
  const value = valueAt(data, path);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Ids are compared in upper case. */
export function idAt(data: JsonObject, path: string): string | undefined {
  return textAt(data, path)?.toUpperCase();
}

/** An empty text is what the collector writes for none. */
function valuesOf(data: JsonObject, table: Table): JsonObject {
  const entries = Object.entries(table).map(([name, path]) => [name, valueAt(data, path)] as const);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined && value !== ''));
}
