import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { firstPartyConnectors, readConnector, type RunRecord } from '#graph/connector';
import { NodeDisk } from '#platform/disk';
import { TestService } from './support/test-service.ts';

const GUIDE = new URL('../../../docs/connectors.md', import.meta.url);
const RESULT = { name: 'q', hostIdentifier: 'web-1', unixTime: 1, epoch: 0, counter: 0, action: 'added' };
const USERS = [
  { uid: '0', username: 'root', shell: '/bin/bash' },
  { uid: '1', username: 'daemon', shell: '/usr/sbin/nologin' },
];

const FILES: Readonly<Record<string, string>> = {
  'root/etc/hostname': 'web-1\n',
  'root/etc/passwd': 'root:x:0:0::/root:/bin/sh\n',
  'root/var/lib/dpkg/status': 'Package: a\nStatus: install ok installed\nVersion: 1\n',
  'root/proc/net/tcp':
    'head\n 0: 00000000:01BB 00000000:0000 0A 0:0 00:0 0 0 0 7 1\n 1: 0100007F:1538 00000000:0000 0A 0:0 00:0 0 0 0 8 1\n',
  'scan.xml':
    '<nmaprun><host><status state="up"/><address addr="10.0.0.2" addrtype="ipv4"/><ports><port protocol="tcp" portid="22">' +
    '<state state="open"/><service name="ssh" product="OpenSSH" version="9.2"/></port></ports></host>' +
    '<runstats><finished exit="success"/></runstats></nmaprun>',
  'aws/accounts.json': JSON.stringify({
    Accounts: ['111111111111', '222222222222'].map((id) => ({
      Id: id,
      Name: id === '222222222222' ? 'shop' : 'management',
      Arn: `arn:aws:organizations::111111111111:account/o-x/${id}`,
      Paths: [`o-x/r-ab12/${id === '222222222222' ? 'ou-ab12-11111111/' : ''}${id}/`],
    })),
  }),
  'aws/policies-of-ou-ab12-11111111.json': JSON.stringify({
    Policies: [{ Id: 'p-nobody00', Type: 'SERVICE_CONTROL_POLICY', Name: 'no roles' }],
  }),
  'scans/shop.json': JSON.stringify({
    _type: 'https://in-toto.io/Statement/v1',
    subject: [{ name: 'ghcr.io/acme/shop', digest: { sha256: 'ab'.repeat(32) } }],
    predicateType: 'https://in-toto.io/attestation/vulns/v0.2',
    predicate: {
      scanner: {
        uri: 'pkg:github/aquasecurity/trivy@0.19.2',
        result: [
          { id: 'CVE-2099-0001', severity: [{ method: 'nvd', score: 'high' }] },
          { id: 'CVE-2099-0002', severity: [{ method: 'nvd', score: 'low' }] },
        ],
      },
    },
  }),
  'results.log': USERS.map((columns) => `${JSON.stringify({ ...RESULT, columns })}\n`).join(''),
};

const IMAGE = `sha256:${'ab'.repeat(32)}`;
const container = (id: string, name: string, isPrivileged: boolean) => ({
  Id: id,
  Name: `/${name}`,
  Image: IMAGE,
  State: { Status: 'running' },
  Config: { Image: 'shop:1' },
  HostConfig: { Privileged: isPrivileged },
});
/** What an engine answers: of two containers one is privileged. */
const ENGINE: Readonly<Record<string, unknown>> = {
  '/version': { ApiVersion: '1.41', MinAPIVersion: '1.24' },
  '/volumes': { Volumes: [] },
  '/images/json': [{ Id: IMAGE, RepoTags: ['shop:1'] }],
  '/networks': [],
  '/containers/json?all=1': [{ Id: 'c1' }, { Id: 'c2' }],
  '/containers/c1/json': container('c1', 'web', true),
  '/containers/c2/json': container('c2', 'db', false),
};

async function runOf(service: TestService): Promise<RunRecord> {
  let run = (await service.json(202, 'POST', '/v1/connectors/source/run')) as object as RunRecord;
  while (run.ended_at === null)
    run = (await service.json(200, 'GET', `/v1/connectors/runs/${run.run_id}`)) as object as RunRecord;
  return run;
}

/** The first question of a section of the guide. */
async function questionOf(section: string): Promise<string> {
  const [, text = ''] = (await readFile(GUIDE, 'utf8')).split(`### ${section}\n`);
  return /```pql\n([\s\S]*?)```/.exec(text)?.[1] ?? '';
}

describe('the first question of a source in the guide', () => {
  let directory: string;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'plexus-first-'));
    for (const [path, text] of Object.entries(FILES)) {
      await mkdir(dirname(join(directory, path)), { recursive: true });
      await writeFile(join(directory, path), text);
    }
  });
  afterEach(() => rm(directory, { recursive: true }));

  it.each<[string, string, Readonly<Record<string, string>>, readonly (readonly unknown[])[]]>([
    ['The machine itself', 'host', { root: 'root' }, [['web-1', 'tcp/0.0.0.0:443', null, 'root']]],
    ['nmap', 'nmap', { file: 'scan.xml' }, [['10.0.0.2', 'tcp/22', 'ssh', 'OpenSSH', '9.2']]],
    ['osquery', 'osquery', { file: 'results.log' }, [['web-1', 'root', '/bin/bash']]],
    ['Policies of an organization', 'aws', { file: 'aws' }, [['no roles', 'shop']]],
    ['Attested scans', 'sbom', { file: 'scans' }, [[`ghcr.io/acme/shop@${IMAGE}`, 'CVE-2099-0001']]],
  ])('about %s has its answer', async (section, connector, config, rows) => {
    expect(await answerOf(section, connector, config)).toEqual(rows);
  });

  it('about Containers has its answer', async () => {
    const socket = join(directory, 'engine.sock');
    const engine = createServer((request, reply) => {
      const answer = ENGINE[request.url?.replace('/v1.41', '') ?? ''];
      reply.writeHead(answer === undefined ? 404 : 200).end(JSON.stringify(answer ?? {}));
    }).listen(socket);
    await once(engine, 'listening');

    const rows = await answerOf('Containers', 'containers', { socket, host: 'web-1' });
    engine.close();

    expect(rows).toEqual([['web', IMAGE]]);
  });

  /** Syncs the source, and asks the first question of its section. */
  async function answerOf(
    section: string,
    connector: string,
    config: Readonly<Record<string, string>>,
  ): Promise<readonly (readonly unknown[])[]> {
    const service = await started(connector, config);
    const run = await runOf(service);
    const answer = await service.query(await questionOf(section));
    await service.stop();

    expect(run.status).toBe('complete');
    const found = answer['rows'] as readonly Readonly<Record<string, unknown>>[];
    return found.map((row) => Object.values(row));
  }

  async function started(connector: string, config: Readonly<Record<string, string>>): Promise<TestService> {
    const text = JSON.stringify({ id: 'source', connector, config });
    const types = firstPartyConnectors(new NodeDisk());
    const source = readConnector(text, join(directory, 'source.yaml'), { types, environment: {} });
    return TestService.start({ connectors: [source] });
  }

  it.each([
    // The vulnerability, and that the image has it.
    ['scans/shop.json', 'sbom', /,\{"id":"CVE-2099-0002".*?\}\]\}/],
    // The policy, and that the unit has it.
    ['aws/policies-of-ou-ab12-11111111.json', 'aws', /\{"Id".*?\}/],
  ])('%s loses exactly what went', async (file, connector, gone) => {
    const service = await started(connector, { file: dirname(file) });
    const first = await runOf(service);
    await writeFile(join(directory, file), (FILES[file] ?? '').replace(gone, ''));
    const second = await runOf(service);
    await service.stop();

    const deleted = {
      entities_deleted: 1,
      relationships_deleted: 1,
      entities_created: 0,
      entities_updated: 0,
    };
    expect(first).toMatchObject({ status: 'complete', sync: { entities_deleted: 0 } });
    expect(second).toMatchObject({ status: 'complete', sync: deleted });
  });
});
