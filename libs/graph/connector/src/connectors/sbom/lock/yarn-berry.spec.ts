import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Bill } from '../bill-builder.ts';
import { readBill } from '../read-bill.ts';

const FILES = join(import.meta.dirname, '../../../../test/lock');
const MANIFESTS = JSON.parse(readFileSync(join(FILES, 'manifests.json'), 'utf8')) as Record<string, unknown>;

interface YarnInfo {
  readonly value: string;
  readonly children: {
    readonly Version: string;
    readonly Dependencies?: readonly { readonly locator: string }[];
  };
}

const read = (text: string, files = MANIFESTS): Promise<Bill> =>
  readBill({
    text,
    folder: 'folder',
    beside: (path) => Promise.resolve(path in files ? JSON.stringify(files[path]) : undefined),
  });
const lockOf = (version: string): string => readFileSync(join(FILES, version, 'yarn.lock'), 'utf8');
/** What Yarn itself says of each package. */
const infoOf = (version: string): readonly YarnInfo[] =>
  readFileSync(join(FILES, version, 'info.ndjson'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as YarnInfo);

/** The key of what Yarn names by a locator: a version of the registry, patched or not, or a project. */
function keyOf(locator: string): string {
  const [, name, reference] = /^(.[^@]*)@(?:virtual:[^#]*#)?(.*)$/.exec(locator)!;
  const version = /^npm:(.*)$|::version=([^&]*)/.exec(reference!);
  return version === null ? name! : `${name}@${version[1] ?? version[2]}`;
}

const keysOf = ({ entities }: Bill): readonly string[] => entities.map(({ key }) => key).sort();
const linksOf = ({ relationships }: Bill, verb: string): readonly string[] =>
  relationships
    .filter((each) => each.verb === verb)
    .map(({ from, to }) => `${from.key} → ${to.key}`)
    .sort();
const distinct = (texts: readonly string[]): readonly string[] => [...new Set(texts)].sort();

describe.each(['yarn-3', 'yarn-4'])('a lock file that %s wrote', (version) => {
  it('has the packages and projects that Yarn counts, and what each depends on', async () => {
    const info = infoOf(version);
    const links = info.flatMap(({ value, children: { Dependencies = [] } }) =>
      Dependencies.map(({ locator }) => `${keyOf(value)} → ${keyOf(locator)}`),
    );

    const bill = await read(lockOf(version));

    expect(info.length).toBeGreaterThan(40);
    expect(keysOf(bill)).toEqual(distinct(info.map(({ value }) => keyOf(value))));
    expect(linksOf(bill, 'DEPENDS_ON')).toEqual(distinct(links));
    expect([bill.unresolved, bill.warnings]).toEqual([[], []]);
  });

  it('has projects with their versions, kinds of what they depend on, and what contains them', async () => {
    const bill = await read(lockOf(version));

    const projects = bill.entities.filter(({ type }) => type === 'npm_project');
    expect(projects.map(({ key, properties }) => [key, properties?.['version']]).sort()).toEqual([
      ['@shop/a', '1.0.0'],
      ['@shop/b', '1.1.0'],
      ['lib', undefined],
      ['shop', '2.0.0'],
    ]);
    expect(linksOf(bill, 'CONTAINS')).toEqual(['shop → @shop/a', 'shop → @shop/b']);
    const kinds = bill.relationships.map(({ from, to, properties }) => [
      from.key,
      to.key,
      properties?.['kind'],
    ]);
    expect(kinds).toContainEqual(['@shop/a', 'react@18.3.1', 'dev']);
    expect(kinds).toContainEqual(['shop', 'fsevents@2.3.3', 'optional']);
  });

  it('without the manifest keeps what depends on a range that was replaced', async () => {
    const { unresolved } = await read(lockOf(version), {});

    expect(unresolved.map(({ owner }) => owner.key)).toEqual(['@shop/b', 'debug@4.4.3']);
  });
});
