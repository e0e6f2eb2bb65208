import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NodeDisk } from '#platform/disk';
import { runConnector, type TestRun } from '../../kit/run-connector.ts';
import { sbomConnector } from '../sbom/sbom-connector.ts';
import { stixConnector } from '../stix/stix-connector.ts';

let directory: string;

const bill = (name: string, more: object = {}) =>
  JSON.stringify({
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    components: [{ name, version: '1', 'bom-ref': name, ...more }],
  });
const malware = (id: number, more: object = {}) => ({
  type: 'malware',
  id: `malware--00000000-0000-4000-8000-00000000000${id}`,
  name: `m${id}`,
  modified: '2026-01-01T00:00:00Z',
  ...more,
});

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'plexus-source-files-'));
  const files = {
    'bills/a.json': bill('a', { description: 'first' }),
    'bills/deep/b.cdx.json': bill('b'),
    'bills/deep/a.json': bill('a', { description: 'second', scope: 'required' }),
    'bills/README.md': '# no bill',
    'bills/package.json': '{}',
    'bills/.hidden/c.json': 'none',
    'bad/a.json': bill('a'),
    'bad/deep/b.json': '{"bomFormat": "Cyclone',
    'pages/1.json': JSON.stringify({ more: true, next: 'x', objects: [malware(1)] }),
    'pages/2.json': JSON.stringify({
      more: false,
      objects: [malware(2), malware(1, { name: 'new', modified: '2026-01-02T00:00:00Z' })],
    }),
    'pages/list.json': JSON.stringify([malware(3)]),
  };
  for (const [path, text] of Object.entries(files)) {
    await mkdir(join(directory, path, '..'), { recursive: true });
    await writeFile(join(directory, path), text);
  }
});
afterAll(() => rm(directory, { recursive: true }));

const run = (file: string): Promise<TestRun> =>
  runConnector(sbomConnector(new NodeDisk()), { config: { file: join(directory, file) } });
const keysOf = ({ entities }: TestRun) => entities.map(({ key }) => key).sort();

describe('a source of several files', () => {
  it('is all files of a directory and below it, but those with other names, which are counted', async () => {
    const found = await run('bills');

    expect(found.report).toMatchObject({ status: 'complete', ignored: { 'files with other names': 2 } });
    expect(keysOf(found)).toEqual(['a@1', 'b@1']);
    expect(found.entities.find(({ key }) => key === 'a@1')?.properties).toMatchObject({
      description: 'first',
      scope: 'required',
    });
  });

  it('has files that are links, as a mounted volume does, and follows no link to a folder', async () => {
    await mkdir(join(directory, 'mounted'));
    await writeFile(join(directory, 'outside.json'), bill('linked'));
    await symlink('../outside.json', join(directory, 'mounted/bill.json'));
    await symlink('.', join(directory, 'mounted/loop'));
    const [whole, matching] = [await run('mounted'), await run('mounted/*.json')];

    expect([whole, matching].map(({ report }) => report.status)).toEqual(['complete', 'complete']);
    expect([whole, matching].map(keysOf)).toEqual([['linked@1'], ['linked@1']]);
    await symlink('gone.json', join(directory, 'mounted/other.json'));
    const broken = await run('mounted');

    expect(broken.report.status).toBe('failed');
    expect(broken.report.steps[0]?.reason).toContain('other.json');
    expect(broken.report.steps[0]?.reason).not.toContain(directory);
  });

  it.each([
    ['bills/*.json', ['a@1']],
    ['bills/**/*.cdx.json', ['b@1']],
    ['bills/{deep,other}/?.json', ['a@1']],
  ])('is the files that match %s', async (pattern, keys) => {
    // The manifest is no bill, and matches the first pattern.
    await writeFile(join(directory, 'bills/package.json'), bill('a', { description: 'first' }));

    expect(keysOf(await run(pattern))).toEqual(keys);
  });

  it.each([
    [
      'bad',
      'deep/b.json: expected a software bill of materials in JSON, got text that is not JSON at column 15',
    ],
    [
      'bad/**/b*',
      'deep/b.json: expected a software bill of materials in JSON, got text that is not JSON at column 15',
    ],
    ['bills/*.none', 'there is no file *.none'],
    ['none', 'cannot open the file none: ENOENT'],
  ])('%s fails with the name of the file, so that nothing is synced', async (file, reason) => {
    const { report } = await run(file);

    expect(report).toMatchObject({ status: 'failed', entities: 0 });
    expect(report.steps[0]?.reason).toBe(reason);
  });

  it('of STIX is the newest version of each object in all pages and lists', async () => {
    const config = { file: join(directory, 'pages') };
    const { entities, report } = await runConnector(stixConnector(new NodeDisk()), { config });

    expect(report.status).toBe('complete');
    expect(entities.map(({ properties }) => properties['name']).sort()).toEqual(['m2', 'm3', 'new']);
  });

  it('of TAXII without the last page is refused', async () => {
    const config = { file: join(directory, 'pages/1.json') };
    const { report } = await runConnector(stixConnector(new NodeDisk()), { config });

    expect(report.status).toBe('failed');
    expect(report.steps[0]?.reason).toContain('an envelope that says that there are more');
  });
});
