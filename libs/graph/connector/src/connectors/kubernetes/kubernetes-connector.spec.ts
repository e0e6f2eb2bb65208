import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NodeDisk } from '#platform/disk';
import { connectorMatchers } from '../../kit/matchers.ts';
import { emittedEntity, runConnector, type TestRun } from '../../kit/run-connector.ts';
import { kubernetesConnector } from './kubernetes-connector.ts';

const SAMPLES = join(process.env['PLEXUS_TEST_DATA'] ?? 'no test data', 'estate', 'kubernetes');
const DIGEST = `sha256:${'c'.repeat(64)}`;

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'plexus-kubernetes-'));
});
afterAll(() => rm(directory, { recursive: true }));

async function readText(text: string, name = 'own.yaml'): Promise<TestRun> {
  const file = join(directory, name);
  await writeFile(file, text);
  return runConnector(kubernetesConnector(new NodeDisk()), { config: { file, cluster: 'prod' } });
}
const read = (...objects: readonly object[]): Promise<TestRun> =>
  readText(JSON.stringify({ apiVersion: 'v1', items: objects, kind: 'List' }), 'own.json');
const sentences = (run: TestRun, ...verbs: readonly string[]): readonly string[] =>
  run.relationships
    .filter(({ verb }) => verbs.includes(verb))
    .map(({ from, verb, to }) => `${from.key} ${verb} ${to.key}`)
    .sort();

const object = (kind: string, name: string, more: object = {}, metadata: object = {}) => ({
  apiVersion: 'v1',
  kind,
  metadata: { name, namespace: 'shop', ...metadata },
  ...more,
});
const pod = (name: string, spec: object, metadata: object = {}, status: object = {}) =>
  object('Pod', name, { spec: { containers: [], ...spec }, status }, metadata);
const role = (kind: string, name: string, rules: readonly object[], labels: object = {}) =>
  object(kind, name, { rules }, { labels });
const bind = (kind: string, name: string, roleRef: object, subjects: readonly object[]) =>
  object(kind, name, { roleRef, subjects });

describe('the kubernetes connector', () => {
  it('reads images, accounts and secrets of a deployment, and no values', async () => {
    const run = await readText(`
apiVersion: v1
kind: Secret
metadata:
  name: db
  namespace: shop
  annotations: { kubectl.kubernetes.io/last-applied-configuration: '{"data":{"password":"aHVudGVyMg=="}}' }
type: Opaque
data: { password: aHVudGVyMg== }
stringData: { other: hunter2 }
---
---
apiVersion: apps/v1
kind: Deployment
metadata: { name: web, namespace: shop, labels: { team: a } }
spec:
  replicas: 3
  template:
    metadata: { labels: { app: web } }
    spec:
      serviceAccountName: runner
      hostNetwork: true
      volumes: [{ name: v, hostPath: { path: /var/run/docker.sock } }, { name: c, configMap: { name: settings } }]
      imagePullSecrets: [{ name: registry }]
      containers:
        - name: web
          image: nginx:1.25
          securityContext: { privileged: true, capabilities: { add: [SYS_ADMIN] } }
          env:
            - { name: PASSWORD, valueFrom: { secretKeyRef: { name: db, key: password } } }
            - { name: TOKEN, value: hunter3 }
`);

    expect(connectorMatchers.toHaveCompleted(run)).toMatchObject({ pass: true });
    expect(sentences(run, 'RUNS', 'USES')).toEqual([
      'prod/shop/web RUNS docker.io/library/nginx:1.25',
      'prod/shop/web USES prod/shop/db',
      'prod/shop/web USES prod/shop/registry',
      'prod/shop/web USES prod/shop/runner',
      'prod/shop/web USES prod/shop/settings',
    ]);
    expect(emittedEntity(run, 'kube_deployment', 'prod/shop/web').properties).toMatchObject({
      replicas: 3,
      privileged: true,
      host_network: true,
      host_paths: ['/var/run/docker.sock'],
      capabilities: ['SYS_ADMIN'],
      kube_labels: ['team=a'],
    });
    expect(sentences(run, 'CONTAINS')).toContain('prod CONTAINS prod/shop');
    expect(sentences(run, 'CONTAINS')).toContain('prod/shop CONTAINS prod/shop/db');
    expect(JSON.stringify([run.entities, run.relationships])).not.toMatch(/hunter|aHVudGVy/);
  });

  it('reads digest, owner and node of a running pod', async () => {
    const owner = { kind: 'ReplicaSet', name: 'web-1', uid: 'u', apiVersion: 'apps/v1' };
    const status = { containerStatuses: [{ name: 'c', imageID: `docker-pullable://nginx@${DIGEST}` }] };
    const spec = { nodeName: 'n1', containers: [{ name: 'c', image: 'nginx:1.25' }] };

    const run = await read(pod('web-1-x', spec, { ownerReferences: [owner] }, status));

    expect(sentences(run, 'RUNS', 'OWNS', 'MAPS_TO')).toEqual([
      `docker.io/library/nginx:1.25 MAPS_TO docker.io/library/nginx@${DIGEST}`,
      'prod/n1 RUNS prod/shop/web-1-x',
      'prod/shop/web-1 OWNS prod/shop/web-1-x',
      'prod/shop/web-1-x RUNS docker.io/library/nginx:1.25',
    ]);
  });

  it('adds up the rules of all roles that are bound to a subject, in their scopes', async () => {
    const reader = { kind: 'Role', name: 'reader' };
    const subject = { kind: 'ServiceAccount', name: 'runner' };
    const run = await read(
      role('Role', 'reader', [{ apiGroups: [''], resources: ['secrets'], verbs: ['get', 'list'] }]),
      role('Role', 'writer', [
        { apiGroups: [''], resources: ['secrets'], verbs: ['update', 'watch'] },
        { apiGroups: ['apps'], resources: ['deployments'], verbs: ['*'] },
        { apiGroups: [''], resources: ['secrets'], resourceNames: ['other'], verbs: ['delete'] },
        { nonResourceURLs: ['/metrics'], verbs: ['get'] },
      ]),
      bind('RoleBinding', 'one', reader, [subject, { kind: 'User', name: 'ann' }]),
      bind('RoleBinding', 'two', { kind: 'Role', name: 'writer' }, [{ ...subject, namespace: 'shop' }]),
      object('Secret', 'db'),
      object('Secret', 'other'),
      object('Secret', 'far', {}, { namespace: 'elsewhere' }),
    );

    expect(sentences(run, 'CAN_READ', 'CAN_WRITE', 'CAN_USE')).toEqual([
      'prod/ann CAN_READ prod/shop/secrets',
      'prod/shop/runner CAN_READ prod/shop/apps/deployments',
      'prod/shop/runner CAN_READ prod/shop/secrets',
      'prod/shop/runner CAN_USE prod/shop/apps/deployments',
      'prod/shop/runner CAN_WRITE prod/shop/apps/deployments',
      'prod/shop/runner CAN_WRITE prod/shop/secrets',
      'prod/shop/runner CAN_WRITE prod/shop/secrets/other',
    ]);
    const reads = run.relationships.find(
      ({ from, verb, to }) =>
        from.key === 'prod/shop/runner' && verb === 'CAN_READ' && to.key === 'prod/shop/secrets',
    );
    expect(reads?.properties).toEqual({ verbs: ['get', 'list', 'watch'], by: ['one', 'two'] });
    expect(sentences(run, 'CONTAINS').filter((each) => each.startsWith('prod/shop/secrets'))).toEqual([
      'prod/shop/secrets CONTAINS prod/shop/db',
      'prod/shop/secrets CONTAINS prod/shop/other',
      'prod/shop/secrets/other CONTAINS prod/shop/other',
    ]);
    expect(run.report.ignored).toEqual({ 'rules for URLs': 1 });
  });

  it('follows aggregated roles, bound groups, and cluster-admin without its definition', async () => {
    const selector = { matchExpressions: [{ key: 'part', operator: 'In', values: ['view'] }] };
    const run = await read(
      { ...role('ClusterRole', 'view', []), aggregationRule: { clusterRoleSelectors: [selector] } },
      role('ClusterRole', 'part', [{ apiGroups: [''], resources: ['pods/exec'], verbs: ['create'] }], {
        part: 'view',
      }),
      bind('ClusterRoleBinding', 'v', { kind: 'ClusterRole', name: 'view' }, [
        { kind: 'Group', name: 'system:serviceaccounts:shop' },
      ]),
      bind('ClusterRoleBinding', 'a', { kind: 'ClusterRole', name: 'cluster-admin' }, [
        { kind: 'User', name: 'system:serviceaccount:shop:boss' },
      ]),
      bind('RoleBinding', 'unknown', { kind: 'ClusterRole', name: 'edit' }, [{ kind: 'User', name: 'ann' }]),
      object('ServiceAccount', 'runner'),
      pod('p', {}),
    );

    expect(sentences(run, 'MEMBER_OF')).toEqual(
      ['boss', 'default', 'runner'].map(
        (name) => `prod/shop/${name} MEMBER_OF prod/system:serviceaccounts:shop`,
      ),
    );
    expect(sentences(run, 'CAN_WRITE')).toEqual([
      'prod/shop/boss CAN_WRITE prod/*/*/*',
      'prod/system:serviceaccounts:shop CAN_WRITE prod/*/pods/exec',
    ]);
    expect(sentences(run, 'CONTAINS')).toContain('prod/*/pods/exec CONTAINS prod/shop/p');
    expect(sentences(run, 'CONTAINS')).toContain('prod/*/*/* CONTAINS prod/shop/runner');
    expect(run.report).toMatchObject({ status: 'complete', external_count: 1 });
    expect(run.report.warnings[0]).toContain(
      'the role edit is not in the source: what it allows is not known',
    );
  });

  it('follows roles that aggregate others that aggregate', async () => {
    const over = (name: string, from: string, labels: object) => ({
      ...role('ClusterRole', name, [], labels),
      aggregationRule: { clusterRoleSelectors: [{ matchLabels: { to: from } }] },
    });
    const run = await read(
      over('admin', 'admin', { to: 'edit' }),
      over('edit', 'edit', { to: 'admin' }),
      role('ClusterRole', 'own', [{ apiGroups: [''], resources: ['secrets'], verbs: ['get'] }], {
        to: 'edit',
      }),
      bind('ClusterRoleBinding', 'b', { kind: 'ClusterRole', name: 'admin' }, [
        { kind: 'User', name: 'ann' },
      ]),
    );

    expect(sentences(run, 'CAN_READ')).toEqual(['prod/ann CAN_READ prod/*/secrets']);
  });

  it('counts objects of other kinds without metadata, and reads the ports of nodes', async () => {
    const folder = await mkdtemp(join(directory, 'kustomized-'));
    const ports = [{ containerPort: 1, hostPort: 8080 }, { containerPort: 2 }];
    await writeFile(join(folder, 'kustomization.yaml'), 'resources: [pod.json]\n');
    await writeFile(
      join(folder, 'pod.json'),
      JSON.stringify(pod('p', { containers: [{ name: 'a', image: 'a', ports }] })),
    );
    const other = 'apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n';
    await writeFile(join(folder, 'other.yaml'), other);
    const config = { file: folder, cluster: 'prod' };
    const run = await runConnector(kubernetesConnector(new NodeDisk()), { config });

    expect(run.report).toMatchObject({
      status: 'complete',
      ignored: { 'files with other names': 1, 'objects of the kind KubeletConfiguration': 1 },
    });
    expect(emittedEntity(run, 'kube_pod', 'prod/shop/p').properties['host_ports']).toEqual([8080]);
  });

  it('does not say that a pod does not run as root if its image decides', async () => {
    const nonRoot = { runAsNonRoot: true };
    const run = await read(
      pod('unsaid', { containers: [{ name: 'a' }] }),
      pod('root', { containers: [{ name: 'a', securityContext: { runAsUser: 0 } }, { name: 'b' }] }),
      pod('other', { containers: [{ name: 'a' }], securityContext: { runAsUser: 1000 } }),
      pod('never', { containers: [{ name: 'a', securityContext: nonRoot }] }),
      pod('mixed', { containers: [{ name: 'a', securityContext: nonRoot }, { name: 'b' }] }),
    );
    const asRoot = run.entities
      .filter(({ type }) => type === 'kube_pod')
      .map(({ properties }) => [properties['name'], properties['runs_as_root']]);

    expect(Object.fromEntries(asRoot)).toEqual({
      unsaid: undefined,
      root: true,
      other: false,
      never: false,
      mixed: undefined,
    });
  });

  it('reads the members of a group of OpenShift', async () => {
    const run = await read({
      apiVersion: 'user.openshift.io/v1',
      kind: 'Group',
      metadata: { name: 'admins' },
      users: ['ann', 'bob'],
    });

    expect(sentences(run, 'MEMBER_OF')).toEqual([
      'prod/ann MEMBER_OF prod/admins',
      'prod/bob MEMBER_OF prod/admins',
    ]);
  });

  it('tells public services from private ones, and finds what they lead to', async () => {
    const balancer = (name: string, spec: object, metadata: object = {}, status: object = {}) =>
      object(
        'Service',
        name,
        { spec: { type: 'LoadBalancer', selector: { app: name }, ...spec }, status },
        metadata,
      );
    const at = (ip: string) => ({ loadBalancer: { ingress: [{ ip }] } });
    const annotations = { 'service.beta.kubernetes.io/aws-load-balancer-internal': 'true' };
    const run = await read(
      balancer('open', { ports: [{ port: 443 }] }),
      balancer('inside', {}, { annotations }),
      balancer('local', {}, {}, at('10.1.2.3')),
      balancer('some', { loadBalancerSourceRanges: ['203.0.113.0/24'] }),
      balancer('all', { loadBalancerSourceRanges: ['0.0.0.0/0'] }, {}, at('203.0.113.9')),
      object('Service', 'plain', { spec: { ports: [{ port: 80, protocol: 'UDP' }] } }),
      object('Ingress', 'gate', {
        spec: {
          rules: [{ host: 'shop.example', http: { paths: [{ backend: { service: { name: 'plain' } } }] } }],
          tls: [{}],
        },
        status: at('203.0.113.10'),
      }),
      object('NetworkPolicy', 'fence', { spec: { podSelector: { matchLabels: { app: 'open' } } } }),
      pod('a', {}, { labels: { app: 'open' } }),
      pod('b', {}, { labels: { app: 'open' }, namespace: 'other' }),
    );

    const exposure = run.entities
      .filter(({ type }) => type === 'kube_service')
      .map(({ key, properties }) => `${key} ${String(properties['exposure'])}`);
    expect(exposure).toEqual([
      'prod/shop/open public',
      'prod/shop/inside private',
      'prod/shop/local private',
      'prod/shop/some restricted',
      'prod/shop/all public',
      'prod/shop/plain cluster',
    ]);
    expect(sentences(run, 'CONNECTS', 'EXPOSES', 'PROTECTS')).toEqual([
      'internet CONNECTS prod/shop/all',
      'internet CONNECTS prod/shop/gate',
      'internet CONNECTS prod/shop/open',
      'prod/shop/fence PROTECTS prod/shop/a',
      'prod/shop/gate EXPOSES prod/shop/plain',
      'prod/shop/open EXPOSES prod/shop/a',
    ]);
  });

  it('reads a list of one kind whose objects leave theirs out, and counts other kinds', async () => {
    const items = [{ metadata: { name: 'a', namespace: 'x' } }, { metadata: { name: 'b' } }];
    const list = await readText(JSON.stringify({ kind: 'SecretList', apiVersion: 'v1', items }), 'list.json');
    const plain = await readText(JSON.stringify([object('Pod', 'a'), object('Pod', 'b')]), 'plain.json');
    const other = await readText('apiVersion: example.org/v1\nkind: Widget\nmetadata: { name: w }\n');

    expect(list.entities.filter(({ type }) => type === 'kube_secret').map(({ key }) => key)).toEqual([
      'prod/x/a',
      'prod/default/b',
    ]);
    expect(plain.entities.filter(({ type }) => type === 'kube_pod').map(({ key }) => key)).toEqual([
      'prod/shop/a',
      'prod/shop/b',
    ]);
    expect(other.report.ignored).toEqual({ 'objects of the kind Widget': 1 });
  });

  it('counts kinds of other groups that have the name of one that is read', async () => {
    const other = { apiVersion: 'serving.knative.dev/v1', kind: 'Service', metadata: { name: 'web' } };
    const { ownerReferences } = { ownerReferences: [{ ...other, name: 'web' }] };
    const service = { apiVersion: 'v1', kind: 'Service', metadata: { name: 'web', ownerReferences } };
    const list = { apiVersion: 'v1', kind: 'List', items: [other, service] };

    const run = await readText(JSON.stringify(list), 'list.json');

    expect(run.report).toMatchObject({
      status: 'complete',
      ignored: { 'objects of the kind Service of serving.knative.dev/v1': 1 },
    });
    expect(run.entities.filter(({ type }) => type === 'kube_service')).toHaveLength(1);
    expect(run.relationships.filter(({ verb }) => verb === 'OWNS')).toEqual([]);
  });

  it('keeps what a container ran whose image is no name', async () => {
    const broken = pod('a', { containers: [{ name: 'a', image: 'Not An Image' }] });
    const run = await readText(JSON.stringify(broken), 'pod.json');

    expect(run.report.status).toBe('partial');
    expect(run.partialRelationships).toMatchObject([{ verb: 'RUNS', end: 'from', type: 'kube_pod' }]);
  });

  it('has no object of an empty list', async () => {
    const run = await readText(
      '{"apiVersion": "v1", "items": [], "kind": "List", "metadata": {}}',
      'list.json',
    );

    expect([run.report.status, run.entities]).toEqual(['complete', []]);
  });

  it.each(['null', '---\n---\n'])('knows of no cluster in a source without an object: %j', async (text) => {
    const run = await readText(text, 'none.yaml');

    expect(run.entities).toEqual([]);
  });

  it.each([
    ['', 'own.yaml', 'expected a manifest of Kubernetes, got an empty file'],
    [
      '{"kind": "PodList", "apiVersion": "v1", "metadata": {"continue": "x"}, "items": []}',
      'own.json',
      'own.json.metadata.continue: expected a whole list, got one page of several',
    ],
    [
      'kind: PodList\napiVersion: v1\nmetadata: { continue: x }\nitems: []\n',
      'own.yaml',
      'metadata.continue: expected a whole list, got one page of several',
    ],
    ['{"items": [], "kind": "Status"}', 'own.json', 'own.json.kind: expected a list, got Status'],
    ['a: [1', 'own.yaml', 'expected a manifest of Kubernetes, got other YAML'],
    ['a: &x 1\nb: *x', 'own.yaml', 'expected a manifest of Kubernetes, got other YAML'],
    ['just text', 'own.yaml', 'own.yaml, document 1: expected an object, got a string'],
    [
      'apiVersion: v1\nkind: Pod\nmetadata: {}\n---\nb: 1',
      'own.yaml',
      'document 1.metadata.name: expected a text, got nothing',
    ],
    [
      'apiVersion: v1\nkind: Pod\nmetadata: { name: a }\n---\nb: 1',
      'own.yaml',
      'own.yaml, document 2.kind: expected a text',
    ],
    ['[{"metadata": {}}]', 'own.json', 'own.json, [0].kind: expected a text'],
    [
      '{"items": [{"kind": "Pod"}], "kind": "List"}',
      'own.json',
      'own.json, items[0].apiVersion: expected a text',
    ],
    ['{"items": [{"kind": "Pod", ', 'own.json', 'own.json: expected a JSON document, got one that ends'],
    [
      JSON.stringify({ kind: 'List', items: [pod('a', { containers: {} })] }),
      'own.json',
      'own.json, items[0].spec.containers: expected a list, got an object',
    ],
  ])('refuses %j with file and place', async (text, name, message) => {
    const run = await readText(text, name);

    expect(run.report).toMatchObject({ status: 'failed' });
    expect(run.report.steps[0]?.reason).toContain(message);
  });

  it('names objects that it leaves out since another one has their name, or their generateName', async () => {
    const job = (image: string) => ({
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { generateName: 'migrate-', namespace: 'shop' },
      spec: { template: { spec: { containers: [{ name: 'a', image }] } } },
    });
    const [web, other] = [object('Secret', 'web'), object('Secret', 'web', { type: 'Opaque' })];
    const run = await read(web, web, other, job('one:1'), job('two:1'), job('two:1'));

    expect(run.report.warnings).toEqual([
      'objects: own.json, items[2]: the Secret prod/shop/web is stated again, differently; the first is read',
      ...[4, 5].map(
        (index) =>
          `objects: own.json, items[${index}]: the Job prod/shop/migrate-* has no name but its generateName, as one before it; the first is read`,
      ),
    ]);
    expect(run.report.ignored).toEqual({ 'objects that are stated again': 4 });
    expect(run.report.status).toBe('complete');
  });

  it('reads a directory as one source', async () => {
    const folder = join(directory, 'manifests');
    await mkdir(folder);
    await writeFile(join(folder, 'a.yaml'), 'apiVersion: v1\nkind: Namespace\nmetadata: { name: a }\n');
    await writeFile(join(folder, 'b.json'), JSON.stringify(object('Secret', 's')));
    await writeFile(join(folder, 'notes.txt'), 'text');

    const run = await runConnector(kubernetesConnector(new NodeDisk()), { config: { file: folder } });

    expect(run.entities.map(({ key }) => key)).toEqual([
      'default',
      'default/a',
      'default/shop',
      'default/shop/s',
    ]);
    expect(run.report.ignored).toEqual({ 'files with other names': 1 });
  });
});

/** Those that Plexus itself is installed with. */
const OWN = join(import.meta.dirname, '../../../../../../packaging/kubernetes');
const READ =
  /^(?:ClusterRole|ClusterRoleBinding|ConfigMap|CronJob|DaemonSet|Deployment|Ingress|Job|Namespace|NetworkPolicy|Node|Pod|ReplicaSet|ReplicationController|Role|RoleBinding|Secret|Service|ServiceAccount|StatefulSet)$/;

const FOLDERS: readonly (readonly [string, number])[] = [
  [OWN, 5],
  [join(import.meta.dirname, '../../../test/kubernetes'), 2],
  ...(existsSync(SAMPLES) ? [[join(SAMPLES, 'examples'), 100] as const] : []),
];

describe('manifests that are in use', () => {
  it.each(FOLDERS)('of %s are all there, by a count of lines', async (folder, countMin) => {
    const names = readdirSync(folder).filter((name) => !name.endsWith('.md'));
    const texts = names.flatMap((name) => readFileSync(join(folder, name), 'utf8').split(/^---.*$/m));
    const counted = new Set(texts.flatMap((text) => statedIn(text) ?? []));

    const run = await runConnector(kubernetesConnector(new NodeDisk()), { config: { file: folder } });

    const faults = connectorMatchers.toHaveCompleted(run);
    expect(faults.pass ? 'complete' : faults.message()).toBe('complete');
    const found = new Set(
      run.entities.map(({ type, properties: { namespace = 'default', name } }) =>
        [type.replace('kube_', '').replaceAll('_', ''), namespace, name].map(String).join(' '),
      ),
    );
    expect(counted.size).toBeGreaterThan(countMin);
    expect([...counted].filter((each) => !found.has(each))).toEqual([]);
  });
});

/** Kind, namespace and name, by the lines of a document. */
function statedIn(text: string): string | undefined {
  const [, kind = ''] = /^kind: *["']?(\w+)/m.exec(text) ?? [];
  const [, metadata = ''] = /^metadata:.*\n((?:(?: +.*|#.*)?\n)+)/m.exec(`${text}\n`) ?? [];
  const [indent = ''] = /^ +/.exec(metadata) ?? [];
  // Metadata may be on one line: `{ name: web, namespace: shop }`.
  const [, onLine = ''] = /^metadata: *\{(.*)\}/m.exec(text) ?? [];
  const field = (name: string): string | undefined =>
    new RegExp(`^${indent}${name}: *["']?([^\\s"']+)`, 'm').exec(metadata)?.[1] ??
    new RegExp(`[ ,]${name}: *([^\\s,}]+)`).exec(` ${onLine}`)?.[1];
  const name = field('name');
  if (!READ.test(kind) || name === undefined) return undefined;
  return `${kind.toLowerCase()} ${field('namespace') ?? 'default'} ${name}`;
}
