/**
 * Files that people have: each source is synced, the first question of its page is asked, and a second sync
 * removes exactly what went.
 */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { firstPartyConnectors, readConnector, type RunRecord } from '#graph/connector';
import { NodeDisk } from '#platform/disk';
import { TestService } from './support/test-service.ts';

const GUIDE = readFileSync(join(import.meta.dirname, '../../../docs/connectors.md'), 'utf8');
const TYPES = firstPartyConnectors(new NodeDisk());

interface Source {
  /** The section of the guide; its first question is asked. */
  readonly section: string;
  readonly connector: string;
  /** The name of the file. */
  readonly file: string;
  readonly config?: object;
  readonly text: string;
  /** What the question finds. */
  readonly rows: readonly (readonly unknown[])[];
  /** The text without one thing. */
  readonly without: (text: string) => string;
  /** What the second sync deletes. */
  readonly deleted: { readonly entities_deleted: number; readonly relationships_deleted: number };
  /** A text that is refused, with the message. */
  readonly bad: readonly [string, string];
}

const TRIVY = JSON.stringify({
  SchemaVersion: 2,
  ArtifactName: 'acme/shop:2.1',
  ArtifactType: 'container_image',
  Metadata: { RepoTags: ['acme/shop:2.1'] },
  Results: [
    {
      Target: 'app/package-lock.json',
      Type: 'npm',
      Vulnerabilities: [
        {
          VulnerabilityID: 'CVE-2021-23337',
          PkgName: 'lodash',
          InstalledVersion: '4.17.20',
          FixedVersion: '4.17.21',
          Severity: 'HIGH',
        },
        { VulnerabilityID: 'CVE-2020-1', PkgName: 'left', InstalledVersion: '1.0.0', Severity: 'LOW' },
      ],
    },
  ],
});

const MANIFESTS = `apiVersion: v1
kind: Service
metadata: { name: web, namespace: shop }
spec: { type: LoadBalancer, selector: { app: web } }
---
apiVersion: v1
kind: Pod
metadata: { name: web-1, namespace: shop, labels: { app: web } }
spec: { serviceAccountName: runner, containers: [{ name: web, image: 'acme/shop:2.1' }] }
---
apiVersion: v1
kind: ServiceAccount
metadata: { name: runner, namespace: shop }
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: { name: reader, namespace: shop }
rules: [{ apiGroups: [''], resources: [secrets], verbs: [get] }]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: { name: reads, namespace: shop }
roleRef: { kind: Role, name: reader, apiGroup: rbac.authorization.k8s.io }
subjects: [{ kind: ServiceAccount, name: runner, namespace: shop }]
---
apiVersion: v1
kind: Secret
metadata: { name: db, namespace: shop }
data: { password: aHVudGVyMg== }
`;

const STATE = JSON.stringify({
  version: 4,
  resources: [
    {
      mode: 'managed',
      type: 'aws_s3_bucket',
      name: 'logs',
      provider: 'provider["registry.terraform.io/hashicorp/aws"]',
      instances: [{ attributes: { arn: 'arn:aws:s3:::logs', secret: 'hunter2' } }],
    },
    {
      mode: 'managed',
      type: 'aws_db_instance',
      name: 'main',
      provider: 'provider["registry.terraform.io/hashicorp/aws"]',
      instances: [{ attributes: { publicly_accessible: true }, dependencies: ['aws_s3_bucket.logs'] }],
    },
  ],
});

const ROLE = 'arn:aws:iam::123456789012:role';
const trusting = (name: string, principal: object): object => ({
  RoleName: name,
  Arn: `${ROLE}/${name}`,
  AssumeRolePolicyDocument: {
    Statement: [{ Effect: 'Allow', Action: 'sts:AssumeRole', Principal: principal }],
  },
});
const IAM = JSON.stringify({
  UserDetailList: [{ UserName: 'ann', Arn: 'arn:aws:iam::123456789012:user/ann' }],
  RoleDetailList: [
    trusting('build', { AWS: 'arn:aws:iam::123456789012:user/ann' }),
    trusting('admin', { AWS: `${ROLE}/build` }),
  ],
});

const SOURCES: readonly Source[] = [
  {
    section: 'Reports of Trivy and Grype',
    connector: 'sbom',
    file: 'report.json',
    text: TRIVY,
    rows: [['docker.io/acme/shop:2.1', 'lodash', 'CVE-2021-23337', ['4.17.21']]],
    without: (text) => text.replace(/,\{"VulnerabilityID":"CVE-2020-1".*?\}/, ''),
    // The package, the vulnerability, and what leads to both.
    deleted: { entities_deleted: 2, relationships_deleted: 2 },
    bad: [TRIVY.replace('"SchemaVersion":2', '"SchemaVersion":1'), 'SchemaVersion: expected 2, got 1'],
  },
  {
    section: 'Kubernetes',
    connector: 'kubernetes',
    file: 'cluster.yaml',
    config: { cluster: 'prod' },
    text: MANIFESTS,
    rows: [['prod/shop/web-1', 'prod/shop/runner', 'prod/shop/db']],
    without: (text) => text.replace(/---\napiVersion: v1\nkind: Secret[^]*/, ''),
    // The secret, and that the namespace and the resource contain it.
    deleted: { entities_deleted: 1, relationships_deleted: 2 },
    bad: [
      MANIFESTS.replace('roleRef: { kind: Role', 'roleRef: { kind: Rule'),
      'roleRef.kind: expected Role or ClusterRole, got Rule',
    ],
  },
  {
    section: 'Terraform',
    connector: 'terraform',
    file: 'prod.tfstate',
    text: STATE,
    rows: [['prod/aws_db_instance.main', true]],
    without: (text) =>
      text
        .replace(',"dependencies":["aws_s3_bucket.logs"]', '')
        .replace(/\{[^{]*"aws_s3_bucket".*?\]\},/, ''),
    // The resource and the bucket; their three relationships, and the dependency.
    deleted: { entities_deleted: 2, relationships_deleted: 4 },
    bad: [STATE.replace('"version":4', '"version":3'), 'version: expected the version 4 of a state, got 3'],
  },
  {
    section: 'AWS',
    connector: 'aws',
    file: 'iam.json',
    text: IAM,
    rows: [
      ['ann', 'admin'],
      ['ann', 'build'],
    ],
    without: (text) => text.replace(/,\{"RoleName":"admin".*?\}\]\}\}/, ''),
    // The role, that the account has it, and who can assume it.
    deleted: { entities_deleted: 1, relationships_deleted: 2 },
    bad: [
      IAM.replace('"Arn":"arn:aws:iam::123456789012:user/ann"', '"Arn":5'),
      'UserDetailList[0].Arn: expected a text, got a number',
    ],
  },
];

let directory: string;
let service: TestService;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'plexus-estate-'));
});
afterEach(async () => {
  await service.stop();
  await rm(directory, { recursive: true });
});

/** Starts a service with these connectors, whose files are in the directory. */
async function start(connectors: readonly (readonly [id: string, text: string])[]): Promise<void> {
  const options = { types: TYPES, environment: {} };
  const read = connectors.map(([id, text]) =>
    readConnector(`id: ${id}\n${text}`, join(directory, `${id}.yaml`), options),
  );
  service = await TestService.start({ connectors: read });
}

async function run(id: string): Promise<RunRecord> {
  const begun = await service.json(202, 'POST', `/v1/connectors/${id}/run`, { force: true });
  let record = begun as object as RunRecord;
  while (record.ended_at === null)
    record = (await service.json(200, 'GET', `/v1/connectors/runs/${record.run_id}`)) as object as RunRecord;
  return record;
}

/** The first question of a section of the guide. */
function question(section: string): string {
  const [, rest = ''] = GUIDE.split(new RegExp(`^#+ ${section}$`, 'm'));
  const [, text] = /```pql\n([^`]+)```/.exec(rest) ?? [];
  if (text === undefined) throw new Error(`the guide asks no question in ${section}`);
  return text;
}

describe.each(SOURCES)('the source in the section $section', (source) => {
  const { section, connector, file, config = {}, text, rows, without, deleted, bad } = source;
  const write = (content: string): Promise<void> => writeFile(join(directory, file), content);

  beforeEach(async () => {
    await start([['own', `connector: ${connector}\nconfig: ${JSON.stringify({ file, ...config })}\n`]]);
  });

  it('answers the first question of its page', async () => {
    await write(text);
    expect(await run('own')).toMatchObject({ status: 'complete' });

    const answer = await service.query(question(section));

    expect(answer['warnings']).toEqual([]);
    expect(answer['rows']).toEqual(rows);
  });

  it('loses exactly what went, and nothing for a text that is refused by name', async () => {
    await write(text);
    await run('own');
    const [content, message] = bad;
    await write(content);
    const refused = await run('own');
    await write(without(text));

    const second = await run('own');

    expect(refused).toMatchObject({ status: 'failed', reason: expect.stringContaining(message) });
    expect(second).toMatchObject({ status: 'complete', sync: { ...deleted, entities_created: 0 } });
  });
});

describe('several sources', () => {
  it('meet: a pod runs the image that a scanner found and a bill is about', async () => {
    const digest = `sha256:${'a'.repeat(64)}`;
    const scanned = JSON.parse(TRIVY) as { Metadata: object };
    const report = {
      ...scanned,
      Metadata: { RepoTags: ['acme/shop:2.1'], RepoDigests: [`acme/shop@${digest}`] },
    };
    const bill = {
      bomFormat: 'CycloneDX',
      specVersion: '1.6',
      metadata: {
        component: {
          type: 'container',
          'bom-ref': 'shop',
          name: 'shop',
          purl: `pkg:oci/shop@${digest}?repository_url=index.docker.io/acme/shop`,
        },
      },
      components: [{ type: 'library', 'bom-ref': 'l', name: 'lodash', purl: 'pkg:npm/lodash@4.17.20' }],
      dependencies: [{ ref: 'shop', dependsOn: ['l'] }],
    };
    await writeFile(join(directory, 'cluster.yaml'), MANIFESTS);
    await writeFile(join(directory, 'report.json'), JSON.stringify(report));
    await writeFile(join(directory, 'bill.json'), JSON.stringify(bill));
    await start([
      ['cluster', 'connector: kubernetes\nconfig: { file: cluster.yaml }\n'],
      ['scan', 'connector: sbom\nconfig: { file: report.json }\n'],
      ['bill', 'connector: sbom\nconfig: { file: bill.json }\n'],
    ]);
    for (const id of ['cluster', 'scan', 'bill']) expect(await run(id)).toMatchObject({ status: 'complete' });

    const image = `docker.io/acme/shop@${digest}`;
    const scan = await keysOf('kube_pod', "vulnerability WITH name = 'CVE-2021-23337'");
    const subject = await keysOf('internet', 'oci_project');

    expect(scan).toEqual([
      'default/shop/web-1',
      'docker.io/acme/shop:2.1',
      image,
      'lodash@4.17.20',
      'CVE-2021-23337',
    ]);
    expect(subject).toEqual([
      'internet',
      'default/shop/web',
      'default/shop/web-1',
      'docker.io/acme/shop:2.1',
      image,
      'shop',
    ]);
  });

  it('meet: what Terraform manages is what AWS says there is', async () => {
    await writeFile(join(directory, 'prod.tfstate'), STATE);
    await writeFile(join(directory, 'buckets.json'), JSON.stringify({ Buckets: [{ Name: 'logs' }] }));
    await start([
      ['state', 'connector: terraform\nconfig: { file: prod.tfstate }\n'],
      ['cloud', 'connector: aws\nconfig: { file: buckets.json }\n'],
    ]);
    for (const id of ['state', 'cloud']) await run(id);

    const answer = await service.query(
      'FIND terraform_resource AS r THAT MANAGES aws_s3_bucket AS b RETURN r._key, b._key',
    );
    const found = await service.query('FIND aws_s3_bucket RETURN COUNT');

    expect(answer['rows']).toEqual([['prod/aws_s3_bucket.logs', 'arn:aws:s3:::logs']]);
    expect(found['count']).toBe(1);
  });
});

describe('the source in the section Advisories', () => {
  const advisory = (id: string, fixed: string): object => ({
    id,
    modified: '2026-01-01T00:00:00Z',
    aliases: [`CVE-2021-${id.slice(-5)}`],
    database_specific: { severity: 'HIGH' },
    affected: [
      {
        package: { ecosystem: 'npm', name: 'lodash' },
        ranges: [{ type: 'SEMVER', events: [{ introduced: '0' }, { fixed }] }],
      },
    ],
  });
  const LOCK = {
    name: 'shop',
    lockfileVersion: 3,
    packages: { '': { name: 'shop' }, 'node_modules/lodash': { version: '4.17.20' } },
  };
  const write = (...advisories: readonly object[]): Promise<void> =>
    writeFile(join(directory, 'osv.json'), JSON.stringify({ vulns: advisories }));

  it('matches packages of others, and takes back exactly what went', async () => {
    await writeFile(join(directory, 'package-lock.json'), JSON.stringify(LOCK));
    await writeFile(
      join(directory, 'epss.csv'),
      'cve,epss,percentile\nCVE-2021-11111,0.4,0.9\nCVE-2021-22222,0.2,0.5\n',
    );
    await start([
      ['lock', 'connector: sbom\nconfig: { file: package-lock.json }\n'],
      ['known', 'connector: advisories\nconfig: { osv: osv.json, epss: epss.csv }\n'],
    ]);
    await write(
      advisory('GHSA-11111', '4.17.21'),
      advisory('GHSA-22222', '5.0.0'),
      advisory('GHSA-33333', '4.0.0'),
    );
    await run('lock');
    expect(await run('known')).toMatchObject({
      status: 'complete',
      sync: { entities_created: 2, relationships_created: 2 },
    });

    const answer = await service.query(question('Advisories'));
    expect(answer['rows']).toEqual([
      ['lodash@4.17.20', 'CVE-2021-11111', 0.4, '>=0 <4.17.21', ['4.17.21']],
      ['lodash@4.17.20', 'CVE-2021-22222', 0.2, '>=0 <5.0.0', ['5.0.0']],
    ]);

    // The same again changes nothing, and what only this source says does not keep itself.
    expect(await run('known')).toMatchObject({ sync: { entities_unchanged: 2, entities_deleted: 0 } });
    await write(advisory('GHSA-22222', '5.0.0'));
    expect(await run('known')).toMatchObject({
      status: 'complete',
      sync: { entities_deleted: 1, relationships_deleted: 1, entities_unchanged: 1 },
    });
  });
});

/** The keys of the nodes of a shortest path along the relationships. */
async function keysOf(from: string, to: string): Promise<readonly string[]> {
  const answer = await service.query(`FIND SHORTEST PATH FROM ${from} TO ${to} VIA RELATES TO >>`);
  const [path] = answer['paths'] as readonly object[];
  const { nodes = [] } = (path ?? {}) as { readonly nodes?: readonly { readonly key: string }[] };
  return nodes.map(({ key }) => key);
}
