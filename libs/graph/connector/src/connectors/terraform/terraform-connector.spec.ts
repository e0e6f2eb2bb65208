import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NodeDisk } from '#platform/disk';
import { connectorMatchers } from '../../kit/matchers.ts';
import { emittedEntity, runConnector, type TestRun } from '../../kit/run-connector.ts';
import { safeAttributes } from './safe-attributes.ts';
import { terraformConnector } from './terraform-connector.ts';

const SAMPLES = join(process.env['PLEXUS_TEST_DATA'] ?? 'no test data', 'estate', 'terraform');
const ARN = 'arn:aws:s3:::logs';

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'plexus-terraform-'));
});
afterAll(() => rm(directory, { recursive: true }));

async function read(document: unknown, name = 'prod.tfstate'): Promise<TestRun> {
  const file = join(directory, name);
  await writeFile(file, typeof document === 'string' ? document : JSON.stringify(document));
  return runConnector(terraformConnector(new NodeDisk()), { config: { file } });
}
const sentences = (run: TestRun): readonly string[] =>
  run.relationships.map(({ from, verb, to }) => `${from.key} ${verb} ${to.key}`).sort();

const PROVIDER = 'provider["registry.terraform.io/hashicorp/aws"]';
const STATE = {
  version: 4,
  terraform_version: '1.9.0',
  serial: 3,
  lineage: 'l',
  outputs: { password: { value: 'hunter1', type: 'string', sensitive: true } },
  resources: [
    {
      mode: 'managed',
      type: 'aws_s3_bucket',
      name: 'logs',
      provider: PROVIDER,
      instances: [
        { attributes: { arn: ARN, bucket: 'logs', force_destroy: false, tags: { token: 'hunter2' } } },
      ],
    },
    {
      module: 'module.data["eu"].module.db',
      mode: 'managed',
      type: 'aws_db_instance',
      name: 'main',
      provider: PROVIDER,
      instances: [
        {
          index_key: 'a.b',
          attributes: { identifier: 'main', engine: 'postgres', password: 'hunter3', note: 'hunter4' },
          sensitive_attributes: [[{ type: 'get_attr', value: 'note' }]],
          dependencies: ['aws_s3_bucket.logs', 'data.aws_vpc.gone'],
        },
      ],
    },
    {
      mode: 'data',
      type: 'aws_caller_identity',
      name: 'me',
      provider: PROVIDER,
      instances: [{ attributes: { account_id: '123456789012' } }],
    },
  ],
};

describe('the terraform connector', () => {
  it('has an object that is still to be destroyed beside the one in its place', async () => {
    const instances = [
      { attributes: { identifier: 'new' } },
      { deposed: '0a1b2c3d', attributes: { identifier: 'old' } },
    ];
    const resource = { mode: 'managed', type: 'aws_db_instance', name: 'main', provider: PROVIDER };
    const shown = { ...resource, address: 'aws_db_instance.main' };
    const planned = {
      format_version: '1.2',
      values: {
        root_module: {
          resources: [
            { ...shown, values: { identifier: 'new' } },
            { ...shown, deposed_key: '0a1b2c3d', values: { identifier: 'old' } },
          ],
        },
      },
    };

    for (const document of [{ version: 4, resources: [{ ...resource, instances }] }, planned]) {
      const run = await read(document);
      const databases = run.entities.filter(({ type }) => type === 'aws_db_instance');

      expect(databases.map(({ key, properties }) => [key, properties['identifier']])).toEqual([
        ['prod/aws_db_instance.main', 'new'],
        ['prod/aws_db_instance.main (deposed 0a1b2c3d)', 'old'],
      ]);
    }
  });

  it.each([
    [{ errored: true }, 'prod.json: the plan ended with an error'],
    [{ complete: false }, 'prod.json: the plan leaves out resources, by -target or until later'],
  ])('does not take a plan with %j for everything', async (more, reason) => {
    const values = { root_module: { resources: [] } };
    const plan = { format_version: '1.2', planned_values: values };
    const [whole, half] = [await read(plan, 'prod.json'), await read({ ...plan, ...more }, 'prod.json')];

    expect([whole.report.status, half.report.status]).toEqual(['complete', 'partial']);
    expect(half.report.warnings.join()).toContain(reason);
    expect(half.unread).toHaveLength(1);
  });

  it('does not store an id that is the secret itself, and reads keys of modules with brackets', async () => {
    const run = await read({
      version: 4,
      resources: [
        {
          module: 'module.a["x]y"].module.b[0]',
          mode: 'managed',
          type: 'random_string',
          name: 'key',
          provider: PROVIDER,
          instances: [{ attributes: { id: 'hunter2', result: 'hunter2', length: 7 } }],
        },
      ],
    });

    expect(JSON.stringify([run.entities, run.relationships])).not.toContain('hunter');
    expect(sentences(run).filter((each) => each.includes('CONTAINS'))).toEqual([
      'prod CONTAINS prod/module.a["x]y"]',
      'prod/module.a["x]y"] CONTAINS prod/module.a["x]y"].module.b[0]',
      'prod/module.a["x]y"].module.b[0] CONTAINS prod/module.a["x]y"].module.b[0].random_string.key',
    ]);
  });

  it('reads the flat attributes of a state that was upgraded', async () => {
    const attributes = {
      arn: ARN,
      id: 'logs',
      bucket: 'logs',
      force_destroy: 'true',
      'tags.%': '1',
      'tags.token': 'hunter2',
    };
    const run = await read({
      version: 4,
      resources: [
        {
          mode: 'managed',
          type: 'aws_s3_bucket',
          name: 'logs',
          provider: PROVIDER,
          instances: [{ attributes_flat: { ...attributes, password: 'hunter3' } }],
        },
      ],
    });

    expect(emittedEntity(run, 'aws_s3_bucket', ARN).properties).toMatchObject({
      bucket: 'logs',
      force_destroy: true,
    });
    expect(JSON.stringify(run.entities)).not.toContain('hunter');
  });

  it('reads resources, modules, providers and dependencies of a state', async () => {
    const run = await read(STATE);

    const db = 'prod/module.data["eu"].module.db.aws_db_instance.main["a.b"]';
    const aws = 'registry.terraform.io/hashicorp/aws';
    expect(connectorMatchers.toHaveCompleted(run)).toMatchObject({ pass: true });
    expect(sentences(run)).toEqual(
      [
        'prod CONTAINS prod/aws_s3_bucket.logs',
        'prod CONTAINS prod/data.aws_caller_identity.me',
        'prod CONTAINS prod/module.data["eu"]',
        'prod/module.data["eu"] CONTAINS prod/module.data["eu"].module.db',
        `prod/module.data["eu"].module.db CONTAINS ${db}`,
        `prod/aws_s3_bucket.logs MANAGES ${ARN}`,
        `${db} MANAGES ${db}`,
        `${db} DEPENDS_ON prod/aws_s3_bucket.logs`,
        'prod/data.aws_caller_identity.me USES prod/data.aws_caller_identity.me',
        `prod/aws_s3_bucket.logs USES ${aws}`,
        `${db} USES ${aws}`,
        `prod/data.aws_caller_identity.me USES ${aws}`,
      ].sort(),
    );
    expect(emittedEntity(run, 'aws_s3_bucket', ARN)).toMatchObject({
      class: 'DataStore',
      properties: { bucket: 'logs', force_destroy: false },
    });
    expect(run.report.ignored).toEqual({
      'attributes that are secret or may be': 2,
      'dependencies on resources that are not in the state': 1,
    });
    expect(JSON.stringify([run.entities, run.relationships])).not.toContain('hunter');
  });

  it('reads the same of what terraform show writes, and of a plan', async () => {
    const resource = {
      address: 'aws_s3_bucket.logs',
      mode: 'managed',
      type: 'aws_s3_bucket',
      name: 'logs',
      provider_name: 'registry.terraform.io/hashicorp/aws',
      values: { arn: ARN, bucket: 'logs', policy_text: 'hunter5', nested: [{ a: 'x' }] },
      sensitive_values: { policy_text: true, nested: [{}] },
    };
    const child = {
      address: 'module.net',
      resources: [{ ...resource, address: 'module.net.aws_s3_bucket.logs', values: {} }],
    };
    const root = { root_module: { resources: [resource], child_modules: [child] } };
    const shown = await read({ format_version: '1.0', values: root }, 'prod.json');
    const planned = { format_version: '1.2', planned_values: root, prior_state: { values: root } };
    const plan = await read(planned, 'prod.json');

    expect(sentences(shown)).toContain(`prod/aws_s3_bucket.logs MANAGES ${ARN}`);
    expect(sentences(shown)).toContain('prod/module.net CONTAINS prod/module.net.aws_s3_bucket.logs');
    expect(sentences(plan)).toEqual(sentences(shown));
    expect(JSON.stringify(shown.entities)).not.toContain('hunter');
  });

  const bucket = (name: string, acl: string): Readonly<Record<string, unknown>> => ({
    address: `aws_s3_bucket.${name}`,
    mode: 'managed',
    type: 'aws_s3_bucket',
    name,
    values: { arn: `arn:aws:s3:::${name}`, acl },
  });
  const valuesOf = (...resources: readonly unknown[]) => ({ root_module: { resources } });
  const change = (name: string, actions: readonly string[], before: unknown) => ({
    ...bucket(name, ''),
    change: { actions, before, after: {} },
  });

  it('has what exists before a plan, with what would become of it', async () => {
    const run = await read(
      {
        format_version: '1.2',
        prior_state: { values: valuesOf(bucket('gone', 'a'), bucket('same', 'b'), bucket('open', 'public')) },
        planned_values: valuesOf(bucket('same', 'b'), bucket('open', 'private'), bucket('new', 'c')),
        resource_changes: [
          change('gone', ['delete'], {}),
          change('same', ['no-op'], {}),
          change('open', ['delete', 'create'], {}),
          change('new', ['create'], null),
        ],
      },
      'prod.json',
    );

    expect(connectorMatchers.toHaveCompleted(run)).toMatchObject({ pass: true });
    expect(
      run.entities
        .filter(({ type }) => type === 'aws_s3_bucket')
        .map(({ properties: { arn, acl } }) => [arn, acl]),
    ).toEqual([
      ['arn:aws:s3:::gone', 'a'],
      ['arn:aws:s3:::same', 'b'],
      ['arn:aws:s3:::open', 'public'],
    ]);
    expect(
      run.entities
        .filter(({ type }) => type === 'terraform_resource')
        .map(({ properties: { address, planned_actions: actions } }) => [address, actions]),
    ).toEqual([
      ['aws_s3_bucket.gone', ['delete']],
      ['aws_s3_bucket.same', undefined],
      ['aws_s3_bucket.open', ['delete', 'create']],
      ['aws_s3_bucket.new', ['create']],
    ]);
  });

  it('does not take a plan that destroys everything for nothing', async () => {
    const plan = {
      format_version: '1.2',
      prior_state: { values: valuesOf(bucket('logs', 'a')) },
      planned_values: { root_module: {} },
      resource_changes: [change('logs', ['delete'], {})],
    };
    const whole = await read(plan, 'prod.json');
    const without = await read({ ...plan, prior_state: undefined }, 'prod.json');

    expect(emittedEntity(whole, 'aws_s3_bucket', ARN).properties).toMatchObject({ acl: 'a' });
    expect(whole.report.status).toBe('complete');
    expect(without.report.status).toBe('partial');
    expect(without.report.warnings.join()).toContain(
      'the plan changes aws_s3_bucket.logs, which its prior state does not have',
    );
  });

  it.each([
    ['master_password', 'x'],
    ['secret_string', 'x'],
    ['private_key_pem', 'x'],
    ['auth_token', 'x'],
    ['user_data', 'x'],
    ['result', 'x'],
    ['connection_string', 'x'],
    ['primary_access_key', 'x'],
    ['endpoint', 'postgres://ann:x@db/shop'],
    ['variables', { A: 'x' }],
    ['blocks', [{ value: 'x' }]],
  ])('stores no attribute %s', (name, value) => {
    expect(safeAttributes({ [name]: value, id: 'i' }, new Set()).facts).toEqual({ id: 'i' });
  });

  it.each([
    [{ ...STATE, version: 3 }, 'prod.tfstate.version: expected the version 4 of a state, got 3'],
    [{}, 'expected the version 4 of a state, got another document'],
    ['resource "x" "y" {}', 'expected a state of Terraform, or what terraform show -json writes'],
    [
      { version: 4, resources: [{ mode: 'managed', type: 'x' }] },
      'prod.tfstate.resources[0].name: expected a text',
    ],
    [
      { version: 4, resources: [{ mode: 'managed', type: 'x', name: 'y', instances: [1] }] },
      'resources[0].instances[0]',
    ],
    [{ format_version: '2.0', values: {} }, 'prod.tfstate.format_version: expected 0.1 to 1.x, got 2.0'],
    [
      { version: 4, resources: [{ mode: 'managed', type: 'a', name: 'b', instances: [{ index_key: {} }] }] },
      'instances[0].index_key: expected the key of an instance, got an object',
    ],
    [
      {
        version: 4,
        resources: [
          { mode: 'managed', type: 'a', name: 'b', instances: [{ sensitive_attributes: ['note'] }] },
        ],
      },
      'instances[0].sensitive_attributes: expected a list of paths of attributes, got a string in it',
    ],
    [{ format_version: '1.0', resource_changes: [] }, 'expected the planned values of a plan, got none'],
  ])('refuses %j by name and place', async (document, message) => {
    const run = await read(document);

    expect(run.report.status).toBe('failed');
    expect(run.report.steps[0]?.reason).toContain(message);
  });
});

/** Written by Terraform 1.11.4 from five `terraform_data`, for this test. */
const OWN = join(import.meta.dirname, '../../../test/terraform');

/** The types of all instances by their places, by a walk that knows nothing of modules. */
function resourcesIn(value: unknown, place = ''): readonly (readonly [string, string])[] {
  if (typeof value !== 'object' || value === null) return [];
  const { mode, type, address, index, instances } = value as Record<string, unknown>;
  if (typeof mode === 'string' && typeof type === 'string') {
    if (typeof address === 'string') return [[`${address} ${String(index)}`, type]];
    return Array.isArray(instances) ? instances.map((_, at) => [`${place}/${at}`, type]) : [];
  }
  return Object.entries(value).flatMap(([name, each]) => resourcesIn(each, `${place}/${name}`));
}

describe('states and plans that Terraform wrote', () => {
  const files = [OWN, ...(existsSync(SAMPLES) ? [SAMPLES] : [])].flatMap((folder) =>
    readdirSync(folder).map((name) => join(folder, name)),
  );

  it.each(files.filter((name) => !/invalid/.test(name)))('%s: every instance is there', async (file) => {
    const document = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>;
    const { prior_state: prior, planned_values: planned, values, resources } = document;

    const run = await runConnector(terraformConnector(new NodeDisk()), { config: { file } });

    const faults = connectorMatchers.toHaveCompleted(run);
    expect(faults.pass ? 'complete' : faults.message()).toBe('complete');
    const found = run.entities.filter(({ type }) => type === 'terraform_resource');
    expect(found.map(({ properties }) => properties['resource_type']).sort()).toEqual(
      [...new Map([prior, planned, values, resources].flatMap((each) => resourcesIn(each))).values()].sort(),
    );
    expect(JSON.stringify([run.entities, run.relationships])).not.toContain('hunter');
  });
});
