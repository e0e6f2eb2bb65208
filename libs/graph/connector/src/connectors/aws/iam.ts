/** `iam get-account-authorization-details`: who is who, what is attached to whom, and who can become whom. */
import type { EntityKey } from '#graph/model';
import type { LooseReference, StepContext } from '../../run/step.ts';
import type { DocumentValue } from '../document/document-value.ts';
import type { Facts, RecordSet } from '../document/record-set.ts';
import { accountOf, awsKey } from './aws-names.ts';
import {
  allowsEverything,
  isAboutAction,
  refusalOf,
  type Statement,
  statementsOf,
  textsOf,
  type Verdict,
  verdictOf,
} from './iam-policy.ts';
import type { OrganizationReader } from './organization.ts';

interface Principal {
  readonly key: EntityKey;
  readonly statements: Statement[];
  /** Policies that are attached by their ARN. */
  readonly policies: readonly string[];
  readonly groups: readonly string[];
  /** The policy that bounds what its own policies allow. */
  readonly boundary: string | undefined;
}

interface TrustedRole {
  readonly key: EntityKey;
  readonly trust: readonly Statement[];
}

const ASSUME = 'sts:AssumeRole';
const ASSUMES = [ASSUME, 'sts:AssumeRoleWithSAML', 'sts:AssumeRoleWithWebIdentity'];
const EVERYONE = awsKey('aws_everyone', '*');

export class IamReader {
  readonly #records: RecordSet;
  readonly #principals = new Map<string, Principal>();
  readonly #policies = new Map<string, readonly Statement[]>();
  readonly #groups = new Map<string, Principal>();
  readonly #roles: TrustedRole[] = [];
  readonly #context: Pick<StepContext<unknown>, 'ignored' | 'unresolved'>;
  readonly #organization: OrganizationReader;
  /** Principals whose policies may let them assume a role, and are not all known. */
  readonly #unsure = new Map<string, LooseReference>();

  constructor(
    records: RecordSet,
    organization: OrganizationReader,
    context: Pick<StepContext<unknown>, 'ignored' | 'unresolved'>,
  ) {
    this.#records = records;
    this.#organization = organization;
    this.#context = context;
  }

  read(details: DocumentValue): void {
    for (const policy of details.objects('Policies')) this.#readPolicy(policy);
    for (const group of details.objects('GroupDetailList')) this.#readGroup(group);
    for (const user of details.objects('UserDetailList')) this.#readUser(user);
    for (const role of details.objects('RoleDetailList')) this.#readRole(role);
  }

  finish(): void {
    for (const principal of this.#principals.values())
      for (const group of principal.groups) {
        const known = this.#groups.get(group);
        if (known !== undefined) this.#records.relate(principal.key, 'MEMBER_OF', known.key);
        else
          this.#context.unresolved(
            lacking(principal.key, 'MEMBER_OF', `the group ${group.trim()} is not in the answer`),
          );
      }
    for (const role of this.#roles) this.#trust(role);
    for (const reference of this.#unsure.values()) this.#context.unresolved(reference);
  }

  #isUnsureOf(principal: EntityKey, why: string): void {
    this.#unsure.set(principal.key, lacking(principal, 'CAN_ASSUME', why));
  }

  /** What is missing of the policies of a principal and its groups. */
  #missingOf({ groups, policies }: Principal): string | undefined {
    const group = groups.find((each) => !this.#groups.has(each));
    if (group !== undefined) return `the group ${group.trim()} is not in the answer`;
    const all = [...policies, ...groups.flatMap((each) => this.#groups.get(each)?.policies ?? [])];
    const policy = all.find((arn) => !this.#policies.has(arn));
    return policy === undefined ? undefined : `what the policy ${policy} says is not in the answer`;
  }

  /** What the boundary leaves of what is asked; `conditional` if what it says is not in the answer. */
  #bounded({ key, boundary }: Principal, decide: (statements: readonly Statement[]) => Verdict): Verdict {
    if (boundary === undefined) return 'allowed';
    const statements = this.#policies.get(boundary);
    if (statements !== undefined) return decide(statements);
    this.#isUnsureOf(key, `what the boundary ${boundary} says is not in the answer`);
    return 'conditional';
  }

  #readPolicy(policy: DocumentValue): void {
    const arn = policy.required('Arn');
    const current = policy.text('DefaultVersionId');
    const isCurrent = (version: DocumentValue): boolean =>
      version.flag('IsDefaultVersion') ?? (current !== undefined && version.text('VersionId') === current);
    const version = policy.objects('PolicyVersionList').find(isCurrent);
    const statements = version?.has('Document') === true ? statementsOf(version, 'Document') : undefined;
    if (statements !== undefined) this.#policies.set(arn, statements);
    this.#policy(arn, {
      name: policy.text('PolicyName'),
      allows_everything: statements && allowsEverything(statements),
      attachments: policy.number('AttachmentCount'),
    });
  }

  #readGroup(group: DocumentValue): void {
    const arn = group.required('Arn');
    const key = this.#records.entity(awsKey('aws_iam_group', arn), 'Group', {
      name: group.text('GroupName'),
      arn,
    });
    const principal = this.#principal(key, group, 'GroupPolicyList');
    this.#groups.set(`${accountOf(arn) ?? ''} ${group.required('GroupName')}`, principal);
  }

  #readUser(user: DocumentValue): void {
    const arn = user.required('Arn');
    const facts = {
      name: user.text('UserName'),
      arn,
      created: user.text('CreateDate'),
      boundary: boundaryOf(user),
    };
    const key = this.#records.entity(awsKey('aws_iam_user', arn), 'User', facts);
    const groups = user.texts('GroupList').map((name) => `${accountOf(arn) ?? ''} ${name}`);
    this.#principals.set(key.key, { ...this.#principal(key, user, 'UserPolicyList'), groups });
  }

  #readRole(role: DocumentValue): void {
    const arn = role.required('Arn');
    const facts = {
      name: role.text('RoleName'),
      arn,
      created: role.text('CreateDate'),
      boundary: boundaryOf(role),
    };
    const key = this.#records.entity(awsKey('aws_iam_role', arn), 'Role', facts);
    this.#principals.set(key.key, this.#principal(key, role, 'RolePolicyList'));
    for (const profile of role.objects('InstanceProfileList')) {
      const own = { name: profile.text('InstanceProfileName') };
      const profileKey = awsKey('aws_iam_instance_profile', profile.required('Arn'));
      this.#records.relate(this.#records.entity(profileKey, 'Role', own), 'USES', key);
    }
    this.#roles.push({ key, trust: statementsOf(role, 'AssumeRolePolicyDocument') });
  }

  #principal(key: EntityKey, value: DocumentValue, inline: string): Principal {
    const statements: Statement[] = [];
    for (const policy of value.objects(inline)) {
      const own = statementsOf(policy, 'PolicyDocument');
      statements.push(...own);
      const name = policy.required('PolicyName');
      const policyKey = awsKey('aws_iam_inline_policy', `${key.key}/${name}`);
      this.#records.entity(policyKey, 'Policy', { name, allows_everything: allowsEverything(own) });
      this.#records.relate(key, 'ASSIGNED', policyKey);
    }
    const policies = value.objects('AttachedManagedPolicies').map((each) => each.required('PolicyArn'));
    for (const arn of policies) this.#records.relate(key, 'ASSIGNED', this.#policy(arn));
    return { key, statements, policies, groups: [], boundary: boundaryOf(value) };
  }

  #policy(arn: string, facts: Facts = {}): EntityKey {
    const name = arn.split('/').at(-1);
    return this.#records.entity(awsKey('aws_iam_policy', arn), 'Policy', { ...facts, name, arn });
  }

  /** Those of a principal itself, of its groups, and of all policies that are attached to both. */
  #statementsOf(principal: Principal): readonly Statement[] {
    const all = [principal, ...principal.groups.flatMap((group) => this.#groups.get(group) ?? [])];
    return all.flatMap(({ statements, policies }) => [
      ...statements,
      ...policies.flatMap((arn) => this.#policies.get(arn) ?? []),
    ]);
  }

  #account(id: string): EntityKey {
    return this.#records.entity({ type: 'aws_account', key: id }, 'Account', { name: id });
  }

  /** Who a role lets become it. */
  #trust({ key, trust }: TrustedRole): void {
    const own = accountOf(key.key);
    const isDenied = trust.some(({ isAllow }) => !isAllow);
    for (const { isAllow, hasConditions, value } of trust) {
      if (!isAllow || !ASSUMES.some((action) => isAboutAction(value, action))) continue;
      // All but some are trusted: whom a refusal or an exception is about is not computed.
      const isExcept = value.has('NotPrincipal');
      const facts = { conditional: hasConditions || isDenied || isExcept };
      if (value.value['Principal'] === '*' || isExcept) {
        this.#assume(EVERYONE, key, facts);
        continue;
      }
      if (!value.has('Principal'))
        throw value.fault('Principal', 'expected whom the role trusts, got nothing');
      const principal = value.object('Principal');
      for (const service of textsOf(principal, 'Service'))
        this.#assume({ type: 'aws_service', key: service }, key, facts);
      for (const provider of textsOf(principal, 'Federated'))
        this.#assume(awsKey('aws_identity_provider', provider), key, facts);
      for (const text of textsOf(principal, 'AWS')) this.#trustPrincipal(text, { key, own, facts });
    }
  }

  #trustPrincipal(
    text: string,
    { key, own, facts }: { readonly key: EntityKey; readonly own: string | undefined; readonly facts: Facts },
  ): void {
    const account = /^\d{12}$/.test(text) ? text : /:root$/.test(text) ? accountOf(text) : undefined;
    if (text === '*') this.#assume(EVERYONE, key, facts);
    else if (/^A(?:ID|RO)A[A-Z0-9]{12,}$/.test(text))
      this.#context.ignored('principals that roles trust and that were deleted');
    else if (account === undefined) this.#trustOne(text, key, facts);
    else {
      this.#assume(this.#account(account), key, { ...facts, cross_account: account !== own });
      this.#allowedByPolicies(account, key, facts);
    }
  }

  /**
   * A user or role that a role of its account names needs no policy of its own, but one that refuses it
   * counts, and so does a boundary: of a user only what it refuses, of a role also what it does not allow.
   * One of another account needs both.
   */
  #trustOne(text: string, role: EntityKey, facts: Facts): void {
    const who = principalKey(text);
    const known = this.#principals.get(who.key);
    const isOfOther = accountOf(who.key) !== accountOf(role.key);
    if (known !== undefined && isOfOther) this.#assumeByPolicies(known, role, facts);
    if (known !== undefined && isOfOther) return;
    const refused = (statements: readonly Statement[]): Verdict => refusalOf(statements, ASSUME, role.key);
    const allowed = (statements: readonly Statement[]): Verdict => verdictOf(statements, ASSUME, role.key);
    const verdicts =
      known === undefined
        ? []
        : [
            refused(this.#statementsOf(known)),
            this.#bounded(known, /:role\//.test(text) ? allowed : refused),
          ];
    if (verdicts.includes('denied')) return;
    const conditional = verdicts.includes('conditional') || facts['conditional'];
    this.#assume(who, role, { conditional, cross_account: isOfOther });
  }

  /** A role that trusts an account trusts those whose own policies let them. */
  #allowedByPolicies(account: string, role: EntityKey, facts: Facts): void {
    for (const principal of this.#principals.values())
      if (accountOf(principal.key.key) === account && principal.key.key !== role.key)
        this.#assumeByPolicies(principal, role, facts);
  }

  #assumeByPolicies(principal: Principal, role: EntityKey, facts: Facts): void {
    const allowed = (statements: readonly Statement[]): Verdict => verdictOf(statements, ASSUME, role.key);
    const own = allowed(this.#statementsOf(principal));
    const missing = own === 'denied' ? this.#missingOf(principal) : undefined;
    if (missing !== undefined) this.#isUnsureOf(principal.key, missing);
    if (own === 'denied') return;
    const bounded = this.#bounded(principal, allowed);
    if (bounded === 'denied') return;
    const conditional = [own, bounded].includes('conditional') || facts['conditional'] === true;
    const isOfOther = accountOf(principal.key.key) !== accountOf(role.key);
    this.#assume(principal.key, role, { conditional, cross_account: isOfOther });
  }

  /** What IAM allows, within what the organization does. */
  #assume(who: EntityKey, role: EntityKey, facts: Facts): void {
    const { verdict, missing } = this.#organization.limitOf(who, role);
    if (verdict === 'denied') return;
    if (missing !== undefined) {
      const reason = `${who.key}: what its organization allows is not decided: not in the answers is ${missing}`;
      this.#unsure.set(who.key, { owner: who, end: 'from', verb: 'CAN_ASSUME', reason });
    }
    const own = verdict === 'conditional' ? { ...facts, conditional: true } : facts;
    const name = who.key.split('/').at(-1);
    this.#records.relate(this.#records.entity(who, undefined, { name }), 'CAN_ASSUME', role, own);
  }
}

function lacking(owner: EntityKey, verb: string, why: string): LooseReference {
  const reason = `${owner.key}: ${why}: ask for the authorization details without a filter`;
  return { owner, end: 'from', verb, reason };
}

/** A user or role by its ARN; a session of a role is the role's. */
function principalKey(arn: string): EntityKey {
  const [, partition = '', account = '', role = ''] =
    /^arn:([^:]+):sts::(\d+):assumed-role\/([^/]+)/.exec(arn) ?? [];
  if (role !== '') return awsKey('aws_iam_role', `arn:${partition}:iam::${account}:role/${role}`);
  if (/:role\//.test(arn)) return awsKey('aws_iam_role', arn);
  return awsKey(/:user\//.test(arn) ? 'aws_iam_user' : 'aws_principal', arn);
}

function boundaryOf(value: DocumentValue): string | undefined {
  return value.object('PermissionsBoundary').text('PermissionsBoundaryArn');
}
