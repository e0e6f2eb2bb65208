/** How a membership is stated: in a domain with rights, under the name of BloodHound's edge as well. */
import type { EntityKey, RelationshipEnd } from '#graph/model';
import type { StepContext } from '../../run/step.ts';
import type { LdapConfig } from './ldap-config.ts';

const VERB = 'MEMBER_OF';
const DOMAIN_VERB = 'MemberOf';

/** A reference that leads to no membership: of a member, or of its group. */
interface LooseMembership {
  readonly owner: EntityKey;
  readonly end: RelationshipEnd;
  readonly reason: string;
}

export function membershipVerbs({ rights }: LdapConfig): readonly string[] {
  return rights ? [VERB, DOMAIN_VERB] : [VERB];
}

export function emitMembership(context: StepContext<LdapConfig>, from: EntityKey, to: EntityKey): void {
  context.emitRelationship({ from, verb: VERB, to });
  if (context.config.rights)
    context.emitRelationship({ from, verb: DOMAIN_VERB, to, properties: { isacl: false } });
}

export function loseMembership(context: StepContext<LdapConfig>, loose: LooseMembership): void {
  for (const verb of membershipVerbs(context.config)) context.unresolved({ ...loose, verb });
}

/** It is counted once. */
export function leaveOutMembership(context: StepContext<LdapConfig>, loose: LooseMembership): void {
  context.external({ ...loose, verb: VERB });
}
