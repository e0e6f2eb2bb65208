/** Scans that cosign and in-toto attest, with the results that Trivy itself wrote in `test/scan`. */
import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Bill } from '../bill-builder.ts';
import { readBill } from '../read-bill.ts';

const json = (name: string): Record<string, unknown> =>
  JSON.parse(readFileSync(join(import.meta.dirname, '../../../../test/scan', name), 'utf8')) as Record<
    string,
    unknown
  >;
const REPORT = json('trivy-image.json');
const FRAME = json('trivy-image.cosign-vuln.json');
const SARIF = json('trivy-image.sarif.json');
const HEX = 'ab'.repeat(32);
const IMAGE = `ghcr.io/acme/shop@sha256:${HEX}`;
const COSIGN = 'https://cosign.sigstore.dev/attestation/vuln/v1';
const IN_TOTO = 'https://in-toto.io/attestation/vulns/v0.2';

const read = (document: object): Promise<Bill> =>
  readBill({ text: JSON.stringify(document), folder: 'shop', beside: () => Promise.resolve(undefined) });
const named = (name: string): object => ({ name, digest: { sha256: HEX } });
const statement = (predicate: unknown, predicateType = COSIGN, ...subject: readonly object[]) => ({
  _type: 'https://in-toto.io/Statement/v1',
  subject: subject.length === 0 ? [named('ghcr.io/acme/shop')] : subject,
  predicateType,
  predicate,
});
const envelope = (content: object) => ({
  payloadType: 'application/vnd.in-toto+json',
  payload: Buffer.from(JSON.stringify(content)).toString('base64'),
  signatures: [],
});
const scanned = (result: unknown, uri = 'pkg:github/aquasecurity/trivy@0.19.2') => ({
  scanner: { uri, version: '0.19.2', db: { version: 'v1' }, result },
  metadata: { scanStartedOn: '2026-01-01T00:00:00Z' },
});
const linksOf = ({ relationships }: Bill): readonly string[] =>
  relationships.map(({ from, verb, to }) => `${from.key} ${verb} ${to.key}`).sort();
const from = (bill: Bill, owner: string): readonly string[] =>
  linksOf(bill).filter((each) => each.startsWith(`${owner} `));
/** The values of a field, by a walk through the report itself. */
const fieldsIn = (value: unknown, field: string): readonly string[] => {
  if (typeof value !== 'object' || value === null) return [];
  const own = (value as Record<string, unknown>)[field];
  return [
    ...(typeof own === 'string' ? [own] : []),
    ...Object.values(value).flatMap((each) => fieldsIn(each, field)),
  ];
};
const FOUND = fieldsIn(REPORT, 'VulnerabilityID').toSorted();

describe('an attested scan', () => {
  it.each([
    ['as cosign attests it', statement(FRAME)],
    ['in an envelope', envelope(statement(FRAME))],
    ['of in-toto', statement(FRAME, IN_TOTO)],
    ['with the report as its text', statement(scanned(JSON.stringify(REPORT)))],
    ['with several scanners', statement({ scanners: [scanned(REPORT).scanner] })],
    ['that is the report itself', statement(REPORT, 'https://in-toto.io/attestation/vulns/v0.1')],
  ])('%s is read as its report, and the subject CONTAINS the packages', async (_what, document) => {
    const [plain, bill] = await Promise.all([read(REPORT), read(document)]);

    expect(linksOf(bill)).toEqual(expect.arrayContaining([...linksOf(plain)]));
    const contained = plain.entities.filter((each) => each.class === 'Package').map(({ key }) => key);
    expect(contained).toHaveLength(10);
    expect(from(bill, IMAGE)).toEqual(contained.map((key) => `${IMAGE} CONTAINS ${key}`).sort());
    const has = bill.relationships.filter(({ verb }) => verb === 'HAS').map(({ to }) => to.key);
    expect(has.toSorted()).toEqual(FOUND);
    expect(bill.isWhole).toBe(true);
  });

  it('without an attestation around it is the report', async () => {
    expect(linksOf(await read(FRAME))).toEqual(linksOf(await read(REPORT)));
  });

  it('with SARIF is about the subject as a whole', async () => {
    const bill = await read(statement(scanned(SARIF)));

    expect(from(bill, IMAGE)).toEqual(FOUND.map((name) => `${IMAGE} HAS ${name}`));
    const [found] = bill.relationships.filter(({ verb }) => verb === 'HAS');
    expect(found?.properties).toEqual({ match: 'trivy' });
    const score = fieldsIn(SARIF, 'security-severity').map(Number).toSorted();
    expect(bill.entities.flatMap(({ properties }) => properties?.['score'] ?? []).toSorted()).toEqual(score);
    expect(bill.entities.find(({ key }) => key === 'CVE-2019-1010022')?.properties).toMatchObject({
      severity: 'low',
      description: 'glibc: stack guard protection bypass',
    });
  });

  it('with SARIF of Grype has the vulnerabilities without the names of packages; other rules are counted', async () => {
    const results = [
      'CVE-2099-0001-zlib',
      'GHSA-aaaa-bbbb-cccc-lodash',
      'DSA-5001-1',
      'AVD-DS-0002',
      'secret-key',
    ];
    const sarif = { version: '2.1.0', runs: [{ results: results.map((ruleId) => ({ ruleId })) }] };
    const bill = await read(statement(scanned(sarif)));

    expect(from(bill, IMAGE)).toEqual(
      ['CVE-2099-0001', 'DSA-5001-1', 'GHSA-aaaa-bbbb-cccc'].map((name) => `${IMAGE} HAS ${name}`),
    );
    expect(bill.ignored.get('results of SARIF that name no vulnerability')).toBe(2);
  });

  it('with a list has what is in it, with its severity and score', async () => {
    const severity = (method: string, score: unknown) => ({ method, score });
    const list = [
      { id: 'CVE-123', severity: [severity('nvd', 'medium'), severity('cvss_score', '5.2')] },
      { id: 'CVE-124', severity: severity('CVSS_V3', 9.8), annotations: [{ a: 'b' }] },
      { id: 'CVE-125', severity: [severity('CVSS_V3', 'CVSS:3.1/AV:N')] },
    ];
    const bill = await read(statement(scanned(list), IN_TOTO));

    expect(from(bill, IMAGE)).toEqual(list.map(({ id }) => `${IMAGE} HAS ${id}`));
    const facts = bill.entities.filter(({ type }) => type === 'vulnerability');
    expect(facts.map(({ properties }) => [properties?.['severity'], properties?.['score']])).toEqual([
      ['medium', 5.2],
      [undefined, 9.8],
      [undefined, undefined],
    ]);
    expect(Object.fromEntries(bill.ignored)).toEqual({
      'vulnerability.annotations': 1,
      'vulnerability.severity': 1,
    });
  });

  it('that found nothing is whole', async () => {
    const bill = await read(statement(scanned([]), IN_TOTO));

    expect([bill.isWhole, linksOf(bill), bill.entities.map(({ key }) => key)]).toEqual([true, [], [IMAGE]]);
  });

  it('of a package is about the package, and of a file by its digest', async () => {
    const list = [{ id: 'CVE-1' }];
    const ofPackage = await read(statement(scanned(list), IN_TOTO, { uri: 'pkg:npm/%40acme/x@1.0.0' }));
    expect(linksOf(ofPackage)).toEqual(['@acme/x@1.0.0 HAS CVE-1']);

    const ofFile = await read(statement(scanned(list), IN_TOTO, named('foo.jar')));
    expect(linksOf(ofFile)).toEqual([]);
    expect(ofFile.external.map(({ owner, verb, reference }) => `${reference} ${verb} ${owner.key}`)).toEqual([
      `sha256:${HEX} HAS CVE-1`,
    ]);
  });

  it('does not take what a bill says of its parts for the whole', async () => {
    const vex = {
      bomFormat: 'CycloneDX',
      specVersion: '1.6',
      vulnerabilities: [{ id: 'CVE-1', analysis: { state: 'not_affected' }, affects: [] }],
    };

    expect(linksOf(await read(statement(vex, 'https://cyclonedx.org/vex')))).toEqual([]);
    expect(linksOf(await read(statement(scanned(vex))))).toEqual([]);
  });

  it.each([
    [
      statement(scanned(7)),
      'predicate.scanner.result: expected a report or a list of vulnerabilities, got a number',
    ],
    [
      statement(scanned({ Foo: 1 })),
      'predicate.scanner.result: expected a report of Trivy or Grype, SARIF, or a list',
    ],
    [statement(scanned('{"SchemaVersion":')), 'expected the result of a scanner in predicate.scanner.result'],
    [statement({ scanners: [7] }), 'got a document with scanners'],
    [statement({ scanner: { uri: 'x' } }), 'got a document with scanner'],
    [scanned([{ id: 'CVE-1' }]), 'predicate.scanner.result: expected the attestation around it'],
    [
      statement({ scanners: [scanned([]).scanner, 7] }),
      'predicate.scanners[1]: expected an object, got a number',
    ],
  ])('%# is refused by name and place', async (document, message) => {
    await expect(read(document)).rejects.toThrow(message);
  });
});
