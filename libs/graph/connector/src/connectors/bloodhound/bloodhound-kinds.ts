/** The kinds of BloodHound: each is the class of an entity, whose type is the same in snake case. */
import { AZURE_FORMS, FEDERATED_CREDENTIAL } from './azurehound-objects.ts';

/** The labels of everything in a domain, and in Azure; also the kinds of what is not known better. */
export const BASE = 'Base';
export const AZURE_BASE = 'AZBase';
/** The kind of a node of OpenGraph that nothing says more about. */
export const UNKNOWN = 'Unknown';

/** A group of a computer, which the collector calls a LocalGroup. */
export const LOCAL_GROUP = 'ADLocalGroup';

/** The kinds of a domain, by the type of the file that describes them; local groups have none. */
export const KINDS_BY_FILE: ReadonlyMap<string, string> = new Map([
  ['users', 'User'],
  ['groups', 'Group'],
  ['computers', 'Computer'],
  ['domains', 'Domain'],
  ['ous', 'OU'],
  ['gpos', 'GPO'],
  ['containers', 'Container'],
  ['certtemplates', 'CertTemplate'],
  ['enterprisecas', 'EnterpriseCA'],
  ['rootcas', 'RootCA'],
  ['aiacas', 'AIACA'],
  ['ntauthstores', 'NTAuthStore'],
  ['issuancepolicies', 'IssuancePolicy'],
]);
const DOMAIN_KINDS: ReadonlySet<string> = new Set([...KINDS_BY_FILE.values(), LOCAL_GROUP]);

/** The kind that an edge says of one of its ends, or the base of all kinds for an unknown one. */
export function knownKind(kind: string): string {
  if (kind === 'LocalGroup') return LOCAL_GROUP;
  return DOMAIN_KINDS.has(kind) ? kind : BASE;
}

/** The label of the objects of a kind in addition to it. */
export function labelsOf(kind: string): readonly string[] {
  if (DOMAIN_KINDS.has(kind)) return [BASE];
  return AZURE_FORMS.has(kind) || kind === FEDERATED_CREDENTIAL ? [AZURE_BASE] : [];
}

/** Whether a kind says nothing but the source. */
export function isUnspecific(kind: string): boolean {
  return kind === BASE || kind === AZURE_BASE || kind === UNKNOWN;
}

/** `cert_template` for `CertTemplate`, `enterprise_ca` for `EnterpriseCA`, `az_vm` for `AZVM`. */
export function typeOfKind(kind: string): string {
  const words = kind
    .replace(/^AZ(?=[A-Z])/, 'AZ_')
    .replace(/([a-z0-9])(?=[A-Z])|([A-Z])(?=[A-Z][a-z])/g, '$&_');
  return words.toLowerCase();
}
