/**
 * The properties of an object of SharpHound, with those that BloodHound makes of its other fields, since its
 * questions ask for them. What was not collected is unknown: it has no property.
 */
import { isJsonObject, type JsonObject } from '#graph/model';
import { PRIVILEGES } from './sharphound-edges.ts';
import { upperProperties } from './statement.ts';

type Facts = Readonly<Record<string, unknown>>;

/** Of a domain; early versions of the collector state them as texts. */
const NUMBERS = [
  'machineaccountquota',
  'minpwdlength',
  'pwdproperties',
  'pwdhistorylength',
  'lockoutthreshold',
];
const FLAGS = ['expirepasswordsonsmartcardonlyaccounts'];
/** Of a computer: names that differ between versions. */
const RENAMED: readonly (readonly [string, string])[] = [
  ['ldapenabled', 'ldapavailable'],
  ['ldapsenabled', 'ldapsavailable'],
];
const DENY_ALL = 2;
const NO_VALUE = 'Registry value does not exist';
const BINDINGS: ReadonlyMap<unknown, string> = new Map([
  [-1, NO_VALUE],
  [0, 'Disabled'],
  [1, 'Compatibility mode'],
  [2, 'Full enforcement mode'],
]);
const POLICY_STATES: ReadonlyMap<string, string> = new Map([
  ['0', 'Enabled'],
  ['1', 'User Configuration Disabled'],
  ['2', 'Computer Configuration Disabled'],
  ['3', 'Disabled'],
]);
const MAPPINGS: readonly (readonly [number, string])[] = [
  [0x01, '0x01: One-to-one (subject/issuer)'],
  [0x02, '0x02: Many-to-one (issuer certificate)'],
  [0x04, '0x04: User principal name (UPN/SAN)'],
  [0x08, '0x08: Kerberos service-for-user (S4U) certificate'],
  [0x10, '0x10: Kerberos service-for-user (S4U) explicit certificate'],
];

export function sharpHoundProperties(kind: string, item: JsonObject): JsonObject {
  const properties = objectIn(item, 'Properties');
  const owner = objectsIn(item, 'Aces').find(({ RightName }) => RightName === 'Owns')?.['PrincipalSID'];
  const facts: Facts = {
    ...upperProperties(properties),
    ...(kind === 'Computer' && computerFacts(item, properties)),
    ...(kind === 'EnterpriseCA' && authorityFacts(item)),
    ...(kind === 'Domain' && { ...domainFacts(properties), collected: true }),
    ...(kind === 'IssuancePolicy' && {
      grouplinkid: textIn(objectIn(item, 'GroupLink'), 'ObjectIdentifier') || undefined,
    }),
    ...(kind === 'GPO' && policyFacts(properties)),
    inheritancehashes: listIn(item, 'InheritanceHashes'),
    isdc: typeof item['IsDC'] === 'boolean' ? item['IsDC'] : properties['isdc'],
    ownersid: typeof owner === 'string' ? owner.toUpperCase() : properties['ownersid'],
  };
  const stated = Object.entries(facts).filter(([, value]) => value !== undefined && value !== null);
  return Object.fromEntries(stated);
}

function computerFacts(item: JsonObject, properties: JsonObject): Facts {
  const result = (name: string): JsonObject => collectedIn(item, name, 'Result');
  const mapping = collectedValue(objectIn(item, 'DCRegistryData'), 'CertificateMappingMethods');
  const binding = collectedValue(objectIn(item, 'DCRegistryData'), 'StrongCertificateBindingEnforcement');
  const netlogon = collectedValue(objectIn(item, 'DCRegistryData'), 'VulnerableNetlogonSecurityDescriptor');
  const ntlm = result('NTLMRegistryData');
  const is = (name: string, test: (value: number) => boolean): boolean | undefined => {
    const value = ntlm[name];
    return typeof value === 'number' ? test(value) : undefined;
  };
  const client = objectIn(item, 'IsWebClientRunning');
  return {
    ...Object.fromEntries(
      RENAMED.flatMap(
        ([from, to]) =>
        properties[from] === undefined ? [] : [[from, undefined], [to, properties[from]]], // prettier-ignore
      ),
    ),
    webclientrunning: client['Collected'] === true ? client['Result'] : undefined,
    smbsigning: result('SmbInfo')['SigningEnabled'],
    restrictoutboundntlm: is('RestrictSendingNtlmTraffic', (value) => value === DENY_ALL),
    restrictreceivingntlmtraffic: is('RestrictReceivingNTLMTraffic', (value) => value === DENY_ALL),
    requiresecuritysignature: is('RequireSecuritySignature', (value) => value !== 0),
    enablesecuritysignature: is('EnableSecuritySignature', (value) => value !== 0),
    usemachineid: is('UseMachineId', (value) => value !== 0),
    ntlmminclientsec: ntlm['NtlmMinClientSec'],
    ntlmminserversec: ntlm['NtlmMinServerSec'],
    lmcompatibilitylevel: ntlm['LmCompatibilityLevel'],
    clientallowedntlmservers: ntlm['ClientAllowedNTLMServers'],
    certificatemappingmethodsraw: mapping,
    certificatemappingmethods: mappingText(mapping),
    strongcertificatebindingenforcementraw: binding,
    strongcertificatebindingenforcement: BINDINGS.get(binding),
    hasura: objectsIn(item, 'UserRights').some(isRead) || undefined,
    vulnerablenetlogonsecuritydescriptor: netlogon,
    vulnerablenetlogonsecuritydescriptorcollected: netlogon === undefined ? undefined : true,
  };
}

function mappingText(value: unknown): readonly string[] | undefined {
  if (typeof value !== 'number') return undefined;
  if (value === -1) return [NO_VALUE];
  return MAPPINGS.filter(([bit]) => (value & bit) !== 0).map(([, text]) => text);
}

/** Whether it says who has a right that leads somewhere. */
function isRead(right: JsonObject): boolean {
  const isCollected = PRIVILEGES.has(right['Privilege']) && right['Collected'] === true;
  return isCollected && objectsIn(right, 'Results').length > 0;
}

/** A certification authority whose pages of enrolment accept what is relayed to them. */
function authorityFacts(item: JsonObject): Facts {
  const asked = objectsIn(item, 'HttpEnrollmentEndpoints').filter(({ Collected }) => Collected === true);
  const results = asked.map((endpoint) => objectIn(endpoint, 'Result'));
  const urls = (test: (result: JsonObject) => boolean): readonly unknown[] | undefined => {
    const found = results.filter(test).map(({ Url }) => Url);
    return found.length === 0 ? undefined : found;
  };
  const plain = urls(({ ADCSWebEnrollmentHTTP: isOpen }) => isOpen === true);
  const secure = urls(
    ({ ADCSWebEnrollmentHTTPS: isOpen, ADCSWebEnrollmentEPA: isBound }) =>
      isOpen === true && isBound !== true,
  );
  const registry = objectIn(item, 'CARegistryData');
  const restrictions = objectIn(registry, 'EnrollmentAgentRestrictions');
  return {
    httpenrollmentendpoints: plain,
    httpsenrollmentendpoints: secure,
    hasvulnerableendpoint: asked.length === 0 ? undefined : plain !== undefined || secure !== undefined,
    isuserspecifiessanenabled: collectedValue(registry, 'IsUserSpecifiesSanEnabled'),
    roleseparationenabled: collectedValue(registry, 'RoleSeparationEnabled'),
    hasenrollmentagentrestrictions:
      restrictions['Collected'] === true ? objectsIn(restrictions, 'Restrictions').length > 0 : undefined,
  };
}

/** Which halves of a group policy are in force: the collector writes a number. */
function policyFacts({ gpostatus }: JsonObject): Facts {
  if (typeof gpostatus !== 'string' && typeof gpostatus !== 'number') return {};
  const raw = String(gpostatus).trim();
  return { gpostatusraw: raw, gpostatus: POLICY_STATES.get(raw) ?? 'GPO Status does not exist' };
}

function domainFacts(properties: JsonObject): Facts {
  const numbers = NUMBERS.filter((name) => /^[+-]?\d{1,15}$/.test(textIn(properties, name)));
  const flags = FLAGS.filter((name) => /^(?:true|false)$/i.test(textIn(properties, name)));
  return {
    ...Object.fromEntries(numbers.map((name) => [name, Number(properties[name])])),
    ...Object.fromEntries(flags.map((name) => [name, textIn(properties, name).toLowerCase() === 'true'])),
  };
}

function collectedValue(holder: JsonObject, name: string): unknown {
  const found = objectIn(holder, name);
  return found['Collected'] === true ? found['Value'] : undefined;
}

function collectedIn(holder: JsonObject, name: string, field: string): JsonObject {
  const found = objectIn(holder, name);
  return found['Collected'] === true ? objectIn(found, field) : {};
}

function objectIn(holder: JsonObject, name: string): JsonObject {
  const value = holder[name];
  return isJsonObject(value) ? value : {};
}

function objectsIn(holder: JsonObject, name: string): readonly JsonObject[] {
  const value: unknown = holder[name];
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

/** A list with items; undefined for another. */
function listIn(holder: JsonObject, name: string): readonly unknown[] | undefined {
  const value: unknown = holder[name];
  return Array.isArray(value) && value.length > 0 ? (value as unknown[]) : undefined;
}

function textIn(holder: JsonObject, name: string): string {
  const value = holder[name];
  return typeof value === 'string' ? value : '';
}
