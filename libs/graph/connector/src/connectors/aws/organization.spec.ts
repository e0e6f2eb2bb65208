/** What service and resource control policies of an organization leave of what IAM allows. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NodeDisk } from '#platform/disk';
import { runConnector, type TestRun } from '../../kit/run-connector.ts';
import { awsConnector } from './aws-connector.ts';

const [MANAGEMENT, SHOP, BANK, OUTSIDE] = ['111111111111', '222222222222', '333333333333', '999999999999'];
const [ROOT, UNIT] = ['r-ab12', 'ou-ab12-11111111'];
const arn = (path: string, account: string): string => `arn:aws:iam::${account}:${path}`;
const statement = (effect: string, action: unknown, more: object = {}) => ({
  Effect: effect,
  Action: action,
  Resource: '*',
  ...more,
});
const FULL = statement('Allow', '*');
const MFA = { Condition: { BoolIfExists: { 'aws:MultiFactorAuthPresent': 'false' } } };
const document = (...statements: readonly object[]) => ({ Version: '2012-10-17', Statement: statements });
const trust = (principal: unknown, action: string) =>
  document({ Effect: 'Allow', Principal: principal, Action: action });

type Answers = Readonly<Record<string, object>>;

const role = (name: string, account: string, principal: unknown, action = 'sts:AssumeRole') => ({
  RoleName: name,
  Arn: arn(`role/${name}`, account),
  AssumeRolePolicyDocument: trust(principal, action),
  RolePolicyList: [{ PolicyName: 'all', PolicyDocument: document(FULL) }],
});
/** In each account a role `app`, which may become the role `target` of its account. */
const iam = (account: string, ...more: readonly object[]): object => ({
  UserDetailList: [],
  GroupDetailList: [],
  RoleDetailList: [
    role('target', account, { AWS: arn('role/app', account) }),
    role('app', account, { Service: 'ec2.amazonaws.com' }),
    ...more,
  ],
  Policies: [],
});
const account = (id: string) => ({ Id: id, Arn: `arn:aws:organizations::${MANAGEMENT}:account/o-x/${id}` });
const policy = (id: string, kind: string) => ({ Id: id, Type: kind, Name: id });
const described = (id: string, kind: string, ...statements: readonly object[]) => ({
  Policy: { PolicySummary: policy(id, kind), Content: JSON.stringify(document(...statements)) },
});
const attached = (kind: string, ...ids: readonly string[]) => ({
  Policies: ids.map((id) => policy(id, kind)),
});
const SCP = 'SERVICE_CONTROL_POLICY';
const RCP = 'RESOURCE_CONTROL_POLICY';

/** The shop is in the unit, the bank at the root, and everything is allowed. */
const ESTATE: Answers = {
  'shop.json': iam(SHOP),
  'bank.json': iam(BANK),
  'management.json': iam(MANAGEMENT),
  'accounts.json': { Accounts: [account(MANAGEMENT), account(SHOP), account(BANK)] },
  [`parents-${SHOP}.json`]: { Parents: [{ Id: UNIT, Type: 'ORGANIZATIONAL_UNIT' }] },
  [`parents-${BANK}.json`]: { Parents: [{ Id: ROOT, Type: 'ROOT' }] },
  [`parents-${UNIT}.json`]: { Parents: [{ Id: ROOT, Type: 'ROOT' }] },
  'policy-full.json': described('p-FullAWSAccess', SCP, FULL),
  [`policies-of-${ROOT}.json`]: attached(SCP, 'p-FullAWSAccess'),
  [`policies-of-${UNIT}.json`]: attached(SCP, 'p-FullAWSAccess'),
  [`policies-of-${SHOP}.json`]: attached(SCP, 'p-FullAWSAccess'),
  [`policies-of-${BANK}.json`]: attached(SCP, 'p-FullAWSAccess'),
};

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'plexus-organization-'));
});
afterAll(() => rm(directory, { recursive: true }));

async function read(answers: Answers): Promise<TestRun> {
  const folder = await mkdtemp(join(directory, 'answers-'));
  for (const [name, answer] of Object.entries(answers))
    await writeFile(join(folder, name), JSON.stringify(answer));
  return runConnector(awsConnector(new NodeDisk()), { config: { file: folder } });
}
/** The accounts whose role `app` can become `target`; with a question mark under conditions. */
const able = ({ relationships }: TestRun): readonly string[] =>
  relationships
    .filter(({ verb, from }) => verb === 'CAN_ASSUME' && from.key.endsWith(':role/app'))
    .map(
      ({ from, properties }) => `${from.key.split(':')[4]}${properties['conditional'] === true ? '?' : ''}`,
    )
    .sort();
const without = (name: string): Answers =>
  Object.fromEntries(Object.entries(ESTATE).filter(([each]) => each !== name));
/** The estate with a policy of the unit, beside the one that allows everything. */
const withUnitPolicy = (...statements: readonly object[]): Answers => ({
  ...ESTATE,
  'policy.json': described('p-unitunit', SCP, ...statements),
  [`policies-of-${UNIT}.json`]: attached(SCP, 'p-FullAWSAccess', 'p-unitunit'),
});

describe('service control policies', () => {
  it.each([
    ['nothing', [FULL], [MANAGEMENT, BANK, SHOP]],
    ['an action', [statement('Deny', 'sts:*')], [MANAGEMENT, BANK]],
    [
      'an action under a condition',
      [statement('Deny', 'sts:AssumeRole', MFA)],
      [MANAGEMENT, BANK, `${SHOP}?`],
    ],
    [
      'an action on another role',
      [statement('Deny', 'sts:AssumeRole', { Resource: arn('role/other', '*') })],
      [MANAGEMENT, BANK, SHOP],
    ],
    ['all other actions', [statement('Deny', undefined, { NotAction: 's3:*' })], [MANAGEMENT, BANK]],
  ])('of a unit that refuse %s bind the accounts below it', async (_what, statements, expected) => {
    const run = await read(withUnitPolicy(...statements));

    expect([run.report.status, able(run)]).toEqual(['complete', expected.toSorted()]);
  });

  it('must allow at each level, from the root to the account', async () => {
    const run = await read({
      ...ESTATE,
      'policy.json': described('p-onlyreads', SCP, statement('Allow', 's3:Get*')),
      [`policies-of-${SHOP}.json`]: attached(SCP, 'p-onlyreads'),
    });

    expect([run.report.status, able(run)]).toEqual(['complete', [MANAGEMENT, BANK]]);
  });

  it('bind what an account may pass on, and neither services, their roles, nor other organizations', async () => {
    const principals = {
      AWS: [SHOP, OUTSIDE],
      Service: 'ec2.amazonaws.com',
      Federated: arn('saml-provider/x', SHOP),
    };
    const ofService = arn('role/aws-service-role/x.amazonaws.com/y', SHOP);
    const run = await read({
      ...withUnitPolicy(statement('Deny', '*')),
      'bank.json': iam(BANK, role('open', BANK, principals), role('service', BANK, { AWS: ofService })),
    });

    const open = run.relationships.filter(
      ({ verb, to }) => verb === 'CAN_ASSUME' && /open|service$/.test(to.key),
    );
    expect(open.map(({ from }) => from.key).sort()).toEqual(
      [OUTSIDE, 'ec2.amazonaws.com', arn('saml-provider/x', SHOP), ofService].sort(),
    );
  });

  it.each([
    ['where the account is', `parents-${SHOP}.json`, `what ${SHOP} is below (list-parents)`],
    ['where its unit is', `parents-${UNIT}.json`, `what ${UNIT} is below (list-parents)`],
    [
      'the policies of its unit',
      `policies-of-${UNIT}.json`,
      `all policies of ${UNIT} (list-policies-for-target)`,
    ],
  ])('that cannot be decided without %s say so', async (_what, missing, message) => {
    const run = await read(without(missing));

    expect(able(run)).toEqual([MANAGEMENT, `${SHOP}?`, BANK]);
    expect(run.report.status).toBe('partial');
    expect(run.report.warnings).toContainEqual(
      expect.stringContaining(
        `${arn('role/app', SHOP)}: what its organization allows is not decided: not in the answers is ${message}`,
      ),
    );
    expect(run.partialRelationships.map(({ key, verb }) => `${key} ${verb}`)).toContain(
      `${arn('role/app', SHOP)} CAN_ASSUME`,
    );
  });

  it('whose content is not in the answers are not taken for good, and one that refuses is enough', async () => {
    const unread = { [`policies-of-${UNIT}.json`]: attached(SCP, 'p-FullAWSAccess', 'p-unread00') };
    const run = await read({ ...ESTATE, ...unread });
    expect(able(run)).toContain(`${SHOP}?`);
    expect(run.report.warnings.join()).toContain('what p-unread00 says (describe-policy)');

    const refused = await read({
      ...ESTATE,
      ...unread,
      'policy.json': described('p-refuses0', SCP, statement('Deny', '*')),
      [`policies-of-${SHOP}.json`]: attached(SCP, 'p-refuses0'),
    });
    expect(able(refused)).toEqual([MANAGEMENT, BANK]);
  });

  it('refuse nothing as long as the account that manages the organization is not known', async () => {
    const nameless = { Accounts: [{ Id: SHOP }, { Id: BANK }, { Id: MANAGEMENT }] };
    const run = await read({ ...withUnitPolicy(statement('Deny', '*')), 'accounts.json': nameless });

    expect(able(run)).toContain(`${SHOP}?`);
    expect(run.report.warnings.join()).toContain('which account manages the organization');
  });

  it('are known by the targets of all of them as well, and places by the paths of accounts', async () => {
    const target = (id: string) => ({ TargetId: id, Name: id });
    const path = (...nodes: readonly string[]) => ({ Paths: [['o-x', ...nodes, ''].join('/')] });
    const run = await read({
      'shop.json': iam(SHOP),
      'bank.json': iam(BANK),
      'accounts.json': {
        Accounts: [
          account(MANAGEMENT),
          { ...account(SHOP), ...path(ROOT, UNIT, SHOP) },
          { ...account(BANK), ...path(ROOT, BANK) },
        ],
      },
      'scp.json': attached(SCP, 'p-FullAWSAccess', 'p-unitunit'),
      'full.json': described('p-FullAWSAccess', SCP, FULL),
      'unit.json': described('p-unitunit', SCP, statement('Deny', 'sts:*')),
      'targets-p-FullAWSAccess.json': { Targets: [ROOT, UNIT, SHOP, BANK].map(target) },
      'targets-p-unitunit.json': { Targets: [target(UNIT)] },
    });

    expect([run.report.status, able(run)]).toEqual(['complete', [BANK]]);
    const shape = run.relationships.filter(({ verb, to }) => verb === 'ASSIGNED' && to.key === 'p-unitunit');
    expect(shape.map(({ from }) => from)).toEqual([
      { type: 'aws_organizations_organizational_unit', key: UNIT },
    ]);
    expect(
      run.relationships.some(
        ({ from, verb, to }) => from.key === UNIT && verb === 'CONTAINS' && to.key === SHOP,
      ),
    ).toBe(true);
  });

  it('are in no force where the root says so', async () => {
    const roots = { Roots: [{ Id: ROOT, PolicyTypes: [{ Type: SCP, Status: 'PENDING_DISABLE' }] }] };
    const run = await read({ ...withUnitPolicy(statement('Deny', '*')), 'roots.json': roots });

    expect([run.report.status, able(run)]).toEqual(['complete', [MANAGEMENT, SHOP, BANK]]);
  });
});

describe('resource control policies', () => {
  const withResourcePolicy = (...statements: readonly object[]): Answers => {
    const targets = [ROOT, UNIT, SHOP, BANK];
    return {
      ...ESTATE,
      'bank.json': iam(BANK, role('open', BANK, { AWS: OUTSIDE, Service: 'ec2.amazonaws.com' })),
      'rcp.json': described('p-RCPFullAWSAccess', RCP, { ...FULL, Principal: '*' }),
      ...Object.fromEntries(
        targets.map((id) => [
          `rcp-of-${id}.json`,
          attached(RCP, 'p-RCPFullAWSAccess', ...(id === BANK ? ['p-resource'] : [])),
        ]),
      ),
      'resource.json': described('p-resource', RCP, ...statements),
    };
  };
  const openTo = ({ relationships }: TestRun): readonly string[] =>
    relationships
      .filter(({ verb, to }) => verb === 'CAN_ASSUME' && to.key.endsWith(':role/open'))
      .map(({ from, properties }) => `${from.key}${properties['conditional'] === true ? '?' : ''}`)
      .sort();

  it('of an account bind all that assume its roles, also from outside', async () => {
    const refused = await read(withResourcePolicy(statement('Deny', 'sts:*', { Principal: '*' })));
    expect([refused.report.status, openTo(refused)]).toEqual(['complete', []]);
    expect(able(refused)).toEqual([MANAGEMENT, SHOP]);

    const maybe = await read(withResourcePolicy(statement('Deny', 'sts:*', { Principal: '*', ...MFA })));
    expect(openTo(maybe)).toEqual([`${OUTSIDE}?`, 'ec2.amazonaws.com?']);

    const free = await read(withResourcePolicy(statement('Deny', 's3:*', { Principal: '*' })));
    expect(openTo(free)).toEqual([OUTSIDE, 'ec2.amazonaws.com']);
  });

  it('that are in force and not in the answers are not taken for good', async () => {
    const roots = {
      Roots: [{ Id: ROOT, PolicyTypes: [SCP, RCP].map((Type) => ({ Type, Status: 'ENABLED' })) }],
    };
    const run = await read({ ...ESTATE, 'roots.json': roots });

    expect([run.report.status, able(run)]).toEqual(['partial', [MANAGEMENT, `${SHOP}?`, `${BANK}?`]]);
  });
});

describe('an answer of organizations', () => {
  it.each([
    [
      'targets.json',
      { Targets: [] },
      'targets.json: expected the id that was asked for in the name of the file',
    ],
    ['parents.json', { Parents: [] }, 'parents.json: expected the id that was asked for'],
    [
      `of-${SHOP}-in-${UNIT}.json`,
      attached(SCP),
      `expected one id in the name of the file, got ${SHOP} and ${UNIT}`,
    ],
    ['policy.json', { Policy: { PolicyName: 'a' } }, 'policy.json.Policy.PolicySummary.Id: expected a text'],
    [
      'policy.json',
      described('p-a', SCP, { Effect: 'allow' }),
      'Statement[0].Effect: expected Allow or Deny',
    ],
    [
      `children-${ROOT}.json`,
      { Children: [{ Id: SHOP, Type: 'ACCOUNT' }] },
      `expected ${SHOP} below ${ROOT}, as another answer has it, got ${UNIT}`,
    ],
    ['accounts.json', { Accounts: [], NextToken: 'x' }, 'accounts.json.NextToken: expected a whole answer'],
  ])('%s that does not say what it is about is refused', async (name, answer, message) => {
    const run = await read({ ...ESTATE, [name]: answer });

    expect(run.report.status).toBe('failed');
    expect(run.report.steps[0]?.reason).toContain(message);
  });
});

describe('the answers of organizations in the reference of the AWS CLI', () => {
  const pattern = join(import.meta.dirname, '../../../test/aws/organizations-*.json');

  it('are all there: accounts, units, policies, and what these are attached to', async () => {
    const { report, entities, relationships } = await runConnector(awsConnector(new NodeDisk()), {
      config: { file: pattern },
    });

    expect(report.status).toBe('complete');
    const named = entities.map(({ type, properties: { name } }) => `${type} ${String(name)}`);
    expect(named.sort()).toEqual([
      'aws_account Development Account',
      'aws_account Master Account',
      'aws_account Production Account',
      'aws_account Test Account',
      'aws_organizations_organizational_unit AccountingDepartment',
      'aws_organizations_organizational_unit ProductionDepartment',
      'aws_organizations_policy AllowAllEC2Actions',
      'aws_organizations_policy AllowAllS3Actions',
      'aws_organizations_policy FullAWSAccess',
      'aws_organizations_root Root',
    ]);
    const below = relationships.filter(({ verb }) => verb === 'CONTAINS');
    expect(below.map(({ to }) => to.key).sort()).toEqual([
      '444444444444',
      'ou-examplerootid111-exampleouid111',
      'ou-examplerootid111-exampleouid222',
    ]);
    expect(relationships.filter(({ verb }) => verb === 'ASSIGNED')).toHaveLength(4);
  });
});
