import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { execFile, execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { connectorMatchers, runConnector } from '#graph/connector';
import { NodeDisk } from '#platform/disk';
import { describeUnless } from '#testing';
import { nmapConnector } from '../../src/connectors/nmap/nmap-connector.ts';
import { emittedEntity, type TestRun } from '../../src/kit/run-connector.ts';

const TYPE = nmapConnector(new NodeDisk());
const run = (file: string): Promise<TestRun> => runConnector(TYPE, { config: { file } });
const keysOf = ({ entities }: TestRun, type: string) =>
  entities.filter((each) => each.type === type).map(({ key }) => key);

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'plexus-nmap-'));
});
afterAll(() => rm(directory, { recursive: true }));

const port = (number: number, state = 'open', inside = '') =>
  `<port protocol="tcp" portid="${number}"><state state="${state}"/>${inside}</port>`;
const host = (address: string, ports: string, { end = 1, more = '' } = {}) =>
  `<host endtime="${end}"><status state="up"/><address addr="${address}" addrtype="ipv4"/>` +
  `${more}<ports>${ports}</ports></host>`;
const report = (hosts: string, exit = '<finished exit="success"/>', services = '') =>
  `<?xml version="1.0"?><!DOCTYPE nmaprun><nmaprun scanner="nmap"><scaninfo protocol="tcp"${services}/>${hosts}<runstats>${exit}</runstats></nmaprun>`;

async function runText(...texts: readonly string[]): Promise<TestRun> {
  const folder = await mkdtemp(join(directory, 'scan-'));
  await Promise.all(texts.map((text, index) => writeFile(join(folder, `${index}.xml`), text)));
  return run(texts.length === 1 ? join(folder, '0.xml') : folder);
}

const SERVICE =
  '<service name="ssh" product="OpenSSH" version="9.2p1" method="probed" conf="10"><cpe>cpe:/a:openbsd:openssh:9.2p1</cpe></service>' +
  '<script id="ssh-hostkey" output="&#xa;  256 ab"><table/></script>';
const OS =
  '<hostnames><hostname name="web-1.corp.example" type="PTR"/></hostnames><os><osmatch name="Linux 4" accuracy="90"/>' +
  '<osmatch name="Linux 6.1" accuracy="97"><osclass><cpe>cpe:/o:linux:linux_kernel:6.1</cpe></osclass></osmatch></os>';

describe('a report of nmap', () => {
  it('has hosts that answer, with open ports, services, CPE names and results of scripts', async () => {
    const down = '<host><status state="down"/><address addr="10.0.0.9" addrtype="ipv4"/></host>';
    const ports = `${port(22, 'open', SERVICE)}${port(53, 'open|filtered')}${port(80, 'closed')}<extraports state="filtered" count="997"/>`;
    const found = await runText(report(host('10.0.0.2', ports, { more: OS }) + down));

    expect(connectorMatchers.toHaveCompleted(found)).toMatchObject({ pass: true });
    expect(emittedEntity(found, 'host', '10.0.0.2').properties).toEqual({
      name: 'web-1.corp.example',
      names: ['web-1.corp.example'],
      address: '10.0.0.2',
      os: 'Linux 6.1',
      os_accuracy: 97,
    });
    expect(keysOf(found, 'port')).toEqual(['10.0.0.2/tcp/22', '10.0.0.2/tcp/53']);
    expect(emittedEntity(found, 'port', '10.0.0.2/tcp/22').properties).toMatchObject({
      service: 'ssh',
      product: 'OpenSSH',
      confidence: 10,
      script_ssh_hostkey: '256 ab',
    });
    expect(found.relationships.map(({ from, verb, to }) => `${from.key} ${verb} ${to.key}`).sort()).toEqual([
      '10.0.0.2 LISTENS_ON 10.0.0.2/tcp/22',
      '10.0.0.2 LISTENS_ON 10.0.0.2/tcp/53',
      '10.0.0.2 RUNS cpe:/o:linux:linux_kernel:6.1',
      '10.0.0.2/tcp/22 RUNS cpe:/a:openbsd:openssh:9.2p1',
    ]);
    expect(found.report.ignored).toEqual({
      'ports that are filtered': 997,
      'ports that are closed': 1,
      'hosts that are down': 1,
    });
  });

  it('is valid until a newer one of the same host and protocol, whatever the order of the files', async () => {
    const older = report(host('10.0.0.2', port(22) + port(80), { end: 10 }));
    const newer = report(host('10.0.0.2', port(443), { end: 20 }));
    const other = report(host('10.0.0.3', port(22), { end: 5 }));

    expect(keysOf(await runText(newer, older, other), 'port')).toEqual([
      '10.0.0.2/tcp/443',
      '10.0.0.3/tcp/22',
    ]);
  });

  it('says nothing of ports that it did not ask: an earlier one does', async () => {
    const success = '<finished exit="success"/>';
    const whole = report(host('10.0.0.2', port(22) + port(80) + port(8005) + port(443), { end: 10 }));
    const some = host('10.0.0.2', port(443), { end: 20 });
    const narrow = report(some, success, ' services="80,443,8000-8010"');

    expect(keysOf(await runText(narrow, whole), 'port').sort()).toEqual([
      '10.0.0.2/tcp/22',
      '10.0.0.2/tcp/443',
    ]);
  });

  it('that gave a host up says nothing of its ports: an earlier one does, else what is known is kept', async () => {
    const givenUp = host('10.0.0.2', '', { end: 20 }).replace('<host ', '<host timedout="true" ');
    const later = report(givenUp + host('10.0.0.3', port(22)));
    const known = await runText(later, report(host('10.0.0.2', port(22), { end: 10 })));
    const unknown = await runText(later);

    expect(known.report.status).toBe('complete');
    expect(keysOf(known, 'port').sort()).toEqual(['10.0.0.2/tcp/22', '10.0.0.3/tcp/22']);
    expect(unknown.report).toMatchObject({
      status: 'partial',
      partial_types: ['cpe', 'RUNS'],
      warnings: [
        'scan: nmap gave up the host 10.0.0.2 (--host-timeout): its ports are not known',
        'scan: the systems and services of 1 host are not known',
      ],
    });
    expect(unknown.unread).toEqual(['host', 'port'].map((type) => ({ type, keyPrefix: '10.0.0.2' })));
    expect(keysOf(unknown, 'host')).toEqual(['10.0.0.3']);
  });

  it('that nmap did not finish is partial: nothing is deleted', async () => {
    const failed = await runText(
      report(host('10.0.0.2', port(22)), '<finished exit="error" errormsg="No route"/>'),
    );

    expect(failed.report).toMatchObject({ status: 'partial', warnings: ['scan: 0.xml: No route'] });
    expect(keysOf(failed, 'port')).toHaveLength(1);
  });

  it.each([
    [
      'that is cut',
      report(host('10.0.0.2', port(22))).slice(0, -40),
      '0.xml: expected the output of nmap in XML, got',
    ],
    [
      'of another tool',
      '<testsuites/>',
      '0.xml: expected the output of nmap in XML, got the element testsuites in line 1',
    ],
    [
      'with a port that is no number',
      report(host('10.0.0.2', '<port portid="x"><state state="open"/></port>')),
      '0.xml: expected the number of a port in line 1, got "x"',
    ],
    [
      'without an address',
      report('<host><status state="up"/></host>'),
      '0.xml: expected an address of the host in line 1',
    ],
    [
      'with entities',
      '<!DOCTYPE nmaprun [<!ENTITY a "b">]><nmaprun/>',
      'a document type with declarations of its own',
    ],
    [
      'in another encoding',
      '<?xml version="1.0" encoding="latin1"?><nmaprun/>',
      'in UTF-8, got the encoding latin1',
    ],
    ['with no text', '', '0.xml: expected the output of nmap in XML, got'],
  ])('%s is refused by file and line', async (_what, text, reason) => {
    const { report: refused } = await runText(text);

    expect(refused.status).toBe('failed');
    expect(refused.steps[0]?.reason).toContain(reason);
  });
});

function isNmapInstalled(): boolean {
  try {
    execFileSync('nmap', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

describeUnless(isNmapInstalled() ? undefined : 'nmap is not installed')('nmap itself', () => {
  it('finds the server that listens on the loopback', async () => {
    // The scan breaks its connections off.
    const server = createServer((socket) => socket.on('error', () => undefined)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    const open = typeof address === 'object' ? (address?.port ?? 0) : 0;
    const file = join(directory, 'loopback.xml');
    await promisify(execFile)('nmap', ['-sT', '-p', `${open},1`, '-oX', file, '127.0.0.1']);
    server.close();
    const found = await run(file);

    expect(found.report.status).toBe('complete');
    expect(keysOf(found, 'port')).toEqual([`127.0.0.1/tcp/${open}`]);
    expect(emittedEntity(found, 'host', '127.0.0.1').properties['address']).toBe('127.0.0.1');
  });
});
