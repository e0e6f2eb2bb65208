import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Bill } from '../bill-builder.ts';
import { billFormat, readBill } from '../read-bill.ts';

const FILES = join(import.meta.dirname, '../../../../test/lock');
const fileOf = (path: string): string => readFileSync(join(FILES, path), 'utf8');
const linesOf = (path: string): readonly string[] => fileOf(path).trim().split('\n');

const read = (text: string, files: Readonly<Record<string, string>> = {}): Promise<Bill> =>
  readBill({ text, folder: 'folder', beside: (path) => Promise.resolve(files[path]) });
const DENO_FILES = { 'package.json': fileOf('deno-5/package.json') };

const keysOf = ({ entities }: Bill, type?: string): readonly string[] =>
  entities
    .filter((each) => type === undefined || each.type === type)
    .map(({ key }) => key)
    .sort();
const linksOf = ({ relationships }: Bill, verb = 'DEPENDS_ON'): readonly string[] =>
  relationships
    .filter((each) => each.verb === verb)
    .map(({ from, to }) => `${from.key} → ${to.key}`)
    .sort();
const kindOf = ({ relationships }: Bill, from: string, to: string) =>
  relationships.find((each) => each.from.key === from && each.to.key === to)?.properties;
const distinct = (texts: readonly string[]): readonly string[] => [...new Set(texts)].sort();

describe.each(['bun-1', 'bun-2'])('a lock file that %s wrote', (version) => {
  const text = fileOf(`${version}/bun.lock`);

  it('has the packages and projects that Bun lists', async () => {
    const listed = linesOf('bun-2/installed.txt').map((line) => line.replace(/^[│├└─\s]+/, ''));
    const expected = listed.map((each) =>
      each.replace(/^(@shop\/.|lib)@.*$/, '$1').replace('odd-alias@', 'is-number@'),
    );

    const bill = await read(text);

    expect(listed.length).toBeGreaterThan(20);
    expect(keysOf(bill)).toEqual(distinct([...expected, 'shop', 'fsevents@2.3.3']));
    expect([bill.unresolved, bill.warnings]).toEqual([[], []]);
    expect(billFormat(text)).toBe('bun.lock');
  });

  it('has what Node finds for each dependency, and what is not for this platform', async () => {
    const bill = await read(text);

    expect(linksOf(bill)).toEqual(distinct([...linesOf('bun-2/depends.txt'), 'shop → fsevents@2.3.3']));
    expect(linksOf(bill, 'CONTAINS')).toEqual(['shop → @shop/a', 'shop → @shop/b']);
    expect(kindOf(bill, '@shop/a', 'react@18.3.1')).toEqual({ kind: 'dev', range: '^18.0.0' });
    expect(kindOf(bill, 'shop', 'fsevents@2.3.3')).toEqual({ kind: 'optional', range: '^2.3.3' });
    expect(kindOf(bill, 'react-dom@18.3.1', 'react@18.3.1')).toMatchObject({ kind: 'peer' });
    expect(bill.entities.find(({ key }) => key === '@shop/b')?.properties).toMatchObject({
      version: '1.1.0',
    });
    expect(bill.entities.find(({ key }) => key === 'ms@2.0.0')?.properties).toMatchObject({
      purl: 'pkg:npm/ms@2.0.0',
      integrity: expect.stringMatching(/^sha512-/),
    });
  });

  it('reports what is not in it', async () => {
    const bill = await read(text.replace(/ {4}"debug\/ms":.*\n/, '').replace(/ {4}"picocolors":.*\n/, ''));

    expect(bill.unresolved.map(({ reason }) => reason)).toEqual([
      '@babel/code-frame: picocolors ^1.0.0 is not in the lock file',
    ]);
  });

  it.each([
    [text.replace(/"lockfileVersion": ./, '"lockfileVersion": 9'), 'lockfileVersion: expected 0, 1 or 2'],
    [text.slice(0, text.length / 2), 'expected a bun.lock, got other YAML'],
    [
      '{ "lockfileVersion": 1, "workspaces": {}, "packages": {} }',
      'workspaces[""]: expected the project itself',
    ],
  ])('is refused with the place of the fault: %#', async (damaged, message) => {
    await expect(read(damaged)).rejects.toThrow(message);
  });

  it('leaves out an entry that is none, with its place', async () => {
    const bill = await read(text.replace(/"ms": \[.*\],/, '"ms": 5,'));

    expect(bill.warnings.join('\n')).toContain('packages["ms"]');
    expect(bill.isWhole).toBe(false);
  });
});

it('names repositories, addresses, files and folders of bun.lock without a version', async () => {
  const text = JSON.stringify({
    lockfileVersion: 1,
    workspaces: { '': { dependencies: { a: 'x', b: 'x', c: 'x', d: 'x', e: 'x' } } },
    packages: {
      a: ['a@github:acme/a#1234567', {}, 'acme-a-1234567'],
      b: ['b@https://example.com/b.tgz', {}, 'sha512-x'],
      c: ['c@file:c.tgz', {}, ''],
      d: ['d@link:d', {}],
      e: ['e@1.0.0', 'https://user:secret@npm.example/e.tgz', {}, 'sha512-x'],
    },
  });

  const bill = await read(text);

  expect(keysOf(bill, 'npm_package')).toEqual(['a', 'b', 'c', 'e@1.0.0']);
  expect(keysOf(bill, 'npm_project')).toEqual(['d', 'folder']);
  expect(JSON.stringify(bill)).not.toContain('secret');
});

describe('a lock file that Deno wrote', () => {
  const text = fileOf('deno-5/deno.lock');

  it('has the packages that Deno installs, and what Node finds for each dependency', async () => {
    const bill = await read(text, DENO_FILES);

    const installed = linesOf('deno-5/installed.txt').filter((each) => !each.startsWith('shop@'));
    expect(installed.length).toBeGreaterThan(15);
    expect(keysOf(bill)).toEqual(distinct([...installed, 'shop']));
    // Those of deno.json are of the same project.
    const ofDeno = ['chalk@4.1.2', 'ms@2.0.0', 'react-dom@18.3.1'].map((each) => `shop → ${each}`);
    expect(linksOf(bill)).toEqual(distinct([...linesOf('deno-5/depends.txt'), ...ofDeno]));
    expect(kindOf(bill, 'shop', 'react@18.3.1')).toEqual({ kind: 'dev', range: '18' });
    expect([bill.unresolved, bill.warnings]).toEqual([[], []]);
    expect(billFormat(text)).toBe('deno.lock');
  });

  it('may be of another version, with packages of JSR, members, and modules by address', async () => {
    const packages = {
      specifiers: { 'jsr:@std/path@^1': 'jsr:@std/path@1.0.8', 'npm:a@1': 'npm:a@1.2.0' },
      jsr: {
        '@std/path@1.0.8': { integrity: 'x', dependencies: ['jsr:@std/io', 'npm:a@1'] },
        '@std/io@0.2.0': { integrity: 'y' },
      },
      npm: { 'a@1.2.0': { integrity: 'z', dependencies: { b: 'b@2.0.0' } }, 'b@2.0.0': { integrity: 'w' } },
    };
    const members = { 'packages/m': { dependencies: ['npm:a@1'] } };
    const workspace = { dependencies: ['jsr:@std/path@^1'], members };
    const remote = { 'https://deno.land/std/x.ts': 'hash' };

    const bill = await read(JSON.stringify({ version: '3', packages, workspace, remote }));

    expect(keysOf(bill, 'jsr_package')).toEqual(['@std/io@0.2.0', '@std/path@1.0.8']);
    expect(linksOf(bill)).toEqual([
      '@std/path@1.0.8 → @std/io@0.2.0',
      '@std/path@1.0.8 → a@1.2.0',
      'a@1.2.0 → b@2.0.0',
      'folder → @std/path@1.0.8',
      'packages/m → a@1.2.0',
    ]);
    expect(linksOf(bill, 'CONTAINS')).toEqual(['folder → packages/m']);
    expect(Object.fromEntries(bill.ignored)).toEqual({ 'remote modules': 1 });
  });

  it('reports what is not in it', async () => {
    const lock = JSON.parse(text) as { readonly npm: Record<string, unknown> };
    delete lock.npm['js-tokens@4.0.0'];

    const bill = await read(JSON.stringify(lock), DENO_FILES);

    expect(bill.unresolved.map(({ owner, reason }) => `${owner.key}: ${reason}`)).toEqual([
      'loose-envify@1.4.0: loose-envify@1.4.0: js-tokens  is not in the lock file',
    ]);
  });

  it.each([
    [text.replace('"version": "5"', '"version": "2"'), 'version: expected "3", "4" or "5", as Deno writes'],
    [text.slice(0, text.length / 2), 'expected a software bill of materials in JSON'],
  ])('is refused with the place of the fault: %#', async (damaged, message) => {
    await expect(read(damaged)).rejects.toThrow(message);
  });
});
