import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { FieldValue } from '#graph/model';
import { NodeDisk } from '#platform/disk';
import { emittedEntity, runConnector, type TestRun } from '../../kit/run-connector.ts';
import { GraphEntities, type KnownEntity } from '../../run/graph-entities.port.ts';
import { writeTestZip } from '#graph/testing';
import { advisoriesConnector } from './advisories-connector.ts';

interface Listed {
  readonly type: string;
  readonly key: string;
  readonly fields: Readonly<Record<string, FieldValue>>;
  readonly owners?: readonly string[];
}

class ListedGraph extends GraphEntities {
  readonly #list: readonly Listed[];

  constructor(list: readonly Listed[]) {
    super();
    this.#list = list;
  }

  override *ofType(type: string): Iterable<KnownEntity> {
    for (const { key, fields, owners = ['bill'], ...each } of this.#list)
      if (each.type === type)
        yield {
          key,
          connectorId: owners[0] ?? '',
          field: (name) => fields[name],
          isStatedByOthers: (own) => owners.some((owner) => owner !== own),
        };
  }
}

/** Each directory seems to have further files. */
class CrowdedDisk extends NodeDisk {
  override async list(path: string): Promise<readonly string[]> {
    return [...(await super.list(path)), ...Array.from({ length: 10_000 }, (_, index) => `${index}.txt`)];
  }
}

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'plexus-advisories-'));
});
afterAll(() => rm(directory, { recursive: true }));

const PACKAGES: readonly Listed[] = [
  ['npm_package', 'lodash@4.17.20'],
  ['npm_package', 'lodash@4.17.21'],
  ['pypi_package', 'zope.interface@5.0rc1'],
  ['maven_package', 'org.acme/tool@1.0-SNAPSHOT'],
  ['golang_package', 'github.com/acme/x@v1.2.3'],
  ['cargo_package', 'tokio@1.8.0'],
  ['deb_package', 'debian/libssl3@3.0.11-1', 'pkg:deb/debian/libssl3@3.0.11-1?distro=debian-12.5', 'openssl'],
  ['deb_package', 'debian/zlib1g@1:1.2.13', 'pkg:deb/debian/zlib1g@1:1.2.13?distro=bookworm&upstream=zlib'],
  [
    'deb_package',
    'ubuntu/zlib1g@1:1.2.13',
    'pkg:deb/ubuntu/zlib1g@1:1.2.13?distro=ubuntu-22.04&upstream=zlib',
  ],
  ['deb_package', 'debian/nowhere@1', 'pkg:deb/debian/nowhere@1'],
  ['rpm_package', 'rocky/bash@5.1.8-6.el9', 'pkg:rpm/rocky/bash@5.1.8-6.el9?distro=rocky-9.3&epoch=1'],
  [
    'rpm_package',
    'alma/openssl-libs@1.1.1k-4.el8',
    'pkg:rpm/alma/openssl-libs@1.1.1k-4.el8?distro=alma-8.5&epoch=1',
  ],
].map(([type = '', key = '', purl, source]) => {
  const [, name = '', version = ''] = /^(.*)@(.*)$/.exec(key) ?? [];
  const built = source === undefined ? {} : { source_name: source, source_version: version };
  return { type, key, fields: { name, version, purl, ...built } };
});

const advisory = (
  id: string,
  [ecosystem, name]: readonly [ecosystem: string, name: string],
  events: readonly object[],
  more: object = {},
) => ({
  id,
  modified: '2026-01-01T00:00:00Z',
  affected: [{ package: { ecosystem, name }, ranges: [{ type: 'ECOSYSTEM', events }] }],
  ...more,
});
const until = (fixed: string, introduced = '0') => [{ introduced }, { fixed }];

let number = 0;
async function read(
  files: { readonly osv?: readonly object[]; readonly epss?: string | Uint8Array; readonly kev?: object },
  graph: readonly Listed[] = PACKAGES,
): Promise<TestRun> {
  const folder = join(directory, String(++number));
  await mkdir(join(folder, 'osv'), { recursive: true });
  const { osv, epss, kev } = files;
  for (const [index, each] of (osv ?? []).entries())
    await writeFile(join(folder, 'osv', `${index}.json`), JSON.stringify(each));
  if (epss !== undefined) await writeFile(join(folder, 'epss.csv'), epss);
  if (kev !== undefined) await writeFile(join(folder, 'kev.json'), JSON.stringify(kev));
  const config = {
    ...(osv !== undefined && { osv: join(folder, 'osv') }),
    ...(epss !== undefined && { epss: join(folder, 'epss.csv') }),
    ...(kev !== undefined && { kev: join(folder, 'kev.json') }),
  };
  return runConnector(advisoriesConnector(new NodeDisk()), { config, graph: new ListedGraph(graph) });
}
const sentences = ({ relationships }: TestRun): readonly string[] =>
  relationships.map(({ from, verb, to }) => `${from.key} ${verb} ${to.key}`).sort();

describe('the advisories connector', () => {
  it('matches the origin of packages of Alpine, of its release', async () => {
    const apk = (key: string, source?: string) => {
      const [, name = '', version = ''] = /^alpine\/([^@]+)@([^?]+)/.exec(key) ?? [];
      return { type: 'apk_package', key, fields: { name, version, source_name: source } };
    };
    const graph = [
      apk('alpine/libssl3@3.1.4-r1?arch=x86_64&distro=alpine-3.18.4', 'openssl'),
      apk('alpine/libcrypto3@3.1.4-r3?arch=x86_64&distro=3.18.4', 'openssl'),
      apk('alpine/openssl@3.1.4-r1?distro=alpine-3.17.0'),
    ];
    const fixed = [{ introduced: '0' }, { fixed: '3.1.4-r2' }];
    const found = await read({ osv: [advisory('A-1', ['Alpine:v3.18', 'openssl'], fixed)] }, graph);

    expect(sentences(found)).toEqual(['alpine/libssl3@3.1.4-r1?arch=x86_64&distro=alpine-3.18.4 HAS A-1']);
  });

  it('counts advisories of Ubuntu for subscribers, whose packages are others', async () => {
    const graph = ['18.04', '22.04'].map((release) => ({
      type: 'deb_package',
      key: `ubuntu/openssl@1.1?distro=ubuntu-${release}`,
      fields: { name: 'openssl', version: '1.1' },
    }));
    const osv = [
      advisory('U-1', ['Ubuntu:Pro:18.04:LTS', 'openssl'], until('1.2')),
      advisory('U-2', ['Ubuntu:22.04:LTS', 'openssl'], until('1.2')),
    ];
    const found = await read({ osv }, graph);

    expect(sentences(found)).toEqual(['ubuntu/openssl@1.1?distro=ubuntu-22.04 HAS U-2']);
    expect(found.report.ignored).toEqual({
      'packages of the ecosystem Ubuntu Pro': 1,
      'packages of ubuntu 18.04, of which there are no advisories': 1,
    });
  });

  it('does not compare versions of modules of RPM, whose streams are not known, and counts the packages', async () => {
    const rpm = (name: string, version: string) => ({
      type: 'rpm_package',
      key: `almalinux/${name}@${version}?distro=almalinux-8.5`,
      fields: { name, version },
    });
    const graph = [
      rpm('php', '7.2.24-1.module_el8.5.0+152+112d3b8c'),
      rpm('perl', '5.26.3-419.el8'),
      rpm('bash', '4.4-1.el8'),
    ];
    const events = (fixed: string) => [{ introduced: '0' }, { fixed }];
    const found = await read(
      {
        osv: [
          advisory('A-1', ['AlmaLinux:8', 'php'], events('8.0.13-1.module_el8.6.0+2739+efabdb8f')),
          advisory('A-2', ['AlmaLinux:8', 'perl'], events('5.30.1-452.module+el8.6.0+2766+8bf0b7ce')),
          advisory('A-3', ['AlmaLinux:8', 'bash'], events('4.4-2.el8')),
        ],
      },
      graph,
    );

    expect(sentences(found).map((each) => each.replace(/.* HAS/, 'HAS'))).toEqual(['HAS A-3']);
    expect(found.report.ignored).toEqual({
      'packages of modules of RPM, whose streams advisories do not say': 1,
    });
  });

  it('counts versions that cannot be compared, and entries that name no package', async () => {
    const graph = ['1.0.0', 'latest', 'v-next'].map((version) => ({
      type: 'npm_package',
      key: `a@${version}`,
      fields: { name: 'a', version },
    }));
    const vector = 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H';
    const a = advisory('A-1', ['npm', 'a'], until('2.0.0'));
    const of = { ...a.affected[0], severity: [{ type: 'CVSS_V3', score: vector }] };
    const osv = [
      { ...a, affected: [of] },
      {
        ...advisory('A-2', ['npm', 'a'], until('0.1.0')),
        affected: [{ ranges: [{ type: 'GIT', events: [] }] }],
      },
    ];
    const found = await read({ osv }, graph);

    expect(sentences(found)).toEqual(['a@1.0.0 HAS A-1']);
    expect(emittedEntity(found, 'vulnerability', 'A-1').properties['cvss']).toBe(vector);
    expect(found.report.ignored).toEqual({
      'versions of npm that cannot be compared with an advisory': 2,
      'entries of advisories that name no package': 1,
    });
  });

  it('counts the packages of systems without advisories, of which nothing is known', async () => {
    const graph = [
      ...['fedora-41', 'fedora-41', 'fedora-42', 'rocky-9.3'].map((distro, index) => ({
        type: 'rpm_package',
        key: `${distro.replace(/-.*/, '')}/p${index}@1-1?distro=${distro}`,
        fields: { name: `p${index}`, version: '1-1' },
      })),
      { type: 'deb_package', key: 'debian/p@1', fields: { name: 'debian/p', version: '1' } },
      { type: 'npm_package', key: 'p@1', fields: { name: 'p', version: '1' } },
    ];
    const found = await read({ osv: [advisory('R-1', ['Rocky Linux:9', 'other'], until('2'))] }, graph);

    expect(found.report.ignored).toEqual({
      'packages of fedora 41, of which there are no advisories': 2,
      'packages of fedora 42, of which there are no advisories': 1,
      'packages of debian without a release, of which there are no advisories': 1,
      'packages of npm, of which there are no advisories': 1,
    });
  });

  it('matches packages of machines, which have no package URL', async () => {
    const deb = (key: string, fields: object) => ({ type: 'deb_package', key, fields: { ...fields } });
    const bind = { name: 'bind', version: '9-1' };
    const graph = [
      deb('debian/openssl@3.0?arch=amd64&distro=debian-12', { name: 'openssl', version: '3.0' }),
      deb('debian/libstdc++6@12?arch=amd64&distro=debian-12', {
        name: 'libstdc++6',
        version: '12',
        source_name: 'gcc-12',
      }),
      deb('ubuntu/openssl@3.0?distro=ubuntu-22.04', { name: 'openssl', version: '3.0' }),
      { type: 'rpm_package', key: 'rocky/bind@9-1?arch=x86_64&distro=rocky-9.3&epoch=32', fields: bind },
    ];
    const found = await read(
      {
        osv: [
          advisory('D-1', ['Debian:12', 'openssl'], until('3.1')),
          advisory('D-2', ['Debian:12', 'gcc-12'], until('13')),
          advisory('R-1', ['Rocky Linux:9', 'bind'], until('32:10-1')),
          advisory('R-2', ['Rocky Linux:9', 'bind'], until('31:99-1')),
        ],
      },
      graph,
    );

    expect(found.relationships.map(({ from, to }) => `${from.key.replace(/\?.*/, '')} ${to.key}`)).toEqual([
      'debian/openssl@3.0 D-1',
      'debian/libstdc++6@12 D-2',
      'rocky/bind@9-1 R-1',
    ]);
  });

  it('matches packages of each ecosystem in the order of its versions, and says why', async () => {
    const run = await read({
      osv: [
        advisory('GHSA-1', ['npm', 'lodash'], until('4.17.21'), {
          aliases: ['CVE-2021-23337'],
          summary: 'injection',
          database_specific: { severity: 'MODERATE' },
        }),
        advisory('PYSEC-1', ['PyPI', 'Zope_Interface'], until('5.0')),
        advisory('GHSA-2', ['Maven', 'org.acme:tool'], until('1.0')),
        advisory('GO-1', ['Go', 'github.com/Acme/x'], [{ introduced: '1.0.0' }, { last_affected: '1.2.3' }]),
        advisory('RUSTSEC-1', ['crates.io', 'tokio'], [...until('1.7.0'), { introduced: '1.8.0-0' }]),
        advisory('DSA-1', ['Debian:12', 'openssl'], until('3.0.11-1~deb12u2')),
        advisory('DSA-2', ['Debian:12', 'openssl'], until('3.0.13-1')),
        advisory('DSA-3', ['Debian:12', 'zlib'], until('1:1.2.13.dfsg-1')),
        advisory('DSA-4', ['Debian:11', 'zlib'], until('2:1')),
        advisory('DSA-5', ['Debian', 'nowhere'], until('2')),
        advisory('RLSA-1', ['Rocky Linux:9', 'bash'], until('1:5.1.8-9.el9')),
        advisory('ALSA-1', ['AlmaLinux:8', 'openssl-libs'], until('1:1.1.1k-5.el8_5')),
        advisory('RLSA-2', ['Rocky Linux:9', 'bash'], until('0:6')),
        advisory('GHSA-3', ['npm', 'lodash'], until('9'), { withdrawn: '2026-01-02T00:00:00Z' }),
        advisory('X-1', ['Hackage', 'lens'], until('9')),
      ],
    });

    expect(sentences(run)).toEqual([
      'alma/openssl-libs@1.1.1k-4.el8 HAS ALSA-1',
      'debian/libssl3@3.0.11-1 HAS DSA-2',
      'debian/zlib1g@1:1.2.13 HAS DSA-3',
      'github.com/acme/x@v1.2.3 HAS GO-1',
      'lodash@4.17.20 HAS CVE-2021-23337',
      'org.acme/tool@1.0-SNAPSHOT HAS GHSA-2',
      'rocky/bash@5.1.8-6.el9 HAS RLSA-1',
      'tokio@1.8.0 HAS RUSTSEC-1',
      'zope.interface@5.0rc1 HAS PYSEC-1',
    ]);
    const why = run.relationships.find(({ to }) => to.key === 'CVE-2021-23337')?.properties;
    expect(why).toEqual({
      advisory: 'GHSA-1',
      source: 'GHSA',
      match: 'osv',
      range: '>=0 <4.17.21',
      fixed_versions: ['4.17.21'],
    });
    expect(emittedEntity(run, 'vulnerability', 'CVE-2021-23337').properties).toEqual({
      name: 'CVE-2021-23337',
      aliases: ['GHSA-1'],
      description: 'injection',
      severity: 'medium',
    });
    expect(run.report).toMatchObject({
      status: 'complete',
      ignored: { 'advisories that were withdrawn': 1, 'packages of the ecosystem Hackage': 1 },
    });
  });

  it('reads the zip of an ecosystem, and names a member that is no advisory', async () => {
    const osv = join(directory, 'all.zip');
    const matched = {
      name: 'GHSA-1.json',
      content: JSON.stringify(advisory('GHSA-1', ['npm', 'lodash'], until('4.17.21'))),
    };
    const read = (): Promise<TestRun> =>
      runConnector(advisoriesConnector(new NodeDisk()), {
        config: { osv },
        graph: new ListedGraph(PACKAGES),
      });

    await writeTestZip(osv, [matched, { name: 'notes.txt', content: 'none' }]);
    const whole = await read();
    await writeTestZip(osv, [matched, { name: 'GHSA-2.json', content: '{"id": "GHSA-2"}' }]);
    const damaged = await read();

    expect(sentences(whole)).toEqual(['lodash@4.17.20 HAS GHSA-1']);
    expect(whole.report.ignored).toMatchObject({ 'files with other names': 1 });
    expect(damaged.report).toMatchObject({ status: 'failed' });
    expect(damaged.report.steps[0]?.reason).toContain('all.zip/GHSA-2.json.modified: expected a text');
  });

  it('reads the directory of an ecosystem, which has more files than any other source', async () => {
    const osv = join(directory, 'ecosystem');
    await mkdir(osv);
    await writeFile(
      join(osv, 'GHSA-1.json'),
      JSON.stringify(advisory('GHSA-1', ['npm', 'lodash'], until('4.17.21'))),
    );

    const run = await runConnector(advisoriesConnector(new CrowdedDisk()), {
      config: { osv },
      graph: new ListedGraph(PACKAGES),
    });

    expect(sentences(run)).toEqual(['lodash@4.17.20 HAS GHSA-1']);
    expect(run.report).toMatchObject({
      status: 'complete',
      ignored: { 'files with other names': 10_000 },
    });
  });

  it('matches listed versions, and nothing where versions cannot be compared', async () => {
    const own = [
      { type: 'npm_package', key: 'a@next', fields: { name: 'a', version: 'next' } },
      { type: 'npm_package', key: 'a@1.0.0', fields: { name: 'a', version: '1.0.0' } },
    ];
    const affected = [
      {
        package: { ecosystem: 'npm', name: 'a' },
        versions: ['1.0.0'],
        ranges: [{ type: 'GIT', events: [{ introduced: '0' }] }],
      },
    ];
    const listed = { ...advisory('GHSA-1', ['npm', 'a'], []), affected };

    const run = await read({ osv: [listed, advisory('GHSA-2', ['npm', 'a'], until('2.0.0', '1.5.0'))] }, own);

    expect(
      run.relationships.map(({ from, properties }) => `${from.key} ${String(properties['range'])}`),
    ).toEqual(['a@1.0.0 =1.0.0']);
  });

  it('adds EPSS and known exploitation to what is matched, and to what others have found', async () => {
    const table =
      '#model_version:v2026,score_date:2026-01-02T00:00:00+0000\ncve,epss,percentile\nCVE-2021-23337,0.5,0.9\nCVE-2020-0001,0.1,0.2\nCVE-2020-0002,0.3,0.4\nCVE-2020-0003,1e-05,0\n';
    const kev = {
      vulnerabilities: [
        {
          cveID: 'CVE-2021-23337',
          dateAdded: '2026-01-01',
          dueDate: '2026-02-01',
          knownRansomwareCampaignUse: 'Known',
        },
        { cveID: 'CVE-1999-0001' },
      ],
    };
    const found = (key: string, owners: readonly string[], aliases: readonly string[] = []): Listed => ({
      type: 'vulnerability',
      key,
      fields: { aliases },
      owners,
    });
    const graph = [
      ...PACKAGES,
      found('CVE-2020-0001', ['test']),
      found('CVE-2020-0002', ['scan', 'test']),
      found('GHSA-9', ['scan'], ['CVE-2020-0003']),
    ];

    const osv = [advisory('GHSA-1', ['npm', 'lodash'], until('4.17.21'), { aliases: ['CVE-2021-23337'] })];
    const run = await read({ osv, epss: gzipSync(table), kev }, graph);

    expect(
      run.entities.map(({ key, properties: { epss, known_exploited: known } }) => [key, epss, known]),
    ).toEqual([
      ['CVE-2021-23337', 0.5, true],
      ['CVE-2020-0002', 0.3, undefined],
      ['GHSA-9', 0.00001, undefined],
    ]);
    expect(emittedEntity(run, 'vulnerability', 'CVE-2021-23337').properties).toMatchObject({
      epss_percentile: 0.9,
      epss_date: '2026-01-02',
      kev_added: '2026-01-01',
      kev_due: '2026-02-01',
      known_ransomware: true,
    });
  });

  it.each<[Parameters<typeof read>[0], string]>([
    [{}, 'expected osv, epss or kev, got none of them'],
    [{ osv: [{ id: 'x' }] }, '0.json.modified: expected a text, got nothing'],
    [
      { osv: [advisory('x', ['npm', 'lodash'], [{ introduced: 5 }])] },
      '0.json.affected[0].ranges[0].events[0].introduced: expected a text',
    ],
    [{ epss: 'cve,score\n' }, 'epss.csv, line 1: expected the header cve,epss,percentile, got cve,score'],
    [
      { epss: 'cve,epss,percentile\nCVE-2020-0001,2,0\n' },
      'epss.csv, line 2: expected a CVE and two numbers from 0 to 1',
    ],
    [
      { epss: 'cve,epss,percentile\nCVE-2020-0001,,0.5\n' },
      'epss.csv, line 2: expected a CVE and two numbers from 0 to 1',
    ],
    [
      { epss: gzipSync(`cve,epss,percentile\n${'CVE-2020-0001,1,0\n'.repeat(99)}`).subarray(0, 50) },
      'epss.csv: expected a whole file',
    ],
    [
      { epss: 'cve,epss,percentile\nCVE-2020-0001,0.1,0.95\nCVE-2020-0002,0.3,0.9' },
      'epss.csv: expected a whole file, got one whose last line does not end',
    ],
    [
      { osv: [advisory('x', ['npm', 'lodash'], [{ introduce: '0' }])] },
      '0.json.affected[0].ranges[0].events[0]: expected one of introduced, fixed, last_affected, got introduce',
    ],
    [{ epss: '' }, 'expected the header cve,epss,percentile, got nothing'],
    [{ kev: {} }, 'kev.json.vulnerabilities: expected a list, got nothing'],
    [{ kev: { vulnerabilities: [{}] } }, 'kev.json.vulnerabilities[0].cveID: expected a text'],
  ])('refuses %# by name and place', async (files, message) => {
    const run = await read(files);

    expect(run.report.status).toBe('failed');
    expect(run.report.steps[0]?.reason).toContain(message);
  });
});
