/** What is read of the elements of collectors, by the names of their fields. */
import { ANY, FLAG, listOf, objectOf, type Shape, TEXT, textLike } from '../document/shape.ts';

/** The name of a right, which becomes a verb. */
export const RIGHT_NAME = /^[A-Za-z][A-Za-z0-9]{0,63}$/;

const PRINCIPAL = objectOf({ ObjectIdentifier: TEXT, ObjectType: TEXT });
const PRINCIPALS = listOf(PRINCIPAL);
const ACES = listOf(
  objectOf({
    PrincipalSID: TEXT,
    PrincipalType: TEXT,
    RightName: textLike(RIGHT_NAME),
    IsInherited: FLAG,
    InheritanceHash: TEXT,
  }),
);
const SESSION = { ComputerSID: TEXT, UserSID: TEXT, LogonType: ANY };
const RESULT = { Collected: FLAG, FailureReason: TEXT };
const collected = (item: Shape, more: Readonly<Record<string, Shape>> = {}): Shape =>
  objectOf({ ...RESULT, Results: listOf(item), ...more });
const SESSIONS = collected(objectOf(SESSION));
const LOCAL = collected(PRINCIPAL);
const LOCAL_NAMES = listOf(objectOf({ ObjectIdentifier: TEXT, PrincipalName: TEXT }));
const VALUE = objectOf({ ...RESULT, Value: ANY });
const FLAG_VALUE = objectOf({ ...RESULT, Value: FLAG });

/** An object of SharpHound, or a session in a file of its own: all fields that the collector writes. */
export const SHARP_HOUND_ITEM = objectOf({
  ...SESSION,
  ObjectIdentifier: TEXT,
  IsDeleted: FLAG,
  IsACLProtected: FLAG,
  InheritanceHashes: listOf(TEXT),
  ContainedBy: PRINCIPAL,
  PrimaryGroupSID: TEXT,
  Aces: ACES,
  AllowedToDelegate: PRINCIPALS,
  HasSIDHistory: PRINCIPALS,
  DumpSMSAPassword: PRINCIPALS,
  ChildObjects: PRINCIPALS,
  Members: PRINCIPALS,
  AllowedToAct: PRINCIPALS,
  SPNTargets: listOf(objectOf({ ComputerSID: TEXT, Port: ANY, Service: textLike(RIGHT_NAME) })),
  CARegistryData: objectOf({
    CASecurity: objectOf({ ...RESULT, Data: ACES }),
    EnrollmentAgentRestrictions: objectOf({
      ...RESULT,
      Restrictions: listOf(
        objectOf({
          AccessType: TEXT,
          Agent: PRINCIPAL,
          AllTemplates: FLAG,
          Targets: ANY,
          Template: PRINCIPAL,
        }),
      ),
    }),
    IsUserSpecifiesSanEnabled: FLAG_VALUE,
    RoleSeparationEnabled: FLAG_VALUE,
  }),
  DCRegistryData: objectOf({
    CertificateMappingMethods: VALUE,
    StrongCertificateBindingEnforcement: VALUE,
    VulnerableNetlogonSecurityDescriptor: VALUE,
  }),
  IsWebClientRunning: objectOf({ ...RESULT, Result: FLAG }),
  SmbInfo: objectOf({ ...RESULT, Result: objectOf({ SigningEnabled: FLAG }) }),
  NTLMRegistryData: objectOf({
    ...RESULT,
    Result: objectOf({
      ClientAllowedNTLMServers: listOf(TEXT),
      EnableSecuritySignature: ANY,
      LmCompatibilityLevel: ANY,
      NtlmMinClientSec: ANY,
      NtlmMinServerSec: ANY,
      RequireSecuritySignature: ANY,
      RestrictReceivingNTLMTraffic: ANY,
      RestrictSendingNtlmTraffic: ANY,
      UseMachineId: ANY,
    }),
  }),
  HttpEnrollmentEndpoints: listOf(
    objectOf({
      ...RESULT,
      Result: objectOf({
        Url: TEXT,
        ADCSWebEnrollmentHTTP: FLAG,
        ADCSWebEnrollmentHTTPS: FLAG,
        ADCSWebEnrollmentEPA: FLAG,
      }),
    }),
  ),
  Sessions: SESSIONS,
  PrivilegedSessions: SESSIONS,
  RegistrySessions: SESSIONS,
  LocalAdmins: LOCAL,
  RemoteDesktopUsers: LOCAL,
  DcomUsers: LOCAL,
  PSRemoteUsers: LOCAL,
  LocalGroups: listOf(collected(PRINCIPAL, { Name: TEXT, ObjectIdentifier: TEXT, LocalNames: LOCAL_NAMES })),
  Status: objectOf({ Connectable: FLAG, Error: TEXT }),
  UserRights: listOf(collected(PRINCIPAL, { Privilege: TEXT, LocalNames: LOCAL_NAMES })),
  IsDC: FLAG,
  DomainSID: TEXT,
  UnconstrainedDelegation: FLAG,
  Properties: objectOf({
    name: TEXT,
    domainsid: TEXT,
    unconstraineddelegation: FLAG,
    doesanyacegrantownerrights: FLAG,
    doesanyinheritedacegrantownerrights: FLAG,
  }),
  Links: listOf(objectOf({ Guid: TEXT, IsEnforced: FLAG })),
  GPOChanges: objectOf({
    AffectedComputers: PRINCIPALS,
    LocalAdmins: PRINCIPALS,
    RemoteDesktopUsers: PRINCIPALS,
    DcomUsers: PRINCIPALS,
    PSRemoteUsers: PRINCIPALS,
  }),
  Trusts: listOf(
    objectOf({
      TargetDomainSid: TEXT,
      TargetDomainName: TEXT,
      TrustDirection: ANY,
      TrustType: ANY,
      TrustAttributes: ANY,
      IsTransitive: FLAG,
      SidFilteringEnabled: FLAG,
      TGTDelegationEnabled: FLAG,
    }),
  ),
  EnabledCertTemplates: PRINCIPALS,
  HostingComputer: TEXT,
  GroupLink: PRINCIPAL,
});

const OTHER = objectOf({ id: TEXT, '@odata.type': TEXT });
const assignment = (field: string): Shape =>
  listOf(objectOf({ [field]: objectOf({ properties: objectOf({ principalId: TEXT, scope: TEXT }) }) }));
const GRANTED = [
  'kvContributor',
  'vmContributor',
  'avereContributor',
  'userAccessAdmin',
  'adminLogin',
  'contributor',
];
const IDS = [
  'id',
  'tenantId',
  'appId',
  'appRoleId',
  'deviceId',
  'groupId',
  'servicePrincipalId',
  'keyVaultId',
  'managementGroupId',
  'resourceGroupId',
  'subscriptionId',
  'virtualMachineId',
  'objectId',
  'principalId',
  'resourceId',
  'roleDefinitionId',
  'onPremisesSecurityIdentifier',
];

/** Of which the names of objects are made. */
const NAMES = ['displayName', 'name', 'publisherDomain', 'tenantName', 'userPrincipalName'];

/** The data of an element of AzureHound. Owners are objects of the directory, or have a right. */
export const AZURE_DATA = objectOf({
  ...Object.fromEntries([...IDS, ...NAMES].map((name) => [name, TEXT])),
  ...Object.fromEntries(GRANTED.map((field) => [`${field}s`, assignment(field)])),
  onPremisesSyncEnabled: FLAG,
  endUserAssignmentRequiresApproval: FLAG,
  endUserAssignmentUserApprovers: listOf(TEXT),
  endUserAssignmentGroupApprovers: listOf(TEXT),
  principalType: TEXT,
  fics: listOf(objectOf({ appId: TEXT, fic: objectOf({ id: TEXT, name: TEXT }) })),
  members: listOf(objectOf({ member: OTHER })),
  owners: listOf(
    objectOf({
      owner: objectOf({
        id: TEXT,
        '@odata.type': TEXT,
        properties: objectOf({ principalId: TEXT, scope: TEXT }),
      }),
    }),
  ),
  assignees: listOf(
    objectOf({
      roleDefinitionId: TEXT,
      objectId: TEXT,
      assignee: objectOf({ properties: objectOf({ principalId: TEXT, scope: TEXT }) }),
    }),
  ),
  roleAssignments: listOf(objectOf({ principalId: TEXT, roleDefinitionId: TEXT, directoryScopeId: TEXT })),
  identity: objectOf({ principalId: TEXT }),
  permissions: objectOf({ certificates: listOf(TEXT), keys: listOf(TEXT), secrets: listOf(TEXT) }),
});
