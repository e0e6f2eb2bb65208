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
