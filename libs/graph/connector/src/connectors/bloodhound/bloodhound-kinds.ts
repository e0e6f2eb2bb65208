/** The kinds of BloodHound: each is the class of an entity, whose type is the same in snake case. */

/** The kind of each type of file that SharpHound writes. */
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
/** The label of everything in a domain, and the kind of what is not known better. */
export const BASE = 'Base';
const KINDS: ReadonlySet<string> = new Set([...KINDS_BY_FILE.values(), 'LocalGroup', BASE]);

export function knownKind(kind: unknown): string {
  return typeof kind === 'string' && KINDS.has(kind) ? kind : BASE;
}

/** `cert_template` for `CertTemplate`, `enterprise_ca` for `EnterpriseCA`, `ou` for `OU`. */
export function typeOfKind(kind: string): string {
  const words = kind.replace(/([a-z0-9])(?=[A-Z])|([A-Z])(?=[A-Z][a-z])/g, '$&_');
  return words.toLowerCase();
}
