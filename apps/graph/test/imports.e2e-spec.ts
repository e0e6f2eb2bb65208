import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { firstPartyConnectors, type ImportReply, readConnector } from '#graph/connector';
import { NodeDisk } from '#platform/disk';
import { runProgram, startServer } from './support/built-program.ts';
import { TestService } from './support/test-service.ts';

const SAMPLES = join(import.meta.dirname, '../../../libs/graph/connector/test');
const COLLECTION = join(import.meta.dirname, '../../../samples/estate/collection');
const HOSTS = 'hostname,os,cores,owner\nweb-1,linux,8,ann\nweb-2,linux,4,bob\n';
const LOCK = JSON.stringify({
  name: 'shop',
  lockfileVersion: 3,
  packages: {
    '': { name: 'shop', version: '1.0.0', dependencies: { 'log4j-core': '^2.14.0' } },
    'node_modules/log4j-core': { version: '2.14.1' },
  },
});

/** The part of the OpenAPI document that is compared. */
interface Documented {
  readonly paths: {
    readonly '/v1/imports': {
      readonly post: {
        readonly requestBody: {
          readonly content: {
            readonly 'application/json': {
              readonly examples: { readonly hosts: { readonly value: object } };
            };
          };
        };
        readonly responses: {
          readonly '200': { readonly content: { readonly 'application/json': { readonly example: object } } };
        };
      };
    };
  };
}

const documented = (answer: object): Documented => answer as Documented;

describe('an imported file', () => {
  let service: TestService;
  beforeEach(async () => {
    const types = firstPartyConnectors(new NodeDisk());
    const demo = readConnector('connector: synthetic', 'demo.yaml', { types, environment: {} });
    service = await TestService.start({ connectors: [demo], environment: { PLEXUS_BODY_LIMIT: '1MiB' } });
  });
  afterEach(() => service.stop());

  const replyOf = (answer: object): ImportReply => answer as ImportReply;
  const post = async (body: object): Promise<ImportReply> =>
    replyOf(await service.json(200, 'POST', '/v1/imports', body));
  const refused = async (status: number, body: object): Promise<string> =>
    String((await service.json(status, 'POST', '/v1/imports', body))['message']);
  const keysOf = async (pql: string) => (await service.query(pql)).entities.map(({ key }) => key).sort();
  const countsOf = ({ run }: ImportReply) => [
    run.status,
    run.sync?.entities_created,
    run.sync?.entities_updated,
    run.sync?.entities_deleted,
  ];

  it('is shown first and written then, as the whole content of its source', async () => {
    const shown = await post({ content: HOSTS, file_name: 'Hosts 2026.csv', dry_run: true });
    const before = await keysOf('FIND *');
    const written = await post({ content: HOSTS, file_name: 'Hosts 2026.csv' });

    expect(shown).toMatchObject({
      source: 'hosts-2026',
      is_known: false,
      format: 'CSV',
      columns: ['hostname', 'os', 'cores', 'owner'],
      sample: [
        ['web-1', 'linux', '8', 'ann'],
        ['web-2', 'linux', '4', 'bob'],
      ],
      config: {
        mapping: {
          type: 'host',
          key: 'hostname',
          properties: { os: 'os', cores: { column: 'cores', as: 'integer' } },
          relationships: [{ verb: 'OWNS', from: 'user', column: 'owner' }],
        },
      },
    });
    expect(countsOf(shown)).toEqual(['complete', 4, 0, 0]);
    expect(before).toEqual([]);
    expect(countsOf(written)).toEqual(countsOf(shown));
    expect(await keysOf('FIND host WITH cores > 4 THAT OWNS << user')).toEqual(['web-1']);
  });

  it('is answered as documented', async () => {
    const { paths } = documented(await service.json(200, 'GET', '/docs-json'));
    const { requestBody, responses } = paths['/v1/imports'].post;
    const answered = await post(requestBody.content['application/json'].examples.hosts.value);
    const shapeOf = (value: unknown): unknown =>
      JSON.parse(
        JSON.stringify(value, (name, item: unknown) =>
          /_id$|_at$|_ms$/.test(name) && name !== 'connector_id' ? typeof item : item,
        ),
      );

    expect(shapeOf(answered)).toEqual(shapeOf(responses['200'].content['application/json'].example));
  });

  it('is read again by the mapping of its source, and shows what would change and go', async () => {
    const mapping = { type: 'server', key: 'hostname', properties: { system: 'os' } };
    await post({ content: HOSTS, source: 'inventory', config: { mapping } });
    const next = { content: 'hostname,os\nweb-1,bsd\nweb-3,linux\n', source: 'inventory' };
    const shown = await post({ ...next, dry_run: true });
    const written = await post(next);

    expect(shown).toMatchObject({ is_known: true, config: { mapping } });
    expect(countsOf(shown)).toEqual(['complete', 1, 1, 1]);
    expect(countsOf(written)).toEqual(countsOf(shown));
    const { deleted, updated, created } = shown.run.sync?.changes?.entities ?? {};
    expect([deleted, updated, created].map((of) => of?.records.map(({ key }) => key))).toEqual([
      ['web-2'],
      ['web-1'],
      ['web-3'],
    ]);
    expect(written.run.sync).not.toHaveProperty('changes');
    expect(await keysOf('FIND server WITH system = "bsd"')).toEqual(['web-1']);
    expect(await service.json(200, 'GET', '/v1/imports')).toMatchObject({
      count: 1,
      sources: [
        { id: 'inventory', connector: 'csv', config: { mapping }, file_name: null, status: 'complete' },
      ],
    });
  });

  it('keeps the mapping of its source if only another key of the configuration is given', async () => {
    const mapping = { type: 'server', key: 'hostname', properties: { system: 'os' } };
    await post({ content: HOSTS, source: 'inventory', config: { mapping } });

    const next = HOSTS.replaceAll(',', ';');
    const shown = await post({
      content: next,
      file_name: 'first.csv',
      source: 'inventory',
      config: { delimiter: ';' },
      dry_run: true,
    });

    expect(shown.config).toEqual({ delimiter: ';', mapping });
    expect(countsOf(shown)).toEqual(['complete', 0, 0, 0]);
  });

  it('keeps what was there for a row that is left out', async () => {
    await post({ content: HOSTS, source: 'hosts' });
    const damaged = await post({
      content: 'hostname,os,cores,owner\nweb-1,linux,many,ann\nweb-3,linux,1,ann',
      source: 'hosts',
    });

    expect(damaged.run).toMatchObject({
      status: 'partial',
      warnings: ['rows: line 2: column cores: expected an integer, got "many"; the row is left out'],
    });
    expect(await keysOf('FIND host')).toEqual(['web-1', 'web-2', 'web-3']);
    expect(await service.json(200, 'GET', '/v1/imports')).toMatchObject({ sources: [{ status: 'partial' }] });
  });

  it('cannot empty its source without force', async () => {
    const rows = Array.from({ length: 30 }, (_, index) => `h${index},x`).join('\n');
    await post({ content: `hostname,os\n${rows}`, source: 'hosts' });
    const one = { content: 'hostname,os\nh1,x', source: 'hosts' };
    const shown = await post({ ...one, dry_run: true });
    const written = await post(one);
    const forced = await post({ ...one, force: true });

    expect(countsOf(shown)).toEqual(['complete', 0, 0, 29]);
    expect(shown.run.sync?.warnings).toMatchObject([{ code: 'SYNC_WOULD_DELETE_TOO_MUCH' }]);
    expect(written.run).toMatchObject({ status: 'failed', reason: expect.stringContaining('29') });
    expect(countsOf(forced)).toEqual(['complete', 0, 0, 29]);
  });

  it('names the first thousand that it would delete, and says how many more', async () => {
    const rows = Array.from({ length: 1_002 }, (_, index) => `h${index},x`).join('\n');
    await post({ content: `hostname,os\n${rows}`, source: 'hosts' });
    const shown = await post({ content: 'hostname,os\nother,x', source: 'hosts', dry_run: true });
    const { records = [], more } = shown.run.sync?.changes?.entities.deleted ?? {};

    expect([records.length, more]).toEqual([1_000, 2]);
    expect(records[0]).toEqual({ type: 'host', key: 'h0', display_name: 'h0' });
  });

  it('may be a bill, records in JSON, or STIX', async () => {
    const bill = await post({ content: LOCK, file_name: 'package-lock.json' });
    const records = await post({
      content: '{"items":[{"id":"a","owner":"ann"},{"id":"b"}]}',
      file_name: 'laptops.json',
    });
    const stix = await post({
      content: JSON.stringify({
        type: 'bundle',
        objects: [{ type: 'tool', id: 'tool--8e2e2d2b-17d4-4cbf-938f-98ee46b3cd3f', name: 'x' }],
      }),
      source: 'intel',
    });

    expect([bill, records, stix].map(({ format, run }) => [format, run.status])).toEqual([
      ['package-lock.json', 'complete'],
      ['JSON', 'complete'],
      ['STIX', 'complete'],
    ]);
    expect(records.config).toMatchObject({ records: 'items' });
    expect(await keysOf('FIND npm_project THAT DEPENDS_ON npm_package WITH name = "log4j-core"')).toEqual([
      'shop',
    ]);
    expect(await keysOf('FIND laptop')).toEqual(['a', 'b']);
  });

  it.each([
    ['aws/ec2-describe-instances-0.json', 'AWS CLI', 'aws_instance'],
    ['kubernetes/deployment.yaml', 'Kubernetes', 'kube_deployment'],
    ['osquery/results.ndjson', 'osquery', 'deb_package'],
    ['osquery/snapshots.ndjson', 'osquery', 'host'],
    ['terraform/state.tfstate', 'Terraform', 'terraform_resource'],
    ['terraform/show.json', 'Terraform', 'terraform_resource'],
  ])('of a tool is read as that: %s', async (name, format, type) => {
    const content = await readFile(join(SAMPLES, name), 'utf8');
    const reply = await post({ content, file_name: basename(name), dry_run: true });
    const types = reply.run.sync?.changes?.entities.created.records.map((record) => record.type);

    expect([reply.format, reply.config, reply.run.status]).toEqual([format, {}, 'complete']);
    expect(types).toContain(type);
  });

  it('may say something of a component of another bill', async () => {
    const link = 'urn:cdx:3e671687-395b-41f5-a30f-a58921a69b79/1#log4j';
    const content = JSON.stringify({
      bomFormat: 'CycloneDX',
      specVersion: '1.5',
      vulnerabilities: [{ id: 'CVE-2021-44228', affects: [{ ref: link }] }],
    });

    const { run } = await post({ content, file_name: 'vex.json' });

    expect([run.status, run.external_count, run.sync?.entities_created]).toEqual(['complete', 1, 1]);
  });

  it('of BloodHound, nmap or kubectl is no list of records', async () => {
    const users = {
      data: [{ ObjectIdentifier: 'S-1-5-21-1-500', Properties: { name: 'ANN@CORP' }, Aces: [] }],
      meta: { type: 'users', version: 6, count: 1, methods: 0 },
    };
    const graph = { graph: { nodes: [{ id: 'a', kinds: ['Person'], properties: {} }], edges: [] } };
    const scan = `<?xml version="1.0"?><nmaprun scanner="nmap" start="1"><runstats><finished time="2" exit="success"/>
      <hosts up="0" down="0" total="0"/></runstats></nmaprun>`;
    const pods = { apiVersion: 'v1', kind: 'List', items: [] };
    const cut = { ...users, meta: { ...users.meta, count: 2 } };
    const replies: ImportReply[] = [];
    for (const [at, content] of [users, graph, scan, pods, cut].entries())
      replies.push(
        await post({
          content: typeof content === 'string' ? content : JSON.stringify(content),
          source: `s${String(at)}`,
        }),
      );

    expect(replies.map(({ format, run }) => [format, run.status])).toEqual([
      ['BloodHound', 'complete'],
      ['OpenGraph', 'complete'],
      ['nmap', 'complete'],
      ['Kubernetes', 'complete'],
      ['BloodHound', 'failed'],
    ]);
  });

  it('may be a file of the collection among the samples', async () => {
    for (const name of await readdir(COLLECTION)) {
      const content = await readFile(join(COLLECTION, name), 'utf8');
      const reply = await post({ content, file_name: name });

      expect([name, reply.connector, reply.run.status]).toEqual([name, 'bloodhound', 'complete']);
    }
    const group = 'FIND user WITH samaccountname = "ann" THAT MemberOf group AS g RETURN g.samaccountname';
    expect((await service.query(group)).rows).toEqual([['shop-operators']]);
  });

  it('is deleted with its source', async () => {
    await post({ content: HOSTS, source: 'hosts' });
    await service.call('DELETE', '/v1/imports/hosts');

    expect(await keysOf('FIND *')).toEqual([]);
    expect(await service.json(200, 'GET', '/v1/imports')).toMatchObject({ count: 0 });
    expect(await service.json(404, 'DELETE', '/v1/imports/hosts')).toMatchObject({ error: 'NOT_FOUND' });
  });

  it('is refused, and changes nothing, if it cannot be understood', async () => {
    await post({ content: HOSTS, source: 'hosts' });
    const mapping = { type: 'host', key: 'hostname' };

    expect(await refused(400, { content: 'Dear all\nhello' })).toContain('got text without columns');
    for (const content of ['{}', '[{}]', '{}\n{}\n', '[{"a":null}]'])
      expect(await refused(400, { content })).toMatch(/expected records with values|expected rows/);
    expect(await refused(400, { content: 'a,a\n1,2' })).toContain('columns 1 and 2 have one name');
    expect(await refused(400, { content: HOSTS, source: '../x' })).toContain(
      'source: expected lower-case letters',
    );
    expect(await refused(400, { content: HOSTS, source: 'api' })).toContain('source: api is reserved');
    expect(await refused(409, { content: HOSTS, source: 'demo' })).toContain('demo is a connector');
    expect(await refused(409, { content: LOCK, source: 'hosts' })).toContain(
      'hosts has CSV, got package-lock.json',
    );
    expect(await refused(400, { content: LOCK, config: { mapping } })).toContain('config: expected none');
    expect(await refused(400, { content: HOSTS, config: { mapping: { type: 'host' } } })).toContain(
      'config.mapping.key: missing',
    );
    // Nothing of the server can be read.
    for (const key of ['file', 'url', 'headers_env'])
      expect(await refused(400, { content: HOSTS, config: { mapping, [key]: '/etc/passwd' } })).toContain(
        `config.${key}: no such key`,
      );
    expect(await refused(400, { content: 7 })).toContain('content: expected a text');
    expect(await refused(413, { content: 'x'.repeat(1_100_000) })).toContain('larger than the limit');
    expect(await keysOf('FIND host')).toEqual(['web-1', 'web-2']);
  });
});

describe('plexus import', () => {
  let directory: string;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'plexus-import-'));
    await writeFile(join(directory, 'hosts.csv'), HOSTS);
  });
  afterEach(() => rm(directory, { recursive: true }));

  it('shows and loads a file into a data directory, by a mapping of its own', async () => {
    const dataDir = join(directory, 'data');
    const file = join(directory, 'hosts.csv');
    const target = ['--data-dir', dataDir];
    const shown = await runProgram(['import', file, '--dry-run', ...target]);
    const config = join(directory, 'config.yaml');
    await writeFile(config, 'mapping: { type: server, key: hostname, properties: { os: os } }\n');
    const first = await runProgram(['import', file, '--config', config, ...target]);
    const piped = await runProgram(['import', file, '--dry-run', '--config', '-', ...target], {
      stdin: 'mapping: { type: machine, key: hostname }\n',
    });
    const twice = await runProgram(['import', '-', '--config', '-', ...target], { stdin: HOSTS });
    const next = { stdin: 'hostname,os\nweb-2,bsd\n' };
    const going = await runProgram(['import', '-', '--dry-run', '--source', 'hosts', ...target], next);
    const second = await runProgram(['import', '-', '--source', 'hosts', ...target], next);
    const left = await runProgram(['query', 'FIND server', '--format', 'csv', ...target]);

    expect(shown.code).toBe(0);
    expect(shown.stdout).toContain(
      'hosts: CSV, a new source; dry run, nothing is written\nmapping:\n  type: host',
    );
    expect(shown.stdout).toMatch(/^created +4 +2$/m);
    expect(first.stdout).toMatch(/^created +2 +0$/m);
    expect(shown.stdout).toContain('entities created:\n  host web-1\n');
    expect(shown.stdout).toContain('relationships created:\n  user ann OWNS host web-1\n');
    expect(going.stdout).toContain('entities deleted:\n  server web-1\nentities updated:\n  server web-2\n');
    expect(piped.stdout).toContain('entities created:\n  machine web-1\n');
    expect([twice.code, twice.stderr]).toEqual([2, expect.stringContaining('--config: expected a file')]);
    expect(second.stdout).not.toContain('entities deleted:');
    expect(second.stdout).toContain('hosts: CSV, a known source');
    expect(second.stdout).toMatch(/^deleted +1 +0$/m);
    expect(left.stdout.match(/web-\d/g)).toEqual(expect.arrayContaining(['web-2']));
    expect(left.stdout).not.toContain('web-1');
  });

  it('loads a file into a server, and fails for one that is read in part', async () => {
    const limit = { PLEXUS_BODY_LIMIT: '1MiB' };
    const server = await startServer(['--data-dir', join(directory, 'data')], limit);
    const file = join(directory, 'hosts.csv');
    const sent = await runProgram(['import', file, '--url', server.url, '--format', 'json']);
    await writeFile(file, `${await readFile(file, 'utf8')}web-3\n`);
    const damaged = await runProgram(['import', file, '--url', server.url]);
    const prose = await runProgram(['import', '-', '--url', server.url], { stdin: 'no table at all' });
    const missing = await runProgram(['import', join(directory, 'none.csv'), '--url', server.url]);
    await writeFile(file, 'x'.repeat(1_100_000));
    const large = await runProgram(['import', file, '--url', server.url]);
    await writeFile(file, Buffer.from('\uFEFFname,os\nweb-1,linux', 'utf16le'));
    const utf16 = await runProgram(['import', file, '--url', server.url]);
    await server.end('SIGTERM');

    expect((JSON.parse(sent.stdout) as ImportReply).run).toMatchObject({ status: 'complete', entities: 4 });
    expect(damaged.code).toBe(1);
    expect(damaged.stdout).toContain(
      'line 4: expected 4 cells, as in the header, got 1; the row is left out',
    );
    expect(damaged.stderr).toContain('the run of hosts is partial');
    expect([prose.code, missing.code, large.code, utf16.code]).toEqual([1, 1, 1, 1]);
    expect(utf16.stderr).toContain('expected text in UTF-8, got UTF-16: save it as UTF-8');
    expect(large.stderr).toContain('larger than the limit: PLEXUS_BODY_LIMIT of the server raises it');
    expect(prose.stderr).toContain('got text without columns');
    expect(missing.stderr).toContain('no file at');
  });
});
