import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NodeDisk } from '#platform/disk';
import { connectorMatchers } from '../../kit/matchers.ts';
import { emittedEntity, runConnector, type TestRun } from '../../kit/run-connector.ts';
import { awsConnector } from './aws-connector.ts';
import { matchesPattern } from './iam-policy.ts';

/** Answers in the reference of the AWS CLI: its README has their origin. */
const SAMPLES = join(import.meta.dirname, '../../../test/aws');
const ACCOUNT = '123456789012';
const iam = (path: string, account = ACCOUNT): string => `arn:aws:iam::${account}:${path}`;

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'plexus-aws-'));
});
afterAll(() => rm(directory, { recursive: true }));

async function read(...answers: readonly unknown[]): Promise<TestRun> {
  const folder = await mkdtemp(join(directory, 'answers-'));
  for (const [index, answer] of answers.entries())
    await writeFile(
      join(folder, `${index}.json`),
      typeof answer === 'string' ? answer : JSON.stringify(answer),
    );
  return runConnector(awsConnector(new NodeDisk()), { config: { file: folder } });
}
const sentences = (run: TestRun, verb: string): readonly string[] =>
  run.relationships
    .filter((each) => each.verb === verb)
    .map(
      ({ from, to, properties }) =>
        `${from.key} ${verb} ${to.key}${properties['conditional'] === true ? ' ?' : ''}`,
    )
    .sort();

const allow = (action: unknown, resource: unknown = '*', more: object = {}) => ({
  Effect: 'Allow',
  Action: action,
  Resource: resource,
  ...more,
});
const policy = (...statements: readonly object[]) => ({ Version: '2012-10-17', Statement: statements });
const trust = (principal: unknown, more: object = {}) =>
  policy({ Effect: 'Allow', Action: 'sts:AssumeRole', Principal: principal, ...more });
const user = (name: string, ...statements: readonly object[]) => ({
  UserName: name,
  Arn: iam(`user/${name}`),
  UserPolicyList:
    statements.length === 0 ? [] : [{ PolicyName: 'own', PolicyDocument: policy(...statements) }],
  GroupList: [] as string[],
  AttachedManagedPolicies: [] as object[],
});
const role = (name: string, document: unknown, more: object = {}) => ({
  RoleName: name,
  Arn: iam(`role/${name}`),
  AssumeRolePolicyDocument: document,
  RolePolicyList: [],
  AttachedManagedPolicies: [],
  InstanceProfileList: [],
  ...more,
});
const details = (more: object) => ({
  UserDetailList: [],
  GroupDetailList: [],
  RoleDetailList: [],
  Policies: [],
  ...more,
});

describe('the aws connector', () => {
  it('finds those whose policies let them assume a role of their account', async () => {
    const deploy = iam('role/deploy');
    const managed = iam('policy/assume');
    const run = await read(
      details({
        UserDetailList: [
          user('direct', allow(['s3:Get*', 'STS:assume*'], iam('role/dep*'))),
          user('other', allow('sts:AssumeRole', iam('role/other'))),
          user('denied', allow('*'), { Effect: 'Deny', Action: 'sts:*', Resource: '*' }),
          user('maybe', allow('*', '*', { Condition: { Bool: { 'aws:MultiFactorAuthPresent': 'true' } } })),
          user('except', { Effect: 'Allow', NotAction: 'iam:*', NotResource: iam('role/deploy') }),
          { ...user('member'), GroupList: ['ops'] },
          { ...user('bounded', allow('*')), PermissionsBoundary: { PermissionsBoundaryArn: managed } },
        ],
        GroupDetailList: [
          {
            GroupName: 'ops',
            Arn: iam('group/ops'),
            GroupPolicyList: [],
            AttachedManagedPolicies: [{ PolicyName: 'assume', PolicyArn: managed }],
          },
        ],
        RoleDetailList: [role('deploy', trust({ AWS: [iam('root')] }))],
        Policies: [
          {
            PolicyName: 'assume',
            Arn: managed,
            PolicyVersionList: [
              { IsDefaultVersion: false, Document: policy() },
              {
                IsDefaultVersion: true,
                Document: encodeURIComponent(JSON.stringify(policy(allow('sts:AssumeRole', deploy)))),
              },
            ],
          },
        ],
      }),
    );

    expect(connectorMatchers.toHaveCompleted(run)).toMatchObject({ pass: true });
    expect(sentences(run, 'CAN_ASSUME')).toEqual([
      `${ACCOUNT} CAN_ASSUME ${deploy}`,
      `${iam('user/bounded')} CAN_ASSUME ${deploy}`,
      `${iam('user/direct')} CAN_ASSUME ${deploy}`,
      `${iam('user/maybe')} CAN_ASSUME ${deploy} ?`,
      `${iam('user/member')} CAN_ASSUME ${deploy}`,
    ]);
    expect(sentences(run, 'MEMBER_OF')).toEqual([`${iam('user/member')} MEMBER_OF ${iam('group/ops')}`]);
    expect(sentences(run, 'ASSIGNED')).toContain(`${iam('group/ops')} ASSIGNED ${managed}`);
    expect(
      emittedEntity(run, 'aws_iam_inline_policy', `${iam('user/bounded')}/own`).properties,
    ).toMatchObject({
      allows_everything: true,
    });
  });

  it('keeps what those could assume whose groups or policies are not in the answer', async () => {
    const managed = iam('policy/elsewhere');
    const run = await read(
      details({
        UserDetailList: [
          { ...user('member'), GroupList: ['gone'] },
          { ...user('attached'), AttachedManagedPolicies: [{ PolicyName: 'elsewhere', PolicyArn: managed }] },
          user('nothing'),
        ],
        RoleDetailList: [role('deploy', trust({ AWS: iam('root') }))],
      }),
    );

    expect(run.report.status).toBe('partial');
    expect(run.partialRelationships.map(({ verb, key }) => `${key} ${verb}`).sort()).toEqual([
      `${iam('user/attached')} CAN_ASSUME`,
      `${iam('user/member')} CAN_ASSUME`,
      `${iam('user/member')} MEMBER_OF`,
    ]);
    expect(run.report.warnings).toContainEqual(
      expect.stringContaining(
        `what the policy ${managed} says is not in the answer: ask for the authorization details`,
      ),
    );
    expect(sentences(run, 'CAN_ASSUME')).toEqual([`${ACCOUNT} CAN_ASSUME ${iam('role/deploy')}`]);
  });

  it('heeds the boundaries of users and roles, and is not sure of one that is not in the answer', async () => {
    const bounded = (name: string, boundary: string, ...own: readonly object[]) => ({
      ...user(name, ...own),
      PermissionsBoundary: { PermissionsBoundaryArn: iam(`policy/${boundary}`) },
    });
    const boundary = (name: string, ...statements: readonly object[]) => ({
      PolicyName: name,
      Arn: iam(`policy/${name}`),
      PolicyVersionList: [{ IsDefaultVersion: true, Document: policy(...statements) }],
    });
    const { PermissionsBoundary: ofRole } = bounded('', 'reads');
    const names = ['allows', 'reads', 'not-action', 'refuses', 'sometimes', 'gone'];
    const run = await read(
      details({
        UserDetailList: names.map((name) => bounded(name, name, allow('*'))),
        RoleDetailList: [
          role('account', trust({ AWS: iam('root') })),
          role('by-name', trust({ AWS: [...names.map((name) => iam(`user/${name}`)), iam('role/bounded')] })),
          role('bounded', trust({ Service: 'ec2.amazonaws.com' }), { PermissionsBoundary: ofRole }),
        ],
        Policies: [
          boundary('allows', allow('*')),
          boundary('reads', allow('s3:Get*')),
          boundary('not-action', { Effect: 'Allow', NotAction: 'sts:*', Resource: '*' }),
          boundary('refuses', allow('*'), { Effect: 'Deny', Action: 'sts:AssumeRole', NotResource: 'arn:x' }),
          boundary('sometimes', {
            ...allow('*'),
            Condition: { Bool: { 'aws:MultiFactorAuthPresent': 'true' } },
          }),
        ],
      }),
    );

    const assume = (name: string, target: string, end = '') =>
      `${iam(`user/${name}`)} CAN_ASSUME ${iam(`role/${target}`)}${end}`;
    expect(sentences(run, 'CAN_ASSUME').filter((each) => each.includes(':user/'))).toEqual(
      [
        assume('allows', 'account'),
        assume('sometimes', 'account', ' ?'),
        assume('gone', 'account', ' ?'),
        // A user that a role names needs no permission that a boundary could withhold: only a refusal counts.
        ...['allows', 'reads', 'not-action', 'sometimes'].map((name) => assume(name, 'by-name')),
        assume('gone', 'by-name', ' ?'),
      ].sort(),
    );
    expect(sentences(run, 'CAN_ASSUME').filter((each) => each.startsWith(iam('role/bounded')))).toEqual([]);
    expect(run.report.status).toBe('partial');
    expect(run.report.warnings).toContainEqual(
      expect.stringContaining(`what the boundary ${iam('policy/gone')} says is not in the answer`),
    );
  });

  it('asks those of another account for a policy of their own, and counts those that were deleted', async () => {
    const other = '210987654321';
    const target = iam('role/shared');
    const elsewhere = (name: string, ...own: readonly object[]) => ({
      ...user(name, ...own),
      Arn: iam(`user/${name}`, other),
    });
    const run = await read(
      details({
        UserDetailList: [elsewhere('may', allow('sts:AssumeRole', target)), elsewhere('may-not')],
        RoleDetailList: [
          role(
            'shared',
            trust({ AWS: [iam('user/may', other), iam('user/may-not', other), 'AIDAQWERTYUIOPASDFGHJ'] }),
          ),
          role('open', trust({ AWS: iam('root', other) })),
        ],
      }),
    );

    expect(sentences(run, 'CAN_ASSUME')).toEqual([
      `${other} CAN_ASSUME ${iam('role/open')}`,
      `${iam('user/may', other)} CAN_ASSUME ${target}`,
    ]);
    expect(run.relationships.find(({ verb }) => verb === 'CAN_ASSUME')?.properties).toMatchObject({
      cross_account: true,
    });
    expect(run.report.ignored).toMatchObject({ 'principals that roles trust and that were deleted': 1 });
  });

  it('reads all kinds of principals that a role trusts', async () => {
    const run = await read(
      details({
        RoleDetailList: [
          role('a', trust({ Service: ['ec2.amazonaws.com', 'lambda.amazonaws.com'] })),
          role(
            'b',
            trust(
              { AWS: iam('root', '210987654321') },
              { Condition: { StringEquals: { 'sts:ExternalId': 'x' } } },
            ),
          ),
          role('c', trust('*')),
          role('d', trust({ AWS: `arn:aws:sts::${ACCOUNT}:assumed-role/a/session` })),
          role(
            'e',
            policy({
              Effect: 'Allow',
              Action: 'sts:AssumeRoleWithWebIdentity',
              Principal: { Federated: iam('oidc-provider/x') },
            }),
          ),
          role('f', policy({ Effect: 'Allow', Action: 'sts:TagSession', Principal: { AWS: '*' } })),
        ],
      }),
    );

    expect(sentences(run, 'CAN_ASSUME')).toEqual([
      `* CAN_ASSUME ${iam('role/c')}`,
      `210987654321 CAN_ASSUME ${iam('role/b')} ?`,
      `${iam('oidc-provider/x')} CAN_ASSUME ${iam('role/e')}`,
      `${iam('role/a')} CAN_ASSUME ${iam('role/d')}`,
      `ec2.amazonaws.com CAN_ASSUME ${iam('role/a')}`,
      `lambda.amazonaws.com CAN_ASSUME ${iam('role/a')}`,
    ]);
  });

  it('heeds policies that refuse what a role allows by name', async () => {
    const users = ['free', 'refused', 'maybe'];
    const deny = (more: object) => ({ Effect: 'Deny', Action: 'sts:*', Resource: '*', ...more });
    const run = await read(
      details({
        UserDetailList: [
          user('free'),
          user('refused', deny({})),
          user('maybe', deny({ Condition: { Bool: { 'aws:ViaAWSService': 'false' } } })),
        ],
        RoleDetailList: [role('by-name', trust({ AWS: users.map((name) => iam(`user/${name}`)) }))],
      }),
    );

    expect(sentences(run, 'CAN_ASSUME')).toEqual([
      `${iam('user/free')} CAN_ASSUME ${iam('role/by-name')}`,
      `${iam('user/maybe')} CAN_ASSUME ${iam('role/by-name')} ?`,
    ]);
  });

  it('knows the current version of a policy by its id too, and everything in its other spelling', async () => {
    const arn = iam('policy/p');
    const versions = [
      { VersionId: 'v1', Document: policy() },
      { VersionId: 'v2', Document: policy(allow('*:*')) },
    ];
    const run = await read(
      details({
        Policies: [{ PolicyName: 'p', Arn: arn, DefaultVersionId: 'v2', PolicyVersionList: versions }],
      }),
    );

    expect(emittedEntity(run, 'aws_iam_policy', arn).properties['allows_everything']).toBe(true);
  });

  it('finds what the internet reaches, and as which role it runs', async () => {
    const profile = iam('instance-profile/web');
    const instance = (id: string, more: object) => ({
      InstanceId: id,
      Placement: { AvailabilityZone: 'eu-west-1a' },
      SecurityGroups: [{ GroupId: 'sg-1' }],
      ...more,
    });
    const rule = (port: number, more: object) => ({
      IpProtocol: 'tcp',
      FromPort: port,
      ToPort: port,
      ...more,
    });
    const arn = (path: string): string => `arn:aws:ec2:eu-west-1:${ACCOUNT}:${path}`;
    const run = await read(
      {
        SecurityGroups: [
          {
            GroupId: 'sg-1',
            GroupName: 'web',
            OwnerId: ACCOUNT,
            IpPermissions: [
              rule(443, { IpRanges: [{ CidrIp: '0.0.0.0/0' }] }),
              rule(22, { IpRanges: [{ CidrIp: '10.0.0.0/8' }], Ipv6Ranges: [{ CidrIpv6: '::/0' }] }),
              rule(5432, { UserIdGroupPairs: [{ GroupId: 'sg-2' }] }),
              rule(25, { IpRanges: [{ CidrIp: '203.0.113.0/24' }] }),
            ],
          },
        ],
      },
      {
        Reservations: [
          {
            OwnerId: ACCOUNT,
            Instances: [
              instance('i-1', {
                PublicIpAddress: '203.0.113.5',
                IamInstanceProfile: { Arn: profile },
                Tags: [{ Key: 'Name', Value: 'web' }],
              }),
              instance('i-2', {}),
            ],
          },
        ],
      },
      details({
        RoleDetailList: [
          role('web', trust({ Service: 'ec2.amazonaws.com' }), {
            InstanceProfileList: [{ Arn: profile, InstanceProfileName: 'web' }],
          }),
        ],
      }),
    );

    expect(sentences(run, 'CONNECTS')).toEqual([
      `${arn('security-group/sg-2')} CONNECTS ${arn('security-group/sg-1')}`,
      `internet CONNECTS ${arn('instance/i-1')}`,
      `internet CONNECTS ${arn('security-group/sg-1')}`,
    ]);
    const ports = run.relationships.filter(({ from }) => from.key === 'internet');
    expect(ports.map(({ to, properties }) => [to.key, properties])).toEqual([
      [arn('security-group/sg-1'), { ports: ['tcp/22', 'tcp/443'] }],
      // Its address is of the family of which only one port is open.
      [arn('instance/i-1'), { ports: ['tcp/443'] }],
    ]);
    expect(sentences(run, 'PROTECTS')).toHaveLength(2);
    expect(sentences(run, 'CONTAINS').map((each) => each.replace(/^.*CONTAINS /, ''))).toEqual(
      [
        arn('instance/i-1'),
        arn('instance/i-2'),
        arn('security-group/sg-1'),
        arn('security-group/sg-2'),
        profile,
        iam('role/web'),
      ].sort(),
    );
    expect(sentences(run, 'USES')).toEqual([
      `${arn('instance/i-1')} USES ${profile}`,
      `${profile} USES ${iam('role/web')}`,
    ]);
  });

  it('finds what the internet reaches over a second interface, and by the other family', async () => {
    const arn = (path: string): string => `arn:aws:ec2:eu-west-1:${ACCOUNT}:${path}`;
    const open = (id: string, more: object) => ({
      GroupId: id,
      SecurityGroupArn: arn(`security-group/${id}`),
      OwnerId: ACCOUNT,
      IpPermissions: [{ IpProtocol: 'tcp', FromPort: 22, ToPort: 22, ...more }],
    });
    const anywhere = { IpRanges: [{ CidrIp: '0.0.0.0/0' }] };
    const run = await read(
      {
        SecurityGroups: [
          open('sg-in', { UserIdGroupPairs: [{ GroupId: 'sg-out', UserId: ACCOUNT }] }),
          open('sg-out', anywhere),
          open('sg-new', { Ipv6Ranges: [{ CidrIpv6: '::/0' }] }),
          open('sg-list', { PrefixListIds: [{ PrefixListId: 'pl-1' }] }),
        ],
      },
      {
        Reservations: [
          {
            OwnerId: ACCOUNT,
            Instances: [
              {
                InstanceId: 'i-1',
                Placement: { AvailabilityZone: 'eu-west-1a' },
                SecurityGroups: [{ GroupId: 'sg-in' }],
                NetworkInterfaces: [
                  { Groups: [{ GroupId: 'sg-in' }] },
                  {
                    Groups: [{ GroupId: 'sg-out' }],
                    PrivateIpAddresses: [{ Association: { PublicIp: '203.0.113.9' } }],
                  },
                ],
              },
              {
                InstanceId: 'i-2',
                Placement: { AvailabilityZone: 'eu-west-1a' },
                NetworkInterfaces: [
                  {
                    Groups: [{ GroupId: 'sg-out' }, { GroupId: 'sg-new' }],
                    Ipv6Addresses: [{ Ipv6Address: '2001:db8::1' }],
                  },
                ],
              },
              {
                InstanceId: 'i-3',
                Placement: { AvailabilityZone: 'eu-west-1a' },
                NetworkInterfaces: [
                  { Groups: [{ GroupId: 'sg-out' }], Ipv6Addresses: [{ Ipv6Address: '2001:db8::2' }] },
                ],
              },
            ],
          },
        ],
      },
    );

    expect(sentences(run, 'PROTECTS')).toEqual([
      `${arn('security-group/sg-in')} PROTECTS ${arn('instance/i-1')}`,
      `${arn('security-group/sg-new')} PROTECTS ${arn('instance/i-2')}`,
      `${arn('security-group/sg-out')} PROTECTS ${arn('instance/i-1')}`,
      `${arn('security-group/sg-out')} PROTECTS ${arn('instance/i-2')}`,
      `${arn('security-group/sg-out')} PROTECTS ${arn('instance/i-3')}`,
    ]);
    expect(sentences(run, 'CONNECTS')).toEqual([
      `${arn('security-group/sg-out')} CONNECTS ${arn('security-group/sg-in')}`,
      `internet CONNECTS ${arn('instance/i-1')}`,
      `internet CONNECTS ${arn('instance/i-2')}`,
      `internet CONNECTS ${arn('security-group/sg-new')}`,
      `internet CONNECTS ${arn('security-group/sg-out')}`,
    ]);
    const isOpen = run.entities
      .filter(({ type }) => type === 'aws_security_group')
      .map(({ properties }) => [properties['id'], properties['open_to_internet']]);
    expect(Object.fromEntries(isOpen)).toEqual({
      'sg-in': false,
      'sg-out': true,
      'sg-new': true,
      'sg-list': undefined,
    });
  });

  it('finds trust in all but some, in all but some actions, and in names with wildcards', async () => {
    const statement = (more: object) => policy({ Effect: 'Allow', ...more });
    const run = await read(
      details({
        UserDetailList: [
          user('own', allow('sts:AssumeRole', `${iam('role/team-')}\${aws:username}`)),
          {
            ...user('unknown'),
            AttachedManagedPolicies: [{ PolicyName: 'empty', PolicyArn: iam('policy/empty') }],
          },
        ],
        RoleDetailList: [
          role('all-but', statement({ Action: 'sts:AssumeRole', NotPrincipal: { AWS: iam('user/eve') } })),
          role('not-tag', statement({ NotAction: 'sts:TagSession', Principal: { AWS: iam('user/bob') } })),
          role('not-assume', statement({ NotAction: 'sts:Assume*', Principal: { AWS: iam('user/bob') } })),
          role('wild', statement({ Action: 'STS:Assume*', Principal: { AWS: iam('user/bob') } })),
          role('team-own', trust({ AWS: ACCOUNT })),
        ],
        // Filtered or cut: what it allows is not in the answer.
        Policies: [{ PolicyName: 'empty', Arn: iam('policy/empty'), PolicyVersionList: [] }],
      }),
    );

    expect(sentences(run, 'CAN_ASSUME')).toEqual([
      `* CAN_ASSUME ${iam('role/all-but')} ?`,
      `${ACCOUNT} CAN_ASSUME ${iam('role/team-own')}`,
      `${iam('user/bob')} CAN_ASSUME ${iam('role/not-tag')}`,
      `${iam('user/bob')} CAN_ASSUME ${iam('role/wild')}`,
      `${iam('user/own')} CAN_ASSUME ${iam('role/team-own')} ?`,
    ]);
    expect(run.report.warnings).toContainEqual(
      expect.stringContaining(`what the policy ${iam('policy/empty')} says is not in the answer`),
    );
    expect(emittedEntity(run, 'aws_iam_policy', iam('policy/empty')).properties).not.toHaveProperty(
      'allows_everything',
    );
  });

  it('reads buckets, functions without their environment, databases and clusters', async () => {
    const run = await read(
      { Buckets: [{ Name: 'logs', CreationDate: '2026-01-01' }], Owner: {} },
      {
        Functions: [
          {
            FunctionName: 'f',
            FunctionArn: `arn:aws:lambda:eu-west-1:${ACCOUNT}:function:f`,
            Role: iam('role/f'),
            Environment: { Variables: { TOKEN: 'hunter2' } },
          },
        ],
      },
      {
        DBInstances: [
          {
            DBInstanceIdentifier: 'db',
            DBInstanceArn: `arn:aws:rds:eu-west-1:${ACCOUNT}:db:db`,
            PubliclyAccessible: true,
            VpcSecurityGroups: [{ VpcSecurityGroupId: 'sg-1' }],
          },
        ],
      },
      {
        cluster: {
          name: 'k',
          arn: `arn:aws:eks:eu-west-1:${ACCOUNT}:cluster/k`,
          roleArn: iam('role/k'),
          resourcesVpcConfig: { endpointPublicAccess: true, publicAccessCidrs: ['0.0.0.0/0'] },
        },
      },
      { UserId: 'x', Account: ACCOUNT, Arn: iam('user/ann') },
    );

    expect(run.entities.map(({ type }) => type).sort()).toEqual([
      'aws_account',
      'aws_db_instance',
      'aws_eks_cluster',
      'aws_iam_role',
      'aws_iam_role',
      'aws_lambda_function',
      'aws_s3_bucket',
      'aws_security_group',
      'internet',
    ]);
    expect(sentences(run, 'CONNECTS')).toEqual([
      `internet CONNECTS arn:aws:eks:eu-west-1:${ACCOUNT}:cluster/k`,
    ]);
    expect(JSON.stringify(run.entities)).not.toContain('hunter');
  });

  it.each([
    [{ Volumes: [] }, '0.json: expected an answer of the AWS CLI with one of UserDetailList'],
    ['[]', '0.json: expected an object, got a list'],
    ['<a/>', '0.json: expected an answer of the AWS CLI in JSON, got text that is not JSON'],
    [{ Buckets: [{}] }, '0.json.Buckets[0].Name: expected a text, got nothing'],
    [
      { Reservations: [], NextToken: 'x' },
      '0.json.NextToken: expected a whole answer, got one page of several: leave out --max-items and --no-paginate',
    ],
    [{ DBInstances: [], Marker: 'x' }, '0.json.Marker: expected a whole answer'],
    [{ clusters: [], nextToken: 'x' }, '0.json.nextToken: expected a whole answer'],
    [{ Buckets: [], ContinuationToken: 'x' }, '0.json.ContinuationToken: expected a whole answer'],
    [
      details({ RoleDetailList: [{ RoleName: 'a', Arn: iam('role/a') }] }),
      'RoleDetailList[0].AssumeRolePolicyDocument: expected a policy, got nothing',
    ],
    [
      details({ RoleDetailList: [role('a', {})] }),
      'AssumeRolePolicyDocument.Statement: expected statements, got nothing',
    ],
    [
      details({ RoleDetailList: [role('a', policy({ Effect: 'Allow', Action: 'sts:AssumeRole' }))] }),
      'Statement[0].Principal: expected whom the role trusts, got nothing',
    ],
    [{ Reservations: [], SecurityGroups: [] }, 'expected the answer of one call, got several in one object'],
    [{ Reservations: [], IsTruncated: 'true' }, '0.json.IsTruncated: expected true or false, got a string'],
    [
      details({ RoleDetailList: [role('a', { Statement: [{ Effect: 'allow', Action: '*' }] })] }),
      'Statement[0].Effect: expected Allow or Deny, got allow',
    ],
    [
      details({ RoleDetailList: [role('a', '{"Statement":')] }),
      'expected a policy in 0.json.RoleDetailList[0]',
    ],
  ])('refuses %j with file and place', async (answer, message) => {
    const run = await read(answer);

    expect(run.report.status).toBe('failed');
    expect(run.report.steps[0]?.reason).toContain(message);
  });

  it.each([
    ['*', 'anything', true],
    ['s3:Get*', 's3:GetObject', true],
    ['s3:?et*', 's3:PutObject', false],
    ['a*b*c', 'aXbYbZc', true],
    ['a*b', 'ab', true],
    ['a*b', 'abx', false],
    ['', '', true],
  ])('matches %j with %j: %p', (pattern, text, expected) => {
    expect(matchesPattern(pattern, text)).toBe(expected);
  });
});

/** The named things of an answer, by a walk for the fields that name them. */
function namesIn(value: unknown): readonly string[] {
  if (typeof value !== 'object' || value === null) return [];
  const fields = [
    'InstanceId',
    'GroupName',
    'UserName',
    'RoleName',
    'FunctionName',
    'DBInstanceIdentifier',
    'InstanceProfileName',
  ];
  const own = fields.flatMap((field) => (value as Record<string, unknown>)[field] ?? []);
  return [...own.map(String).filter((name) => name !== ''), ...Object.values(value).flatMap(namesIn)];
}

describe('the answers in the reference of the AWS CLI', () => {
  const files = readdirSync(SAMPLES).filter((name) => /^(?!organizations).*\.json$/.test(name));

  it.each(files)('%s: everything that has a name is there', async (name) => {
    const document = JSON.parse(readFileSync(join(SAMPLES, name), 'utf8')) as object;

    // The example of a truncated answer is read as if it were whole.
    const run = await read({ ...document, IsTruncated: false });

    const faults = connectorMatchers.toHaveCompleted(run);
    expect(faults.pass ? 'complete' : faults.message()).toBe('complete');
    const found = new Set(
      run.entities.flatMap(({ key, properties: { id, name: own } }) => [key, id, own].map(String)),
    );
    expect(namesIn(document).filter((each) => !found.has(each))).toEqual([]);
  });
});
