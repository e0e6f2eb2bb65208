import { describe, expect, it } from '@jest/globals';
import type { EntityInput } from '#graph/model';
import { readPackageLock, type SoftwareBill } from './read-package-lock.ts';

const lock = (packages: object, rest: object = {}) =>
  JSON.stringify({ name: 'shop', lockfileVersion: 3, packages, ...rest });

const entity = (bill: SoftwareBill, key: string): EntityInput | undefined =>
  bill.entities.find((candidate) => candidate.key === key);

const arrows = (bill: SoftwareBill, verb = 'DEPENDS_ON') =>
  bill.relationships
    .filter((relationship) => relationship.verb === verb)
    .map(({ from, to, properties }) => [from.key, to.key, properties['kind']].filter(Boolean).join(' '));

describe('readPackageLock', () => {
  it('creates a project for the root and a package for each name and version', () => {
    const bill = readPackageLock(
      lock({
        '': { name: 'shop', version: '2.0.0', license: 'MIT', dependencies: { '@x/cart': '^1.0.0' } },
        'node_modules/@x/cart': {
          version: '1.4.0',
          resolved: 'https://user:token@registry.example.org/@x/cart/-/cart-1.4.0.tgz',
          integrity: 'sha512-abc',
          license: 'ISC',
          hasInstallScript: true,
          engines: { node: '>=18' },
          os: ['linux'],
        },
      }),
    );

    expect(entity(bill, 'shop')).toEqual({
      type: 'npm_project',
      key: 'shop',
      class: 'Project',
      displayName: 'shop',
      properties: { name: 'shop', version: '2.0.0', license: 'MIT' },
    });
    expect(entity(bill, '@x/cart@1.4.0')).toEqual({
      type: 'npm_package',
      key: '@x/cart@1.4.0',
      class: 'Package',
      displayName: '@x/cart@1.4.0',
      properties: {
        name: '@x/cart',
        version: '1.4.0',
        license: 'ISC',
        node_range: '>=18',
        scope: '@x',
        purl: 'pkg:npm/%40x/cart@1.4.0',
        depth: 1,
        copies: 1,
        dev: false,
        optional: false,
        bundled: false,
        has_install_script: true,
        integrity: 'sha512-abc',
        resolved: 'https://registry.example.org/@x/cart/-/cart-1.4.0.tgz',
        os: ['linux'],
      },
    });
  });

  it('resolves a dependency to the nearest copy upwards', () => {
    const bill = readPackageLock(
      lock({
        '': { dependencies: { a: '1', b: '1' } },
        'node_modules/a': { version: '1.0.0', dependencies: { b: '2', c: '1' } },
        'node_modules/a/node_modules/b': { version: '2.0.0', dependencies: { c: '1' } },
        'node_modules/b': { version: '1.0.0' },
        'node_modules/c': { version: '1.0.0', dependencies: { b: '1' } },
      }),
    );

    expect(arrows(bill)).toEqual([
      'shop a@1.0.0 prod',
      'shop b@1.0.0 prod',
      'a@1.0.0 b@2.0.0 prod',
      'a@1.0.0 c@1.0.0 prod',
      'b@2.0.0 c@1.0.0 prod',
      'c@1.0.0 b@1.0.0 prod',
    ]);
  });

  it('merges the copies of a version, with the facts that hold for all of them', () => {
    const bill = readPackageLock(
      lock({
        '': { dependencies: { a: '1' }, devDependencies: { b: '1' } },
        'node_modules/a': { version: '1.0.0', dependencies: { d: '1' } },
        'node_modules/a/node_modules/d': { version: '1.0.0' },
        'node_modules/b': { version: '1.0.0', dev: true, dependencies: { d: '1' } },
        'node_modules/b/node_modules/d': { version: '1.0.0', dev: true },
        'node_modules/d': { version: '9.0.0', dev: true },
      }),
    );

    expect(entity(bill, 'd@1.0.0')?.properties).toMatchObject({ copies: 2, dev: false, depth: 2 });
    expect(entity(bill, 'b@1.0.0')?.properties).toMatchObject({ copies: 1, dev: true });
  });

  it('distinguishes the kinds of dependencies; optional overrides prod', () => {
    const bill = readPackageLock(
      lock({
        '': {
          dependencies: { a: '1', o: '1' },
          optionalDependencies: { o: '1' },
          devDependencies: { d: '1' },
        },
        'node_modules/a': { version: '1.0.0', peerDependencies: { d: '1' } },
        'node_modules/o': { version: '1.0.0', optional: true },
        'node_modules/d': { version: '1.0.0' },
      }),
    );

    expect(arrows(bill)).toEqual([
      'shop d@1.0.0 dev',
      'shop a@1.0.0 prod',
      'shop o@1.0.0 optional',
      'a@1.0.0 d@1.0.0 peer',
    ]);
  });

  it('lists a required dependency without a package, and ignores optional ones', () => {
    const bill = readPackageLock(
      lock({
        '': {
          dependencies: { gone: '^1' },
          optionalDependencies: { fsevents: '2' },
          peerDependencies: { react: '*' },
          peerDependenciesMeta: { react: { optional: true } },
        },
      }),
    );

    const from = { type: 'npm_project', key: 'shop' };
    expect(bill.unresolved).toEqual([{ from, name: 'gone', range: '^1', kind: 'prod' }]);
  });

  it('follows the links of workspaces', () => {
    const bill = readPackageLock(
      lock({
        '': { name: 'shop', dependencies: { '@shop/api': '*' } },
        'node_modules/@shop/api': { resolved: 'packages/api', link: true },
        'packages/api': { version: '0.1.0', dependencies: { a: '1' } },
        'packages/api/node_modules/a': { version: '1.0.0' },
      }),
    );

    expect(entity(bill, '@shop/api')?.type).toBe('npm_project');
    expect(arrows(bill)).toEqual(['shop @shop/api prod', '@shop/api a@1.0.0 prod']);
    expect(arrows(bill, 'CONTAINS')).toEqual(['shop @shop/api']);
  });

  it('uses the name of the package for an alias', () => {
    const bill = readPackageLock(
      lock({
        '': { dependencies: { 'lodash-old': 'npm:lodash@3' } },
        'node_modules/lodash-old': { name: 'lodash', version: '3.10.1' },
      }),
    );

    expect(arrows(bill)).toEqual(['shop lodash@3.10.1 prod']);
  });

  it('creates an entity for each licence in an expression', () => {
    const bill = readPackageLock(
      lock({ '': {}, 'node_modules/a': { version: '1.0.0', license: '(MIT OR Apache-2.0)' } }),
    );

    expect(arrows(bill, 'LICENSED_UNDER')).toEqual(['a@1.0.0 MIT', 'a@1.0.0 Apache-2.0']);
    expect(entity(bill, 'MIT')).toMatchObject({ type: 'license', class: 'License' });
  });

  it.each([
    ['{', 'expected a package-lock.json, got text that is not JSON'],
    ['[]', 'expected an object, got a list'],
    ['{"lockfileVersion":4}', 'lockfileVersion: expected 1, 2 or 3, as npm writes, got 4'],
    ['{}', 'lockfileVersion: expected 1, 2 or 3, as npm writes, got nothing'],
    ['{"lockfileVersion":3}', 'packages: expected an object, got nothing'],
    [lock({}), 'packages[""]: expected the project itself, got nothing'],
    [lock({ '': [] }), 'packages[""]: expected the project itself, got nothing'],
  ])('refuses %s and says where', (text, message) => {
    expect(() => readPackageLock(text)).toThrow(message);
  });

  it.each([
    [
      'an entry that is no object',
      { 'node_modules/a': [] },
      'packages["node_modules/a"]: expected an object, got a list',
    ],
    [
      'a link without a target',
      { 'node_modules/a': { link: true } },
      'resolved: expected the path that the link leads to',
    ],
    [
      'a link to nowhere',
      { 'node_modules/a': { link: true, resolved: 'x' } },
      'it links to "x", which does not exist',
    ],
  ])('leaves out %s, and keeps the dependencies of what asks for it', (_what, more, warning) => {
    const root = { dependencies: { a: '1', b: '1' } };
    const bill = readPackageLock(lock({ '': root, 'node_modules/b': { version: '1.0.0' }, ...more }));

    expect(arrows(bill, 'DEPENDS_ON')).toEqual(['shop b@1.0.0 prod']);
    expect(bill.unresolved).toMatchObject([{ from: { type: 'npm_project', key: 'shop' }, name: 'a' }]);
    expect(bill.warnings).toEqual([expect.stringContaining(warning)]);
  });

  it.each([
    ['version', { version: 1 }, 'packages["node_modules/a"].version: expected a text, got a number'],
    ['dev', { dev: 'yes' }, 'packages["node_modules/a"].dev: expected true or false, got a string'],
    ['os', { os: [7] }, 'packages["node_modules/a"].os: expected texts, got 1 other values'],
    ['range', { dependencies: { b: null } }, 'packages["node_modules/a"].dependencies.b: expected a text'],
    [
      'list of dependencies',
      { dependencies: [] },
      'packages["node_modules/a"].dependencies: expected an object',
    ],
    ['license', { license: '\ud800' }, 'packages["node_modules/a"]: replaced a lone surrogate'],
    ['name', { name: 'n'.repeat(2_000) }, 'packages["node_modules/a"]: the key of nnn'],
    ['name with NUL', { name: 'a\0b' }, 'packages["node_modules/a"]: the key of a'],
  ])('leaves out or cuts a faulty %s', (_what, entry, warning) => {
    const bill = readPackageLock(lock({ '': { dependencies: { a: '1' } }, 'node_modules/a': entry }));

    expect(arrows(bill, 'DEPENDS_ON')).toHaveLength(1);
    expect(bill.warnings).toEqual([expect.stringContaining(warning)]);
  });
});
