import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { execFile, execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { promisify } from 'node:util';
import { connectorMatchers, runConnector } from '#graph/connector';
import { NodeDisk } from '#platform/disk';
import { describeUnless } from '#testing';
import { hostConnector } from '../../src/connectors/host/host-connector.ts';
import type { TestRun } from '../../src/kit/run-connector.ts';
import { berkeleyDatabase, ndbDatabase, rpmHeader, rpmHeaderWithSum } from './rpm-bytes.ts';

const BASH = { 1000: 'bash', 1001: '5.2', 1002: '4', 1022: 'x86_64', 1014: 'GPL '.repeat(300) };
const KEY = { 1000: 'gpg-pubkey', 1001: 'a1', 1002: 'b2' };
const ZLIB = { 1000: 'zlib', 1001: '1', 1002: '2', 1003: 3 };
const KEYS = ['fedora/bash@5.2-4?arch=x86_64&distro=fedora-41', 'fedora/zlib@1-2?distro=fedora-41&epoch=3'];
const HEADERS = [rpmHeaderWithSum(BASH), rpmHeader(KEY), rpmHeader(ZLIB)];

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'plexus-rpm-'));
});
afterAll(() => rm(directory, { recursive: true }));

async function rootWith(name: string, bytes: Uint8Array): Promise<string> {
  const root = await mkdtemp(join(directory, 'root-'));
  await mkdir(join(root, 'var/lib/rpm'), { recursive: true });
  await mkdir(join(root, 'etc'));
  await writeFile(join(root, 'etc/os-release'), 'ID=fedora\nVERSION_ID=41\n');
  await writeFile(join(root, 'var/lib/rpm', name), bytes);
  return root;
}
const collect = (root: string): Promise<TestRun> =>
  runConnector(hostConnector(new NodeDisk()), { config: { root, name: 'h' } });
const packagesIn = ({ entities }: TestRun): readonly string[] =>
  entities.filter(({ type }) => type === 'rpm_package').map(({ key }) => key);
const reasonOf = ({ report }: TestRun): string | undefined =>
  report.steps.find(({ status }) => status === 'failed')?.reason;
const changedAt = (bytes: Buffer, at: number): Buffer => {
  const copy = Buffer.from(bytes);
  copy.writeUInt8(copy.readUInt8(at) ^ 1, at);
  return copy;
};

const DATABASES = [
  ['Packages.db', ndbDatabase(HEADERS)],
  ['Packages', berkeleyDatabase(HEADERS)],
  ['Packages', berkeleyDatabase(HEADERS, false)],
] as const;

describe('an older database of rpm', () => {
  it.each(DATABASES)('%s has its packages, without keys (%#)', async (name, bytes) => {
    const found = await collect(await rootWith(name, bytes));

    expect(connectorMatchers.toHaveCompleted(found)).toMatchObject({ pass: true });
    expect(packagesIn(found)).toEqual(KEYS);
  });

  it.each(DATABASES)('%s is refused wherever it is cut (%#)', async (name, bytes) => {
    for (const part of [0.01, 0.3, 0.6, 0.99]) {
      const found = await collect(await rootWith(name, bytes.subarray(0, bytes.length * part)));

      expect(packagesIn(found)).toEqual([]);
      expect(reasonOf(found)).toMatch(new RegExp(`expected .* in ${name}$`));
    }
  });

  it.each(DATABASES)('%s is refused if a text in it has changed (%#)', async (name, bytes) => {
    const found = await collect(await rootWith(name, changedAt(bytes, bytes.indexOf('GPL GPL'))));

    expect(reasonOf(found)).toMatch(/expected the (?:blob of package 1|header of a package in value 1)/);
  });

  it.each([
    ['Packages.db', ndbDatabase(HEADERS), 0, 'expected a database of rpm of its own format (ndb)'],
    ['Packages.db', ndbDatabase(HEADERS), 32, 'expected a slot at byte 32'],
    ['Packages', berkeleyDatabase(HEADERS), 12, 'expected a hash of Berkeley DB, got another file'],
    ['Packages', berkeleyDatabase(HEADERS), 24, 'expected a hash of Berkeley DB, got another file'],
    ['Packages', berkeleyDatabase(HEADERS), 512 + 8, 'expected page 1, got 0'],
    ['Packages', berkeleyDatabase(HEADERS), 512 + 25, 'expected 4 keys, got 0'],
    ['Packages', berkeleyDatabase(HEADERS), 1024 + 25, 'expected a page of a long value at byte 1024'],
  ])('%s that is damaged is refused by name (%#)', async (name, bytes, at, reason) => {
    expect(reasonOf(await collect(await rootWith(name, changedAt(bytes, at))))).toContain(reason);
  });
});

function missing(): string | undefined {
  try {
    for (const command of ['rpm', 'rpmbuild']) execFileSync(command, ['--version'], { stdio: 'ignore' });
    const backend = execFileSync('rpm', ['--eval', '%{_db_backend}']).toString().trim();
    return backend === 'sqlite' ? undefined : `rpm writes ${backend}, not SQLite`;
  } catch {
    return 'rpm or rpmbuild is not installed';
  }
}

describeUnless(missing())('rpm itself', () => {
  let root: string;
  let packages: string;
  const rpm = async (...args: readonly string[]): Promise<string> => {
    const path = join(root, 'var/lib/rpm');
    return (await promisify(execFile)('rpm', ['--dbpath', path, ...args], { cwd: packages })).stdout.trim();
  };
  const names = (found: TestRun): readonly string[] =>
    packagesIn(found).map((key) => key.replace(/^fedora\/|\?.*$/g, ''));

  async function build(name: string, { epoch = '', subpackages = 0 } = {}): Promise<void> {
    const parts = Array.from(
      { length: subpackages },
      (_, index) =>
        `%package p${index}\nSummary: x\n%description p${index}\n${'y '.repeat(3_000)}\n%files p${index}\n`,
    );
    const spec = `Name: ${name}\nVersion: 1.0~rc1\nRelease: 2\nSummary: x\nLicense: MIT\nBuildArch: noarch\n${epoch}
%description\nx\n%files\n${parts.join('')}`;
    await writeFile(join(packages, `${name}.spec`), spec);
    const define = [`_topdir ${packages}/top`, `_rpmdir ${packages}`, '_rpmfilename %%{NAME}.rpm'];
    const args = define.flatMap((each) => ['--define', each]);
    await promisify(execFile)('rpmbuild', [...args, '-bb', `${name}.spec`], { cwd: packages });
  }

  beforeAll(async () => {
    root = await rootWith('x', Buffer.alloc(0));
    packages = await mkdtemp(join(directory, 'packages-'));
    await build('alpha', { subpackages: 40 });
    await build('beta-tools', { epoch: 'Epoch: 2\n' });
    const files = ['alpha', 'beta-tools', ...Array.from({ length: 40 }, (_, at) => `alpha-p${at}`)];
    await rpm('--initdb');
    await rpm(
      '-i',
      '--justdb',
      '--nodeps',
      '--noscripts',
      '--nosignature',
      ...files.map((name) => `${name}.rpm`),
    );
  }, 120_000);

  it('lists the packages that are read, and no longer one that was removed', async () => {
    const query = ['-qa', '--qf', '%{name}@%{version}-%{release}\n'];
    const stated = (await rpm(...query)).split('\n').sort();
    const before = await collect(root);
    await rpm('-e', '--justdb', '--nodeps', '--noscripts', 'beta-tools');
    const after = await collect(root);

    expect(connectorMatchers.toHaveCompleted(before)).toMatchObject({ pass: true });
    expect(stated).toHaveLength(42);
    expect([...names(before)].sort()).toEqual(stated);
    expect(packagesIn(before)).toContain('fedora/beta-tools@1.0~rc1-2?arch=noarch&distro=fedora-41&epoch=2');
    expect([...names(after)].sort()).toEqual((await rpm(...query)).split('\n').sort());
    expect(names(after)).toHaveLength(41);
  }, 120_000);

  it('has changes that are not written back, and the same headers in older databases', async () => {
    const path = join(root, 'var/lib/rpm/rpmdb.sqlite');
    const database = new DatabaseSync(path);
    try {
      const rows = database.prepare('SELECT blob FROM Packages ORDER BY hnum').all();
      const headers = rows.map(({ blob }) => Buffer.from(blob as Uint8Array));
      const whole = await collect(root);
      const older = await collect(await rootWith('Packages.db', ndbDatabase(headers)));
      database.exec('PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0; CREATE TABLE more (x)');
      const open = await collect(root);

      expect(packagesIn(older)).toEqual(packagesIn(whole));
      expect(connectorMatchers.toHaveCompleted(older)).toMatchObject({ pass: true });
      expect(open.report.status).toBe('partial');
      expect(open.report.warnings.join()).toContain('changes in rpmdb.sqlite-wal are not read');
    } finally {
      database.close();
    }
  }, 120_000);

  it('has a database that is refused wherever a page of it is damaged', async () => {
    const bytes = await readFile(join(root, 'var/lib/rpm/rpmdb.sqlite'));
    const whole = packagesIn(await collect(root));
    let refused = 0;
    for (let at = 4096; at < bytes.length; at += 4096) {
      const damaged = Buffer.from(bytes).fill(0, at, at + 4096);
      const found = await collect(await rootWith('rpmdb.sqlite', damaged));
      if (reasonOf(found) === undefined) expect(packagesIn(found)).toEqual(whole);
      else refused++;
    }

    expect(refused).toBeGreaterThan(0);
  }, 120_000);
});
