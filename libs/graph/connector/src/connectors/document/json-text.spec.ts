import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NodeDisk } from '#platform/disk';
import { runConnector } from '../../kit/run-connector.ts';
import { sbomConnector } from '../sbom/sbom-connector.ts';
import { stixConnector } from '../stix/stix-connector.ts';
import { parseJson } from './json-text.ts';

const disk = new NodeDisk();
const BILL = '{"bomFormat":"CycloneDX","specVersion":"1.5","components":[{"type":"library","name":"é"}]}';
const BUNDLE = '{"type":"bundle","id":"bundle--1","objects":[{"type":"tool","id":"tool--1","name":"é"}]}';
let directory: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'plexus-json-text-'));
});
afterAll(() => rm(directory, { recursive: true }));

it.each([
  ['bill of materials', sbomConnector(disk), BILL],
  ['STIX bundle', stixConnector(disk), BUNDLE],
])('rejects a %s in another encoding than UTF-8', async (_what, connector, text) => {
  const file = join(directory, 'latin.json');
  await writeFile(file, text, 'latin1');

  const { report } = await runConnector(connector, { config: { file } });

  expect(report).toMatchObject({
    status: 'failed',
    steps: [{ reason: 'latin.json: expected UTF-8, got a file in another encoding' }],
  });
});

it.each([
  [
    'list',
    sbomConnector(disk),
    `${BILL.slice(0, -1)},\n"components":[]}`,
    '"components" twice, again in line 2',
  ],
  [
    'text',
    sbomConnector(disk),
    BILL.replace('"name"', '"version":"1","na\\u006de":"a","name"'),
    '"name" twice',
  ],
  [
    'list',
    stixConnector(disk),
    `${BUNDLE.slice(0, -1)} , "objects" : []}`,
    '"objects" twice, again in line 1',
  ],
])(
  'rejects a document that has a %s twice, of which it would read one',
  async (_what, type, text, message) => {
    const file = join(directory, 'twice.json');
    await writeFile(file, text);

    const { report } = await runConnector(type, { config: { file } });

    expect(report.status).toBe('failed');
    expect(report.steps[0]?.reason).toContain(`with each name once in an object, got ${message}`);
  },
);

it('reads names that several objects have, and texts that look like names', async () => {
  const file = join(directory, 'names.json');
  await writeFile(file, BILL.replace('"name":"é"', '"name":"\\"name\\": {","group":"name"'));

  const { report } = await runConnector(sbomConnector(disk), { config: { file } });

  expect(report.status).toBe('complete');
});

it.each([
  ['{\n  "bomFormat": "CycloneDX",\n  "components": [', 'line 3, column 18'],
  ['{"bomFormat": "CycloneDX", specVersion: 1}', 'column 28'],
  ['\uFEFF{"bomFormat": "CycloneDX",}\n', 'column 27'],
  [BILL.slice(0, -1), `column ${BILL.length}`],
  [`${BILL}${BILL}`, `column ${BILL.length + 1}`],
])('tells where %j is not JSON', (text, place) => {
  expect(() => parseJson(text, 'a bill')).toThrow(
    expect.objectContaining({ message: `expected a bill, got text that is not JSON at ${place}` }),
  );
});

it('refuses a document that is nested too deeply to be looked at', () => {
  expect(() => parseJson('['.repeat(200_000), 'a bill')).toThrow(
    /^expected a bill, got text that is not JSON/,
  );
});
