/** A value of another kind, a part twice, an unknown version: none is read as if nothing were missing. */
import { describe, expect, it } from '@jest/globals';
import type { Bill } from '../bill-builder.ts';
import { readBill } from '../read-bill.ts';

const read = (text: string | object): Promise<Bill> =>
  readBill({
    text: typeof text === 'string' ? text : JSON.stringify(text),
    folder: 'shop',
    beside: () => Promise.resolve('{"name": "shop"}'),
  });

const cyclonedx = (more: object) => ({ bomFormat: 'CycloneDX', specVersion: '1.6', ...more });
const rated = (score: unknown) =>
  cyclonedx({ vulnerabilities: [{ id: 'CVE-2099-0001', ratings: [{ score, method: 'CVSSv31' }] }] });
const trivy = (CVSS: unknown) => ({
  SchemaVersion: 2,
  ArtifactName: '.',
  ArtifactType: 'repository',
  Results: [
    { Vulnerabilities: [{ VulnerabilityID: 'CVE-2099-0001', PkgName: 'a', InstalledVersion: '1', CVSS }] },
  ],
});
const grype = (vulnerability: object) => ({
  descriptor: { name: 'grype' },
  source: { type: 'directory', target: '.' },
  matches: [
    { vulnerability: { id: 'CVE-2099-0001', ...vulnerability }, artifact: { name: 'a', version: '1' } },
  ],
});
const csaf = (vulnerability: object) => ({
  document: { csaf_version: '2.0' },
  vulnerabilities: [{ cve: 'CVE-2099-0001', ...vulnerability }],
});
const openvex = (more: object, statement: object = {}) => ({
  '@context': 'https://openvex.dev/ns/v0.2.0',
  statements: [
    { vulnerability: { name: 'CVE-1' }, products: [{ '@id': 'pkg:npm/a@1' }], status: 'fixed', ...statement },
  ],
  ...more,
});
const xml = (content: string) => `<bom xmlns="http://cyclonedx.org/schema/bom/1.6">\n${content}\n</bom>`;
const spdx = (...lines: readonly string[]) =>
  ['SPDXVersion: SPDX-2.3', 'SPDXID: SPDXRef-DOCUMENT', 'DocumentName: d', ...lines].join('\n');

describe('a bill', () => {
  it.each<[string, string | object, string]>([
    ['a score', rated('9.8'), 'vulnerabilities[0].ratings[0].score: expected a number, got a string'],
    [
      'a score beyond all numbers',
      JSON.stringify(rated(7)).replace('"score":7', '"score":1e999'),
      'vulnerabilities[0].ratings[0].score: expected a number, got one out of range',
    ],
    [
      'a score in XML',
      xml(
        '<vulnerabilities><vulnerability><id>CVE-1</id><ratings><rating><score>high</score></rating></ratings></vulnerability></vulnerabilities>',
      ),
      'vulnerabilities[0].ratings[0].score: expected a number',
    ],
    [
      'whether a service asks for a name',
      cyclonedx({ services: [{ name: 's', authenticated: 'yes' }] }),
      'services[0].authenticated: expected true or false, got a string',
    ],
    ['scores of a report', trivy(7), 'Results[0].Vulnerabilities[0].CVSS: expected an object'],
    ['scores of a source', trivy({ nvd: 7 }), 'Vulnerabilities[0].CVSS.nvd: expected an object'],
    ['a score of a source', trivy({ nvd: { V3Score: '7' } }), 'CVSS.nvd.V3Score: expected a number'],
    [
      'a score of a match',
      grype({ cvss: [{ version: '3.1', metrics: { baseScore: '7' } }] }),
      'metrics.baseScore: expected a number',
    ],
    ['a score of EPSS', grype({ epss: [{ epss: '0.5' }] }), 'epss[0].epss: expected a number'],
    [
      'a score of an advisory',
      csaf({ scores: [{ products: [], cvss_v3: { baseScore: '7' } }] }),
      'scores[0].cvss_v3.baseScore: expected a number',
    ],
    [
      'the kind of a note',
      csaf({ notes: [{ category: 7, text: 'x' }] }),
      'notes[0].category: expected a text',
    ],
    [
      'the time of an advisory',
      openvex({ timestamp: 'yesterday' }),
      'document.timestamp: expected a time, got yesterday',
    ],
    [
      'the time of a statement',
      openvex({}, { timestamp: 7 }),
      'statements[0].timestamp: expected a text, got a number',
    ],
    [
      'a version of Yarn',
      '__metadata:\n  version: 11\n\n"a@npm:1":\n  version: 1\n  resolution: "a@npm:1"\n',
      '__metadata.version: expected 1 to 10, got 11',
    ],
  ])('of which %s is not understood is not whole', async (_what, text, warning) => {
    const { isWhole, warnings } = await read(text);
    expect(warnings.join('\n')).toContain(warning);
    expect(isWhole).toBe(false);
  });

  it.each<[string, string | object, string]>([
    [
      'OpenVEX',
      openvex({ '@context': 'https://openvex.dev/ns/v1.0.0' }),
      '@context: expected a version from 0.0.1',
    ],
    [
      'SPDX 3',
      { '@context': 'https://spdx.org/rdf/4.0.0/spdx-context.jsonld', '@graph': [] },
      '@context: expected version 3.0, got 4.0',
    ],
    [
      'a part of XML',
      xml('<components/>\n<components><component type="library"><name>a</name></component></components>'),
      'line 3: expected one <components> in <bom>, got another',
    ],
    [
      'a package whose beginning is missing',
      spdx(
        'PackageName: a',
        'SPDXID: SPDXRef-a',
        'PackageVersion: 1',
        'SPDXID: SPDXRef-b',
        'PackageVersion: 2',
      ),
      'line 7: expected one SPDXID, got another of the same element',
    ],
    [
      'a package before all',
      spdx('PackageVersion: 2'),
      'line 4: expected PackageVersion after the PackageName',
    ],
    ['a second document', `${spdx('PackageName: a')}\n${spdx()}`, 'line 5: expected one SPDXVersion'],
    [
      'an entry',
      '# yarn lockfile v1\n\n\na@^1:\n  version "1.0.0"\n\nb@2, "a@^1":\n  version "1.1.0"\n',
      'line 7: expected one entry of a@^1, got another',
    ],
  ])('with another version or a second one of %s is refused by its place', async (_what, text, message) => {
    await expect(read(text)).rejects.toThrow(message);
  });

  it('has what is declared and what is concluded of licences, also where both are stated', async () => {
    const both = spdx(
      'PackageName: a',
      'SPDXID: SPDXRef-a',
      'PackageLicenseDeclared: MIT',
      'PackageLicenseConcluded: GPL-2.0-only',
    );
    const graph = [
      { type: 'software_Package', spdxId: 'urn:a', name: 'a' },
      { type: 'Relationship', relationshipType: 'hasDeclaredLicense', from: 'urn:a', to: ['urn:mit'] },
      { type: 'Relationship', relationshipType: 'hasConcludedLicense', from: 'urn:a', to: ['urn:gpl'] },
      {
        type: 'simplelicensing_LicenseExpression',
        spdxId: 'urn:mit',
        simplelicensing_licenseExpression: 'MIT',
      },
      {
        type: 'simplelicensing_LicenseExpression',
        spdxId: 'urn:gpl',
        simplelicensing_licenseExpression: 'GPL-2.0-only',
      },
    ];
    const context = 'https://spdx.org/rdf/3.0.1/spdx-context.jsonld';
    for (const text of [both, { '@context': context, '@graph': graph }]) {
      const { entities, relationships } = await read(text);
      expect(entities.find(({ key }) => key === 'a')?.properties).toMatchObject({
        license: 'MIT',
        license_concluded: 'GPL-2.0-only',
      });
      expect(relationships.map(({ to, properties }) => [to.key, properties])).toEqual([
        ['MIT', {}],
        ['GPL-2.0-only', { acknowledgement: 'concluded' }],
      ]);
    }
  });
});

describe('what is beside the records of a bill', () => {
  it('is counted: relationships between other documents, and fields of reports that are not read', async () => {
    const { isWhole, unresolved, ignored, relationships } = await read(
      spdx(
        'PackageName: a',
        'SPDXID: SPDXRef-a',
        'Relationship: DocumentRef-x:SPDXRef-b BUILD_TOOL_OF DocumentRef-y:SPDXRef-c',
      ),
    );
    expect([isWhole, unresolved, relationships]).toEqual([true, [], []]);
    expect(ignored.get('relationships between other documents')).toBe(1);

    const report = trivy({ nvd: { V3Score: 7 } });
    const [result] = report.Results;
    const vulnerabilities = result?.Vulnerabilities.map((each) => ({ ...each, CweIDs: ['CWE-1', 'CWE-2'] }));
    const more = { ...report, ReportID: 'x', Results: [{ Vulnerabilities: vulnerabilities, Secrets: [{}] }] };
    expect([...(await read(more)).ignored]).toEqual([
      ['ReportID', 1],
      ['Results.Secrets', 1],
      ['vulnerability.CweIDs', 2],
    ]);
    expect([...(await read(grype({ urls: ['x'] }))).ignored]).toEqual([['vulnerability.urls', 1]]);
  });

  it('is read without the mark of its encoding', async () => {
    const lock = '# yarn lockfile v1\n\n\na@^1:\n  version "1.0.0"\n';
    expect((await read(`\uFEFF${lock}`)).entities).toEqual((await read(lock)).entities);
  });

  it('is part of a whole: of a component in a component, of a service in a service, of the subject', async () => {
    const part = (name: string, more: object = {}) => ({ type: 'library', name, version: '1', ...more });
    const { relationships } = await read(
      cyclonedx({
        metadata: { component: { name: 'shop', components: [part('own')] } },
        components: [
          part('jar', { components: [part('class', { components: [part('method')] }), part('jar')] }),
        ],
        services: [{ name: 'web', services: [{ name: 'login' }] }],
      }),
    );
    expect(relationships.map(({ from, verb, to }) => `${from.key} ${verb} ${to.key}`)).toEqual([
      'shop CONTAINS own@1',
      'jar@1 CONTAINS class@1',
      'class@1 CONTAINS method@1',
      'web CONTAINS login',
    ]);
  });
});
