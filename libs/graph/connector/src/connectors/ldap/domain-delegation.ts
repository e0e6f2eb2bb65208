/**
 * What reaches over from account to account without an access list: delegation, former identifiers, and the
 * trusts of the domain; under the names of BloodHound's edges.
 */
import type { EntityInput, EntityKey } from '#graph/model';
import type { StepContext } from '../../run/step.ts';
import { trustEdges } from '../bloodhound/sharphound-trusts.ts';
import { domainName, sidOf } from './domain-objects.ts';
import { type DomainPrincipals, entitiesOf } from './domain-principals.ts';
import { namesIn, textOf } from './entry-values.ts';
import type { LdapConfig } from './ldap-config.ts';
import type { Entry } from './ldap-message.ts';
import type { Directory } from './ldap-session.ts';

const TRUST_VERBS = ['SameForestTrust', 'CrossForestTrust', 'SpoofSIDHistory', 'AbuseTGTDelegation'];
export const DELEGATION_VERBS: readonly string[] = [
  ...['AllowedToDelegate', 'CoerceToTGT', 'HasSIDHistory'],
  ...TRUST_VERBS,
];
const TRUST_ATTRIBUTES = [
  ...['trustPartner', 'trustDirection', 'trustType', 'trustAttributes', 'securityIdentifier'],
];
const KERBEROS_REALM = 3;
const TRUST = {
  nonTransitive: 0x1,
  quarantined: 0x4,
  forestTransitive: 0x8,
  withinForest: 0x20,
  treatAsExternal: 0x40,
  delegatesTickets: 0x800,
} as const;
const NOT_ACL = { isacl: false };

type Context = StepContext<LdapConfig>;

/** Whom accounts may act for, and which identifiers they have had. */
export function emitDelegation(context: Context, principals: DomainPrincipals): void {
  const hosts = hostsOf(context);
  const domains = new Map([...context.entities('domain')].flatMap((each) => withSid(each)));
  for (const entity of entitiesOf(context)) {
    const from = { type: entity.type, key: entity.key };
    const relate = (verb: string, to: EntityKey): void =>
      context.emitRelationship({ from, verb, to, properties: NOT_ACL });
    for (const to of servicesOf(context, entity, hosts)) relate('AllowedToDelegate', to);
    for (const sid of new Set(namesIn(entity, 'sidhistory'))) relate('HasSIDHistory', principals.at(sid));
    const [sid = ''] = namesIn(entity, 'sid');
    const domain = domains.get(sid.slice(0, sid.lastIndexOf('-')));
    // A controller receives tickets of everyone anyway.
    const isUnconstrained = entity.properties['unconstraineddelegation'] === true;
    if (isUnconstrained && entity.properties['is_dc'] !== true && domain !== undefined)
      relate('CoerceToTGT', domain);
  }
}

function withSid(entity: EntityInput): readonly (readonly [string, EntityKey])[] {
  return namesIn(entity, 'sid').map((sid) => [sid, { type: entity.type, key: entity.key }] as const);
}

/** Computers by the names of their services' host, in lower case. */
function hostsOf(context: Context): ReadonlyMap<string, EntityKey> {
  const hosts = new Map<string, EntityKey>();
  const domain = domainName(context.config).toLowerCase();
  for (const computer of context.entities('computer')) {
    const key = { type: computer.type, key: computer.key };
    for (const account of namesIn(computer, 'samaccountname')) {
      const name = account.replace(/\$$/, '').toLowerCase();
      for (const host of [name, `${name}.${domain}`]) if (!hosts.has(host)) hosts.set(host, key);
    }
    for (const host of namesIn(computer, 'dns_name')) hosts.set(host.toLowerCase(), key);
  }
  return hosts;
}

/** The computers whose services an account may use for others: `MSSQLSvc/db.corp.example:1433`. */
function servicesOf(
  context: Context,
  owner: EntityInput,
  hosts: ReadonlyMap<string, EntityKey>,
): Iterable<EntityKey> {
  const found = new Map<string, EntityKey>();
  for (const service of namesIn(owner, 'allowedtodelegate')) {
    const [, host = ''] = /^[^/]+\/([^/:]+)/.exec(service) ?? [];
    const computer = hosts.get(host.toLowerCase());
    if (computer !== undefined) found.set(computer.key, computer);
    else {
      const reason = `${owner.type} ${owner.key} may delegate to ${service}, which no computer of the source has`;
      context.external({ owner, end: 'from', verb: 'AllowedToDelegate', reason });
    }
  }
  return found.values();
}

/** The trusts that the domain states; the other domain is an entity by its identifier. */
export async function emitTrusts(context: Context, directory: Directory): Promise<void> {
  const search = {
    filter: '(objectClass=trustedDomain)',
    attributes: TRUST_ATTRIBUTES,
    types: TRUST_VERBS,
  };
  const [own] = context.entities('domain');
  for await (const entry of directory.entries(search)) {
    const trust = trustOf(entry);
    const [ownSid] = own === undefined ? [] : namesIn(own, 'sid');
    if (own === undefined || ownSid === undefined || trust === undefined) {
      context.ignored('trusts without the identifier of a domain');
      continue;
    }
    const other = otherDomain(context, trust);
    const keyOf = (id: string): EntityKey => (id === ownSid ? { type: own.type, key: own.key } : other);
    for (const { from, verb, to, properties } of trustEdges({ id: ownSid, kind: 'Domain' }, { ...trust }))
      context.emitRelationship({ from: keyOf(from.id), verb, to: keyOf(to.id), properties });
  }
}

/** As a collector states it. */
interface Trust {
  readonly TargetDomainSid: string;
  readonly TargetDomainName: string | undefined;
  readonly TrustDirection: number;
  readonly TrustType: 'External' | 'Forest' | 'ParentChild';
  readonly IsTransitive: boolean;
  readonly SidFilteringEnabled: boolean;
  readonly TGTDelegationEnabled: boolean;
}

/** Undefined for a realm of Kerberos, which has no identifiers, and without what a trust needs. */
function trustOf(entry: Entry): Trust | undefined {
  const sid = sidOf(entry, 'securityIdentifier');
  const [direction, type, flags] = ['trustDirection', 'trustType', 'trustAttributes'].map((name) =>
    Number(textOf(entry, name) ?? Number.NaN),
  );
  if (sid === undefined || direction === undefined || !Number.isInteger(direction)) return undefined;
  if (type === KERBEROS_REALM || flags === undefined || !Number.isInteger(flags)) return undefined;
  return {
    TargetDomainSid: sid,
    TargetDomainName: textOf(entry, 'trustPartner')?.toUpperCase(),
    TrustDirection: direction,
    ...trustFacts(flags),
  };
}

/** What the attributes of a trust say. */
function trustFacts(flags: number): Omit<Trust, 'TargetDomainSid' | 'TargetDomainName' | 'TrustDirection'> {
  const has = (flag: number): boolean => (flags & flag) !== 0;
  const ofForest = has(TRUST.forestTransitive) ? 'Forest' : 'External';
  return {
    TrustType: has(TRUST.withinForest) ? 'ParentChild' : ofForest,
    IsTransitive: !has(TRUST.nonTransitive),
    SidFilteringEnabled:
      has(TRUST.quarantined) || (has(TRUST.forestTransitive) && !has(TRUST.treatAsExternal)),
    TGTDelegationEnabled: !has(TRUST.quarantined) && (has(TRUST.withinForest) || has(TRUST.delegatesTickets)),
  };
}

function otherDomain(context: Context, { TargetDomainSid: sid, TargetDomainName: name }: Trust): EntityKey {
  const [known] = [...context.entities('domain')].filter((each) => namesIn(each, 'sid').includes(sid));
  if (known !== undefined) return { type: known.type, key: known.key };
  const properties = { name, sid, objectid: sid, domain: name };
  const key = { type: 'domain', key: sid };
  context.emitEntity({ ...key, class: 'Domain', labels: ['Base'], display_name: name ?? sid, properties });
  return key;
}
