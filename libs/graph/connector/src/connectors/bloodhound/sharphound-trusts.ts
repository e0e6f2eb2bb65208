/** Trusts of a domain, and the groups that have all of its accounts. */
import type { JsonObject } from '#graph/model';
import { edge, knownPrincipal, NOT_ACL } from './sharphound-ends.ts';
import type { Edge, Principal } from './statement.ts';

const SAME_FOREST: ReadonlySet<unknown> = new Set(['ParentChild', 'TreeRoot', 'CrossLink', 0, 1]);
const DIRECTIONS = ['Disabled', 'Inbound', 'Outbound', 'Bidirectional'];

/** All accounts of a domain are authenticated, and all who are authenticated are among all. */
export function* wellKnownEdges({ id, name = '' }: Principal): Generator<Edge> {
  if (name === '') return;
  const group = (sid: string, title: string): Principal => ({
    ...knownPrincipal(sid, 'Group'),
    name: `${title}@${name.toUpperCase()}`,
  });
  const authenticated = group(`${name}-S-1-5-11`, 'AUTHENTICATED USERS');
  yield edge(group(`${id}-513`, 'DOMAIN USERS'), 'MemberOf', authenticated);
  yield edge(group(`${id}-515`, 'DOMAIN COMPUTERS'), 'MemberOf', authenticated);
  yield edge(authenticated, 'MemberOf', group(`${name}-S-1-1-0`, 'EVERYONE'));
}

/** A trust of the domain, as a collector states it. */
export function* trustEdges(own: Principal, trust: JsonObject): Generator<Edge> {
  const { TargetDomainSid: sid, TargetDomainName: name, TrustDirection: direction } = trust;
  if (typeof sid !== 'string' || sid === '') return;
  const shown = typeof name === 'string' ? name.toUpperCase() : undefined;
  const other = { ...knownPrincipal(sid, 'Domain'), name: shown };
  const way = typeof direction === 'number' ? DIRECTIONS[direction] : direction;
  if (way === 'Inbound' || way === 'Bidirectional') yield* inboundEdges(own, other, trust);
  if (way === 'Outbound' || way === 'Bidirectional') yield* outboundEdges(own, other, trust);
}

function* inboundEdges(own: Principal, other: Principal, trust: JsonObject): Generator<Edge> {
  const { TrustType: trusttype, IsTransitive: transitive, TGTDelegationEnabled: tgtdelegation } = trust;
  const verb = verbOfTrust(trust);
  const facts = { trusttype, transitive, tgtdelegation, trustattributesinbound: attributesOf(trust) };
  yield edge(other, verb, own, { ...NOT_ACL, ...facts });
  if (verb === 'CrossForestTrust' && tgtdelegation === true)
    yield edge(other, 'AbuseTGTDelegation', own, { ...NOT_ACL, trusttype });
}

function* outboundEdges(own: Principal, other: Principal, trust: JsonObject): Generator<Edge> {
  const { TrustType: trusttype, IsTransitive: transitive, SidFilteringEnabled: isFiltered } = trust;
  const verb = verbOfTrust(trust);
  const limits = { spoofsidhistoryblocked: isFiltered, trustattributesoutbound: attributesOf(trust) };
  yield edge(own, verb, other, { ...NOT_ACL, trusttype, transitive, ...limits });
  if (verb === 'CrossForestTrust' && isFiltered === false)
    yield edge(other, 'SpoofSIDHistory', own, { ...NOT_ACL, trusttype });
}

/** A number, which some collectors write as a text. */
function attributesOf({ TrustAttributes: given }: JsonObject): number | undefined {
  const isNumber = typeof given === 'number' || (typeof given === 'string' && /^-?\d{1,15}$/.test(given));
  return isNumber ? Number(given) : undefined;
}

function verbOfTrust({ TrustType: type }: JsonObject): string {
  return SAME_FOREST.has(type) ? 'SameForestTrust' : 'CrossForestTrust';
}
