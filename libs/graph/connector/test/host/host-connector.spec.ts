import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { promisify } from 'node:util';
import { connectorMatchers, runConnector } from '#graph/connector';
import { DiskError, NodeDisk } from '#platform/disk';
import { hostConnector } from '../../src/connectors/host/host-connector.ts';
import { emittedEntity, type TestRun } from '../../src/kit/run-connector.ts';
import { rpmHeader } from './rpm-bytes.ts';

const TYPE = hostConnector(new NodeDisk());
const run = (config: Readonly<Record<string, unknown>>): Promise<TestRun> => runConnector(TYPE, { config });
const keysOf = ({ entities }: TestRun, type: string) =>
  entities.filter((each) => each.type === type).map(({ key }) => key);
const sentences = ({ relationships }: TestRun, verb: string) =>
  relationships.filter((each) => each.verb === verb).map(({ from, to }) => `${from.key} ${to.key}`);

const STATUS = `Package: openssl
Status: install ok installed
Architecture: amd64
Version: 3.0.15-1~deb12u1
Description: tools
 .
 more

Package: libssl3
Status: install ok installed
Architecture: amd64
Source: openssl (3.0.15-1~deb12u1)
Version: 3.0.15-1~deb12u1

Package: gone
Status: deinstall ok config-files
Architecture: all
Version: 1
`;

const FILES: Readonly<Record<string, string>> = {
  'etc/hostname': '# name\nweb-1\n',
  'usr/lib/os-release': 'ID=debian\nVERSION_ID="12"\nPRETTY_NAME="Debian \\"12\\""\n',
  'etc/passwd':
    'root:x:0:0:root:/root:/bin/bash\nwww:x:33:33:web,,,:/var/www:/usr/sbin/nologin\n# none\n\n+nis::0:0:::\n',
  'etc/group': 'root:x:0:\nwww:x:33:\nssl-cert:x:110:www\n',
  'var/lib/dpkg/status': STATUS,
  'var/lib/dpkg/status.d/tzdata': 'Package: tzdata\nVersion: 2025a\nArchitecture: all\n',
  'lib/apk/db/installed':
    'C:Q1\nP:musl\nV:1.2.5-r0\nA:x86_64\nL:MIT\no:musl\n\nP:busybox-sh\nV:1.36\no:busybox\n\n',
  'usr/lib/systemd/system/nginx.service':
    '[Unit]\nDescription=web\n[Service]\nUser=www\nExecStart=-/usr/sbin/nginx \\\n  -g secret\n',
  'usr/lib/systemd/system/getty@.service': '[Service]\n',
  'etc/systemd/system/nginx.service':
    '[Unit]\nDescription=own web\n[Service]\nUser=www\nExecStart=/opt/nginx\n',
  'proc/net/tcp':
    '  sl  local_address rem_address   st tx rx tr when retrnsmt   uid  timeout inode\n' +
    '   0: 0100007F:1538 00000000:0000 0A 0:0 00:0 00000000    33        0 501 1\n' +
    '   1: 0200000A:B16F 0300000A:01BB 01 0:0 00:0 00000000     0        0 502 1\n',
  'proc/net/tcp6':
    'head\n   0: 00000000000000000000000000000000:01BB 00000000000000000000000000000000:0000 0A 0:0 00:0 0 0 0 503 1\n' +
    '   1: B80D01200000000067452301EFCDAB89:0050 00000000000000000000000000000000:0000 0A 0:0 00:0 0 7 0 504 1\n',
  'proc/7/comm': 'nginx\n',
  'proc/7/cgroup': '0::/system.slice/nginx.service\n',
  'proc/net/route':
    'Iface\tDestination\tGateway\tFlags\tRefCnt\tUse\tMetric\tMask\neth0\t0000000A\t00000000\t1\t0\t0\t0\t00FFFFFF\n',
  'proc/net/fib_trie':
    '     |-- 10.0.0.2\n        /32 host LOCAL\n     |-- 127.0.0.1\n        /32 host LOCAL\n',
  'proc/net/if_inet6': '20010db8000000000123456789abcdef 02 40 00 80     eth0\n',
  'sys/devices/eth0/address': '02:00:00:00:00:01\n',
  'sys/devices/eth0/operstate': 'up\n',
};

const LINKS: Readonly<Record<string, string>> = {
  // A target with its full path is below the root as well.
  'etc/os-release': '/usr/lib/os-release',
  'etc/systemd/system/multi-user.target.wants/nginx.service': '/usr/lib/systemd/system/nginx.service',
  'etc/systemd/system/old.service': '/dev/null',
  'sys/class/net/eth0': '../../devices/eth0',
  'sys/class/net/lo': '../../devices/lo',
  'proc/7/fd/4': 'socket:[501]',
  'proc/7/exe': '/usr/sbin/nginx (deleted)',
};

let root: string;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'plexus-host-'));
  for (const [path, text] of Object.entries(FILES)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
  for (const [path, target] of Object.entries(LINKS)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await symlink(target, join(root, path));
  }
});
afterAll(() => rm(root, { recursive: true }));

/** The files of the machine, with some of them changed or removed. */
async function changed(changes: Readonly<Record<string, string | undefined>>): Promise<string> {
  const copy = await mkdtemp(join(root, 'copy-'));
  for (const folder of ['etc', 'usr', 'var', 'lib', 'proc', 'sys'])
    await cp(join(root, folder), join(copy, folder), { recursive: true, verbatimSymlinks: true });
  for (const [path, text] of Object.entries(changes)) {
    await mkdir(dirname(join(copy, path)), { recursive: true });
    // A new file in place of a link, whose target may be outside.
    await rm(join(copy, path), { force: true });
    if (text !== undefined) await writeFile(join(copy, path), text);
  }
  return copy;
}

/** Units may be read by root only. */
class ClosedDisk extends NodeDisk {
  override open(...args: Parameters<NodeDisk['open']>): ReturnType<NodeDisk['open']> {
    if (args[0].endsWith('.service')) throw new DiskError('EACCES', 'open', args[0]);
    return super.open(...args);
  }
}

async function withRpm(blobs: readonly Buffer[]): Promise<string> {
  const copy = await changed({
    'usr/lib/os-release': 'ID=fedora\nVERSION_ID=41\n',
    'usr/lib/sysimage/rpm/x': '',
  });
  const database = new DatabaseSync(join(copy, 'usr/lib/sysimage/rpm/rpmdb.sqlite'));
  database.exec('CREATE TABLE Packages (hnum INTEGER PRIMARY KEY, blob BLOB NOT NULL)');
  for (const blob of blobs) database.prepare('INSERT INTO Packages (blob) VALUES (?)').run(blob);
  database.close();
  return copy;
}

describe('the files of a machine', () => {
  it('are a host with packages under the keys of package URLs', async () => {
    const found = await run({ root });

    expect(connectorMatchers.toHaveCompleted(found)).toMatchObject({ pass: true });
    expect(emittedEntity(found, 'host', 'web-1').properties).toEqual({
      name: 'web-1',
      os: 'Debian "12"',
      os_id: 'debian',
      os_version: '12',
      addresses: ['10.0.0.2', '2001:db8::123:4567:89ab:cdef'],
    });
    expect(keysOf(found, 'deb_package').sort()).toEqual([
      'debian/libssl3@3.0.15-1~deb12u1?arch=amd64&distro=debian-12',
      'debian/openssl@3.0.15-1~deb12u1?arch=amd64&distro=debian-12',
      'debian/tzdata@2025a?arch=all&distro=debian-12',
    ]);
    expect(keysOf(found, 'apk_package')).toEqual([
      'debian/musl@1.2.5-r0?arch=x86_64&distro=debian-12',
      'debian/busybox-sh@1.36?distro=debian-12',
    ]);
    expect(found.entities.find(({ key }) => key.startsWith('debian/libssl3'))?.properties).toMatchObject({
      source_name: 'openssl',
      source_version: '3.0.15-1~deb12u1',
    });
  });

  it('are accounts with their groups, and services with their users', async () => {
    const found = await run({ root });

    expect(keysOf(found, 'local_user')).toEqual(['web-1/root', 'web-1/www']);
    expect(emittedEntity(found, 'local_user', 'web-1/www').properties).toMatchObject({
      comment: 'web',
      can_login: false,
    });
    expect(sentences(found, 'MEMBER_OF')).toEqual([
      'web-1/root web-1/root',
      'web-1/www web-1/www',
      'web-1/www web-1/ssl-cert',
    ]);
    expect(keysOf(found, 'service').sort()).toEqual(['web-1/nginx.service', 'web-1/old.service']);
    expect(emittedEntity(found, 'service', 'web-1/nginx.service').properties).toMatchObject({
      description: 'own web',
      program: '/opt/nginx',
      enabled: true,
      masked: false,
    });
    expect(sentences(found, 'RUNS_AS')).toEqual(['web-1/nginx.service web-1/www']);
  });

  it('are the ports that listen, with their processes', async () => {
    const found = await run({ root });

    expect(keysOf(found, 'port')).toEqual([
      'web-1/tcp/127.0.0.1:5432',
      'web-1/tcp/[::]:443',
      'web-1/tcp/[2001:db8::123:4567:89ab:cdef]:80',
    ]);
    expect(emittedEntity(found, 'port', 'web-1/tcp/127.0.0.1:5432').properties).toMatchObject({
      exposed: false,
      process: 'nginx',
      program: '/usr/sbin/nginx',
      user: 'www',
    });
    expect(emittedEntity(found, 'port', 'web-1/tcp/[::]:443').properties).toMatchObject({ exposed: true });
    expect(sentences(found, 'LISTENS_ON')).toContain('web-1/nginx.service web-1/tcp/127.0.0.1:5432');
    expect(found.report.ignored).toEqual({ 'processes of ports of other users': 2 });
  });

  it('are packages of rpm with their epochs, without keys', async () => {
    const bash = { 1000: 'bash', 1001: '5.2.26', 1002: '4.fc41', 1003: 0, 1014: 'GPL', 1022: 'x86_64' };
    const bind = {
      1000: 'bind-libs',
      1001: '9.18',
      1002: '1',
      1003: 32,
      1022: 'x86_64',
      1044: 'bind-9.18-1.src.rpm',
    };
    const key = { 1000: 'gpg-pubkey', 1001: 'a1', 1002: 'b2' };
    const found = await run({ root: await withRpm([bash, bind, key].map(rpmHeader)) });

    expect(keysOf(found, 'rpm_package')).toEqual([
      'fedora/bash@5.2.26-4.fc41?arch=x86_64&distro=fedora-41',
      'fedora/bind-libs@9.18-1?arch=x86_64&distro=fedora-41&epoch=32',
    ]);
    expect(found.entities.find(({ key: name }) => name.includes('bind'))?.properties).toMatchObject({
      source_name: 'bind',
      epoch: '32',
    });
  });

  it('are the packages of dpkg whose files are there, in whatever state', async () => {
    const states = ['half-installed', 'unpacked', 'half-configured', 'triggers-awaited', 'triggers-pending'];
    const gone = ['purge ok not-installed', 'deinstall ok config-files'];
    const status = [...states.map((state) => `install ok ${state}`), 'deinstall ok installed', ...gone]
      .map((text, index) => `Package: p${index}\nStatus: ${text}\nVersion: 1\n`)
      .join('\n');
    const found = await run({ root: await changed({ 'var/lib/dpkg/status': status }) });

    expect(found.report.status).toBe('complete');
    expect(
      found.entities
        .filter(({ key }) => key.startsWith('debian/p'))
        .map(({ properties }) => properties['state'] ?? 'installed'),
    ).toEqual([...states, 'installed']);
  });

  it.each<[string, string, string]>([
    ['var/lib/dpkg/status', `${STATUS}\nPackage: cut\nSta`, 'expected a package with its status in line 20'],
    ['var/lib/dpkg/status', `${STATUS}\n\0\0\0\n`, 'expected a package with its status in line 20'],
    [
      'var/lib/dpkg/status',
      `${STATUS}\nPackage: odd\nStatus: install ok\nVersion: 1\n`,
      'expected a package with its status in line 20',
    ],
    [
      'var/lib/dpkg/status',
      `${STATUS}\nPackage: odd\nStatus: install ok installed\n`,
      'expected the version of odd in line 20',
    ],
    ['var/lib/dpkg/status', STATUS.slice(0, -2), 'expected the end of line 18, got the end of the file'],
    ['var/lib/dpkg/status.d/tzdata', 'Package: tzdata\n', 'expected the version of tzdata in line 1'],
    ['lib/apk/db/installed', 'P:musl\n\nP:zlib\nV:1\n\n', 'expected the version (V:) of musl in line 1'],
    ['lib/apk/db/installed', 'P:musl\nV:1\n\nV:1\n\n', 'expected the name of a package (P:) in line 4'],
    ['lib/apk/db/installed', 'P:musl\nV:1.2', 'expected the end of line 2, got the end of the file'],
    [
      'etc/passwd',
      'root:x:0:0:root:/root:/bin/sh\nweb:x:33\n',
      'expected 7 fields with a name and a number in line 2',
    ],
    [
      'etc/passwd',
      'root:x:zero:0:root:/root:/bin/sh\n',
      'expected 7 fields with a name and a number in line 1',
    ],
    ['etc/group', 'root:x:0:\n:x:1:\n', 'expected 4 fields with a name and a number in line 2'],
  ])('of which %s is damaged are partial, with the line (%#)', async (path, text, reason) => {
    const found = await run({ root: await changed({ [path]: text }) });

    expect(found.report.status).toBe('partial');
    expect(found.report.warnings.join('\n')).toContain(`/${path}: ${reason}`);
  });

  it('with changes that rpm has not written back are partial', async () => {
    const root = await withRpm([rpmHeader({ 1000: 'a', 1001: '1' })]);
    for (const name of ['rpmdb.sqlite-wal', 'rpmdb.sqlite-journal']) {
      const log = join(root, 'usr/lib/sysimage/rpm', name);
      await writeFile(log, '');
      const clean = await run({ root });
      await writeFile(log, 'x');
      const open = await run({ root });
      await rm(log);

      expect(clean.report.status).toBe('complete');
      expect(open.report).toMatchObject({ status: 'partial', partial_types: ['rpm_package', 'CONTAINS'] });
      expect(open.report.warnings[0]).toContain(`/usr/lib/sysimage/rpm: changes in ${name}`);
    }
  });

  it('are read below the root, wherever links of directories lead', async () => {
    const copy = await changed({ 'srv/dpkg/status': STATUS.replaceAll('openssl', 'inside') });
    await rm(join(copy, 'var/lib/dpkg'), { recursive: true });
    await symlink('/srv/dpkg', join(copy, 'var/lib/dpkg'));
    await rm(join(copy, 'lib'), { recursive: true });
    await symlink('../../../../../..', join(copy, 'lib'));
    const found = await run({ root: copy });

    expect(keysOf(found, 'deb_package')).toEqual([
      'debian/inside@3.0.15-1~deb12u1?arch=amd64&distro=debian-12',
      'debian/libssl3@3.0.15-1~deb12u1?arch=amd64&distro=debian-12',
    ]);
    expect(keysOf(found, 'service')).toContain('web-1/nginx.service');
  });

  it('are services as other files change them, and no user where systemd makes one', async () => {
    const units = 'usr/lib/systemd/system';
    const root = await changed({
      'etc/passwd': `${FILES['etc/passwd']}app:x:9:9::/:/bin/sh\n`,
      'etc/systemd/system/nginx.service.d/20-user.conf': '[Service]\nUser=app\n',
      [`${units}/nginx.service.d/20-user.conf`]: '[Service]\nUser=root\n',
      'etc/systemd/system/nginx.service.d/10-start.conf':
        '[Service]\nUser=www\nExecStart=\nExecStart=/opt/b\n',
      [`${units}/own.service`]: '[Service]\nDynamicUser=yes\nExecStart=/own\n',
      'opt/linked.service': '[Service]\nExecStart=/linked\n',
    });
    await symlink('/opt/linked.service', join(root, 'etc/systemd/system/linked.service'));
    await symlink('/usr/lib/systemd/system/own.service', join(root, 'etc/systemd/system/alias.service'));
    const found = await run({ root });

    expect(sentences(found, 'RUNS_AS').sort()).toEqual([
      'web-1/linked.service web-1/root',
      'web-1/nginx.service web-1/app',
    ]);
    expect(emittedEntity(found, 'service', 'web-1/nginx.service').properties['program']).toBe('/opt/b');
    expect(keysOf(found, 'service').sort()).toEqual(
      ['linked', 'nginx', 'old', 'own'].map((name) => `web-1/${name}.service`),
    );
  });

  it('are services that are kept where their files may not be read', async () => {
    const root = await changed({});
    const found = await runConnector(hostConnector(new ClosedDisk()), { config: { root } });

    expect(found.report).toMatchObject({
      status: 'partial',
      warnings: ['services: the files of the service nginx.service may not be read'],
    });
    expect(found.unread).toEqual([{ type: 'service', keyPrefix: 'web-1/nginx.service' }]);
    expect(keysOf(found, 'service')).toEqual(['web-1/old.service']);
  });

  it('have groups with members from elsewhere, which are external', async () => {
    const found = await run({ root: await changed({ 'etc/group': 'docker:x:9:www,alice@corp\n' }) });

    expect(found.report).toMatchObject({ status: 'complete', external_count: 1 });
    expect(sentences(found, 'MEMBER_OF')).toEqual(['web-1/www web-1/docker']);
  });

  it.each<[string, () => Promise<string>, string]>([
    ['no name', () => changed({ 'etc/hostname': '\n' }), 'expected the name of the machine in etc/hostname'],
    [
      'a cut header',
      () => withRpm([rpmHeader({ 1000: 'a', 1001: '1' }).subarray(0, 30)]),
      'in row 1 of rpmdb.sqlite',
    ],
    [
      'no database',
      () =>
        changed({
          'var/lib/rpm/rpmdb.sqlite': 'no database at all, but some other text that is long enough',
        }),
      'expected the SQLite database of rpm, got: file is not a database',
    ],
  ])('are refused with %s, by name', async (_what, prepare, reason) => {
    const found = await run({ root: await prepare() });
    const failed = found.report.steps.find(({ status }) => status === 'failed');

    expect(failed?.reason).toContain(reason);
  });

  it('of an image have no ports, and take the name of the configuration', async () => {
    const copy = await changed({ 'etc/hostname': undefined });
    await rm(join(copy, 'proc'), { recursive: true });
    await rm(join(copy, 'sys'), { recursive: true });
    const found = await run({ root: copy, name: 'image' });

    expect(found.report.status).toBe('complete');
    expect(keysOf(found, 'host')).toEqual(['image']);
    expect(keysOf(found, 'port')).toEqual([]);
  });
});

describe('this machine', () => {
  it('has the packages that dpkg counts, the accounts of its files, and a port that is opened', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : 0;
    const found = await run({});
    server.close();
    const { stdout } = await promisify(execFile)('dpkg-query', [
      '-W',
      '-f',
      '${db:Status-Status} ${Package}\n',
    ]).catch(() => ({ stdout: '' }));
    const installed = stdout.split('\n').filter((line) => line.startsWith('installed ')).length;
    const accounts = (await readFile('/etc/passwd', 'utf8')).trim().split('\n').length;

    expect(connectorMatchers.toHaveCompleted(found)).toMatchObject({ pass: true });
    expect(keysOf(found, 'deb_package')).toHaveLength(installed);
    expect(keysOf(found, 'local_user')).toHaveLength(accounts);
    const own = found.entities.find(({ type, properties }) => type === 'port' && properties['port'] === port);
    expect(own?.properties).toMatchObject({
      address: '127.0.0.1',
      exposed: false,
      program: process.execPath,
    });
  });
});
