/** Images that attestations, advisories and bills name are those of Kubernetes and of scanners. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NodeDisk } from '#platform/disk';
import { runConnector, type TestRun } from '../../../kit/run-connector.ts';
import { GraphEntities, type KnownEntity } from '../../../run/graph-entities.port.ts';
import type { Bill } from '../bill-builder.ts';
import { readBill } from '../read-bill.ts';
import { sbomConnector } from '../sbom-connector.ts';

const HEX = 'ab'.repeat(32);
const DIGEST = `sha256:${HEX}`;
const RUNS = `ghcr.io/acme/shop@${DIGEST}`;

const bom = (more: object = {}) => ({
  bomFormat: 'CycloneDX',
  specVersion: '1.6',
  components: [{ type: 'library', name: 'a', version: '1' }],
  ...more,
});
const subject = (component: object) => ({ metadata: { component: { name: 'shop', ...component } } });
const SHOP = bom(subject({ type: 'application' }));
const statement = (subjects: unknown, predicate: object, predicateType = 'https://cyclonedx.org/bom') => ({
  _type: 'https://in-toto.io/Statement/v1',
  subject: subjects,
  predicateType,
  predicate,
});
const named = (name: string, digest: object = { sha256: HEX }) => [{ name, digest }];
const envelope = (content: object) => ({
  payloadType: 'application/vnd.in-toto+json',
  payload: Buffer.from(JSON.stringify(content)).toString('base64'),
  signatures: [],
});
const openVex = (...products: readonly string[]) => ({
  '@context': 'https://openvex.dev/ns/v0.2.0',
  timestamp: '2026-01-01T00:00:00Z',
  statements: [
    { vulnerability: { name: 'CVE-1' }, products: products.map((id) => ({ '@id': id })), status: 'affected' },
  ],
});

const read = (text: string | object): Promise<Bill> =>
  readBill({
    text: typeof text === 'string' ? text : JSON.stringify(text),
    folder: 'shop',
    beside: () => Promise.resolve(undefined),
  });
const linksOf = ({ relationships }: Pick<Bill, 'relationships'>) =>
  relationships.map(({ from, verb, to }) => `${from.key} ${verb} ${to.key}`).sort();

/** A graph with one image, which another source states. */
class OneImage extends GraphEntities {
  readonly #key: string;
  readonly #owner: string;

  constructor(key: string, owner = 'cluster') {
    super();
    this.#key = key;
    this.#owner = owner;
  }

  override ofType(type: string): Iterable<KnownEntity> {
    const image: KnownEntity = {
      key: this.#key,
      connectorId: this.#owner,
      field: (name) => (name === 'digest' ? DIGEST : undefined),
      isStatedByOthers: (own) => own !== this.#owner,
    };
    return type === 'container_image' ? [image] : [];
  }
}

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'plexus-attested-'));
});
afterAll(() => rm(directory, { recursive: true }));

async function synced(document: object, graph: GraphEntities): Promise<TestRun> {
  const file = join(directory, 'bill.json');
  await writeFile(file, JSON.stringify(document));
  return runConnector(sbomConnector(new NodeDisk()), { config: { file }, graph });
}

describe('the subject of an attestation', () => {
  it.each([
    ['its registry', named('ghcr.io/acme/shop'), SHOP, [`${RUNS} MAPS_TO shop`]],
    ['a tag', named('ghcr.io/acme/shop:2.1'), SHOP, [`${RUNS} MAPS_TO shop`]],
    [
      'a package URL, as BuildKit writes',
      named('pkg:docker/ghcr.io/acme/shop@2.1?platform=linux%2Famd64'),
      SHOP,
      [`${RUNS} MAPS_TO shop`, `ghcr.io/acme/shop:2.1 MAPS_TO ${RUNS}`],
    ],
    [
      'nothing, of a bill of an image',
      named(''),
      bom(subject({ type: 'container', name: 'ghcr.io/acme/shop', version: '2.1' })),
      [`${RUNS} MAPS_TO ghcr.io/acme/shop`, 'ghcr.io/acme/shop:2.1 MAPS_TO ghcr.io/acme/shop'],
    ],
    [
      'its registry, of a bill without a subject',
      named('ghcr.io/acme/shop'),
      bom(),
      [`${RUNS} CONTAINS a@1`],
    ],
  ])('is an image that is known by %s', async (_what, subjects, bill, links) => {
    for (const document of [statement(subjects, bill), envelope(statement(subjects, bill))])
      expect(linksOf(await read(document))).toEqual(links.toSorted());
  });

  it('with the name of a file is no image, unless another source knows one with its digest', async () => {
    const document = statement(named('shop.tar.gz'), SHOP);
    const alone = await read(document);
    expect(linksOf(alone)).toEqual([]);
    expect(alone.external.map(({ reference }) => reference)).toEqual([DIGEST]);

    const run = await synced(document, new OneImage(RUNS));
    expect(run.report.status).toBe('complete');
    expect(run.relationships.map(({ from, verb, to }) => [from.key, verb, to.key])).toEqual([
      [RUNS, 'MAPS_TO', 'shop'],
    ]);
  });

  it('that says too little is counted', async () => {
    const { ignored } = await read(statement([...named('x', {}), ...named('y')], bom()));
    expect(ignored.get('subjects of attestations that name no image')).toBe(2);
  });

  it('of another kind than a list is refused by its place', async () => {
    await expect(read(statement('x', SHOP))).rejects.toThrow('statement.subject: expected a list');
    await expect(read(statement([{ digest: { sha256: 7 } }], SHOP))).rejects.toThrow(
      'statement.subject[0].digest.sha256: expected a text, got a number',
    );
  });
});

describe('attestations on lines', () => {
  const provenance = envelope(statement(named('x'), {}, 'https://slsa.dev/provenance/v1'));
  const lines = (...documents: readonly object[]) =>
    documents.map((each) => JSON.stringify(each)).join('\r\n');

  it('of something else are counted beside a bill, and refused without one', async () => {
    const bill = await read(
      lines(provenance, envelope(statement(named('ghcr.io/acme/shop'), SHOP)), provenance),
    );
    expect(linksOf(bill)).toEqual([`${RUNS} MAPS_TO shop`]);
    expect(bill.ignored.get('attestations of https://slsa.dev/provenance/v1')).toBe(2);

    await expect(read(lines(provenance, provenance))).rejects.toThrow(
      'expected an attestation of a bill, got an attestation of https://slsa.dev/provenance/v1',
    );
  });

  it('are refused with the line of a fault', async () => {
    const damaged = { ...envelope(SHOP), payload: '%%' };
    await expect(read(lines(envelope(statement([], SHOP)), damaged))).rejects.toThrow(
      'line 2: payload: expected UTF-8 in base64',
    );
  });
});

describe('an image in a bill or advisory', () => {
  it.each([
    `pkg:oci/shop@${DIGEST}?repository_url=ghcr.io/acme/shop`,
    // Grype and Trivy state the repository without the name of the image.
    `pkg:oci/shop@sha256%3A${HEX}?repository_url=ghcr.io%2Facme&arch=amd64`,
    `pkg:docker/acme/shop@${DIGEST}?repository_url=ghcr.io`,
  ])('is the one that its package URL names: %s', async (purl) => {
    const component = { type: 'container', name: 'shop', purl };
    const { relationships } = await read(bom({ components: [component] }));
    expect(relationships.map(({ from, verb }) => `${from.key} ${verb}`)).toEqual([`${RUNS} MAPS_TO`]);
  });

  it.each([
    `pkg:oci/shop@${DIGEST}?repository_url=ghcr.io/acme`,
    `pkg:oci/shop@sha256%3A${HEX}`,
    `ghcr.io/acme/shop@${DIGEST}`,
    `registry.example/mirror/shop@${DIGEST}`,
    DIGEST,
  ])('that is a product of OpenVEX is met by its digest: %s', async (product) => {
    const { report, relationships } = await synced(openVex(product), new OneImage(RUNS));
    expect(report.status).toBe('complete');
    expect(relationships.map(({ from, verb, to }) => [from.key, verb, to.key])).toContainEqual([
      RUNS,
      'HAS',
      'CVE-1',
    ]);
  });

  it.each([
    'pkg:oci/shop',
    'pkg:oci/shop?tag=2.1',
    'pkg:oci/shop@2.1',
    'pkg:oci/shop?repository_url=ghcr.io/acme/shop',
  ])('is any of that name, and no image, without a digest or a repository and a tag: %s', async (purl) => {
    const bill = await read(bom({ components: [{ type: 'container', name: 'shop', purl }] }));
    expect([linksOf(bill), bill.entities.map(({ type }) => type)]).toEqual([[], ['oci_package']]);

    const { report, relationships } = await synced(openVex(purl), new OneImage(RUNS));
    expect([report.status, report.external_count]).toEqual(['complete', 1]);
    expect(report.warnings.join()).toContain(`the product ${purl} is in another document`);
    expect(relationships.map(({ from }) => from.type)).toEqual(['oci_package']);
  });

  it('that has its repository and a tag is the image of that name', async () => {
    const purl = 'pkg:oci/shop?repository_url=ghcr.io/acme&tag=2.1';
    const bill = await read(bom({ components: [{ type: 'container', name: 'shop', purl }] }));
    expect(linksOf(bill)).toEqual(['ghcr.io/acme/shop:2.1 MAPS_TO shop?tag=2.1']);
  });

  it('that only an earlier run of the same source has stated is not met', async () => {
    const { relationships } = await synced(openVex(DIGEST), new OneImage(RUNS, 'test'));
    expect(relationships).toEqual([]);
  });
});
