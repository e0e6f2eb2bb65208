/**
 * Answers of `aws organizations`: where accounts are, and which policies bound what can be done in them. What
 * such an answer is about is not in it: the id that was asked for is in the name of the file.
 */
import { basename } from 'node:path';
import type { EntityKey } from '#graph/model';
import type { DocumentValue } from '../document/document-value.ts';
import { fittingKey } from '../document/fitting-key.ts';
import type { Facts, RecordSet } from '../document/record-set.ts';
import { accountOf } from './aws-names.ts';
import { refusalOf, type Statement, statementsOf, type Verdict, verdictOf } from './iam-policy.ts';

/** What is left of an action; `missing` says what is not in the answers, so that it cannot be decided. */
export interface Limit {
  readonly verdict: Verdict;
  readonly missing?: string;
}

interface Policy {
  readonly kind: string;
  /** Undefined until the answer that has its content. */
  statements: readonly Statement[] | undefined;
}

interface Question {
  readonly action: string;
  /** The role. */
  readonly resource: string;
}

const [SERVICE_CONTROL, RESOURCE_CONTROL] = ['SERVICE_CONTROL_POLICY', 'RESOURCE_CONTROL_POLICY'] as const;
const NO_LIMIT: Limit = { verdict: 'allowed' };
const ACCOUNT = /^\d{12}$/;
const ID = /(?<![0-9a-z])(?:p-\w{8,128}|ou-[0-9a-z]+-[0-9a-z]+|r-[0-9a-z]{4,32}|\d{12})(?![0-9a-z])/gi;
/** Only principals of an account are bound by its service control policies. */
const PRINCIPALS: ReadonlySet<string> = new Set([
  'aws_account',
  'aws_iam_user',
  'aws_iam_role',
  'aws_principal',
]);

export class OrganizationReader {
  readonly #records: RecordSet;
  #management: string | undefined;
  /** Whether all accounts of the organization are known. */
  #hasAllAccounts = false;
  readonly #accounts = new Set<string>();
  readonly #parents = new Map<string, string>();
  readonly #policies = new Map<string, Policy>();
  /** The policies of each root, organizational unit and account, as far as known. */
  readonly #attached = new Map<string, Set<string>>();
  /** Of a kind and a target, whether all policies are known. */
  readonly #whole = new Set<string>();
  /** All policies of the organization, of the kinds that were asked for. */
  readonly #listed = new Set<string>();
  readonly #withTargets = new Set<string>();
  /** The kinds of policies that are enabled; undefined if no answer says it. */
  #enabled: Set<string> | undefined;

  constructor(records: RecordSet) {
    this.#records = records;
  }

  readOrganization(document: DocumentValue): void {
    const organization = document.object('Organization');
    this.#management = organization.required('MasterAccountId');
  }

  readRoots(document: DocumentValue): void {
    this.#enabled ??= new Set();
    for (const root of document.objects('Roots')) {
      this.#node(root.required('Id'), root);
      for (const each of root.objects('PolicyTypes'))
        if (each.text('Status') === 'ENABLED') this.#enabled.add(each.required('Type'));
    }
  }

  /** `list-accounts`, or `list-accounts-for-parent` with the parent in the name of the file. */
  readAccounts(document: DocumentValue, file: string): void {
    const parent = idIn(document, file, /^(?:ou|r)-/);
    if (parent === undefined) this.#hasAllAccounts = true;
    for (const account of document.objects('Accounts')) {
      const id = account.required('Id');
      this.#node(id, account);
      if (parent !== undefined) this.#place(document, id, parent);
      for (const path of account.texts('Paths')) this.#placeAlong(document, path, id);
    }
  }

  readUnits(document: DocumentValue, file: string): void {
    const parent = requiredIdIn(document, file, /^(?:ou|r)-/);
    for (const unit of document.objects('OrganizationalUnits')) {
      const id = unit.text('Id') ?? unit.required('Arn').split('/').at(-1) ?? '';
      this.#node(id, unit);
      this.#place(document, id, parent);
    }
  }

  readChildren(document: DocumentValue, file: string): void {
    const parent = requiredIdIn(document, file, /^(?:ou|r)-/);
    for (const child of document.objects('Children')) this.#place(document, child.required('Id'), parent);
  }

  readParents(document: DocumentValue, file: string): void {
    const child = requiredIdIn(document, file, /^(?:ou-|\d)/);
    for (const parent of document.objects('Parents')) this.#place(document, child, parent.required('Id'));
  }

  /** `list-policies`, or `list-policies-for-target` with the target in the name of the file. */
  readPolicies(document: DocumentValue, file: string): void {
    const target = idIn(document, file, /^(?:ou-|r-|\d)/);
    for (const policy of document.objects('Policies')) {
      const id = this.#policy(policy);
      if (target === undefined) this.#listed.add(id);
      else {
        this.#whole.add(`${policy.required('Type')} ${target}`);
        this.#attach(target, id);
      }
    }
  }

  readPolicy(document: DocumentValue): void {
    const policy = document.object('Policy');
    const id = this.#policy(policy.object('PolicySummary'));
    const known = this.#policies.get(id);
    // Of other kinds, such as those of tags, nobody is refused anything.
    if (known?.kind !== SERVICE_CONTROL && known?.kind !== RESOURCE_CONTROL) return;
    known.statements = statementsOf(policy, 'Content');
  }

  readTargets(document: DocumentValue, file: string): void {
    const policy = requiredIdIn(document, file, /^p-/);
    this.#withTargets.add(policy);
    for (const target of document.objects('Targets')) {
      const id = target.required('TargetId');
      this.#node(id, target);
      this.#attach(id, policy);
    }
  }

  /** What the policies of the organization leave of what IAM allows: that a principal assumes a role. */
  limitOf(who: EntityKey, role: EntityKey): Limit {
    // Roles of services are bound by no policy of an organization.
    if ([who, role].some(({ key }) => key.includes(':role/aws-service-role/'))) return NO_LIMIT;
    const question = { action: actionOf(who), resource: role.key };
    const own = ACCOUNT.test(who.key) ? who.key : accountOf(who.key);
    return worst([
      PRINCIPALS.has(who.type) ? this.#limit(SERVICE_CONTROL, own, question) : NO_LIMIT,
      this.#limit(RESOURCE_CONTROL, accountOf(role.key), question),
    ]);
  }

  #limit(kind: string, account: string | undefined, question: Question): Limit {
    const isOutside = this.#hasAllAccounts && !this.#accounts.has(account ?? '');
    if (account === undefined || account === this.#management || isOutside || !this.#isInForce(kind))
      return NO_LIMIT;
    const path = this.#pathOf(account);
    const limits = path.map((node) => this.#limitAt(node, kind, question));
    const top = path.at(-1) ?? account;
    if (!top.startsWith('r-')) limits.push(unknown(`what ${top} is below (list-parents)`));
    const limit = worst(limits);
    // The policies of an organization do not bind the account that manages it.
    const isUnsure = this.#management === undefined && limit.verdict !== 'allowed';
    return isUnsure ? unknown('which account manages the organization (describe-organization)') : limit;
  }

  #isInForce(kind: string): boolean {
    return this.#enabled?.has(kind) ?? [...this.#policies.values()].some((policy) => policy.kind === kind);
  }

  /** The account and what it is below, up to the root. */
  #pathOf(account: string): readonly string[] {
    const path = new Set<string>();
    for (let at: string | undefined = account; at !== undefined && !path.has(at); at = this.#parents.get(at))
      path.add(at);
    return [...path];
  }

  /** Of one root, unit or account: all of its policies must be known, but one that refuses is enough. */
  #limitAt(node: string, kind: string, { action, resource }: Question): Limit {
    const attached = [...(this.#attached.get(node) ?? [])];
    const ids = attached.filter((id) => this.#policies.get(id)?.kind === kind);
    const known = ids.flatMap((id) => this.#policies.get(id)?.statements ?? []);
    const refusal = refusalOf(known, action, resource);
    if (refusal === 'denied') return { verdict: refusal };
    const unread = attached.find((id) => this.#isUnread(id, kind));
    if (unread !== undefined) return unknown(`what ${unread} says (describe-policy)`);
    if (ids.length === 0 || !this.#hasAll(node, kind))
      return unknown(`all policies of ${node} (list-policies-for-target)`);
    // What resource control policies do not refuse is allowed by the one that AWS attaches everywhere.
    return { verdict: kind === RESOURCE_CONTROL ? refusal : verdictOf(known, action, resource) };
  }

  /** Whether it may be of that kind, and what it says is not known. */
  #isUnread(id: string, kind: string): boolean {
    const policy = this.#policies.get(id);
    return policy === undefined || (policy.kind === kind && policy.statements === undefined);
  }

  #hasAll(node: string, kind: string): boolean {
    if (this.#whole.has(`${kind} ${node}`)) return true;
    const listed = [...this.#listed].filter((id) => this.#policies.get(id)?.kind === kind);
    return listed.length > 0 && listed.every((id) => this.#withTargets.has(id));
  }

  #policy(summary: DocumentValue): string {
    const id = summary.required('Id');
    const kind = summary.required('Type');
    const arn = summary.text('Arn');
    if (!this.#policies.has(id)) this.#policies.set(id, { kind, statements: undefined });
    this.#management ??= accountOf(arn ?? '');
    const facts = { name: summary.text('Name'), kind: kind.toLowerCase(), arn };
    this.#records.entity(keyOf(id), 'Policy', facts);
    return id;
  }

  /** A root, unit or account. Its ARN has the account that manages the organization. */
  #node(id: string, value: DocumentValue): EntityKey {
    if (ACCOUNT.test(id)) this.#accounts.add(id);
    const arn = value.text('Arn');
    this.#management ??= accountOf(arn ?? '');
    return this.#add(id, { name: value.text('Name'), arn });
  }

  #add(id: string, facts: Facts = {}): EntityKey {
    return this.#records.entity(keyOf(id), ACCOUNT.test(id) ? 'Account' : undefined, facts);
  }

  #attach(target: string, policy: string): void {
    const known = this.#attached.get(target) ?? new Set();
    this.#attached.set(target, known.add(policy));
    const end = this.#records.entity(keyOf(policy), 'Policy');
    this.#records.relate(this.#add(target), 'ASSIGNED', end);
  }

  /** `o-exampleorgid/r-ab12/ou-ab12-11111111/123456789012/`. */
  #placeAlong(document: DocumentValue, path: string, account: string): void {
    const nodes = path.split('/').filter((node) => /^(?:r|ou)-/.test(node));
    for (const [index, node] of [...nodes, account].entries())
      if (index > 0) this.#place(document, node, nodes[index - 1] ?? '');
  }

  #place(document: DocumentValue, child: string, parent: string): void {
    const known = this.#parents.get(child);
    if (known !== undefined && known !== parent)
      throw document.fault('', `expected ${child} below ${known}, as another answer has it, got ${parent}`);
    this.#parents.set(child, parent);
    this.#records.relate(this.#add(parent), 'CONTAINS', this.#add(child));
  }
}

function keyOf(id: string): EntityKey {
  const type = id.startsWith('p-')
    ? 'aws_organizations_policy'
    : id.startsWith('r-')
      ? 'aws_organizations_root'
      : id.startsWith('ou-')
        ? 'aws_organizations_organizational_unit'
        : 'aws_account';
  return { type, key: fittingKey(id) };
}

function actionOf({ type, key }: EntityKey): string {
  if (type !== 'aws_identity_provider') return 'sts:AssumeRole';
  return /:saml-provider\//.test(key) ? 'sts:AssumeRoleWithSAML' : 'sts:AssumeRoleWithWebIdentity';
}

function unknown(missing: string): Limit {
  return { verdict: 'conditional', missing };
}

/** What one refuses is refused; what cannot be decided comes before conditions. */
function worst(limits: readonly Limit[]): Limit {
  const isConditional = ({ verdict }: Limit): boolean => verdict === 'conditional';
  return (
    limits.find(({ verdict }) => verdict === 'denied') ??
    limits.find(({ missing }) => missing !== undefined) ??
    limits.find(isConditional) ??
    NO_LIMIT
  );
}

/** The one id of that kind in the name of a file. */
function idIn(document: DocumentValue, file: string, kind: RegExp): string | undefined {
  const ids = new Set(
    basename(file)
      .match(ID)
      ?.filter((id) => kind.test(id)),
  );
  const [id] = ids;
  if (ids.size < 2) return id;
  throw document.fault('', `expected one id in the name of the file, got ${[...ids].join(' and ')}`);
}

function requiredIdIn(document: DocumentValue, file: string, kind: RegExp): string {
  const id = idIn(document, file, kind);
  if (id !== undefined) return id;
  throw document.fault('', 'expected the id that was asked for in the name of the file, got none');
}
