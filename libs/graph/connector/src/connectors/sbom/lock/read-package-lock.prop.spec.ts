import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { parseLockFile } from './lock-file.ts';
import { InstalledTree } from './package-graph.ts';
import { readPackageLock, type SoftwareBill } from './read-package-lock.ts';

const ROOT = join(import.meta.dirname, '../../../../../../..');
const OWN_LOCK = readFileSync(join(ROOT, 'package-lock.json'), 'utf8');

/** Node's own resolution paths. */
function nodeSearchPath(from: string, name: string): readonly string[] {
  const folders = createRequire(join(ROOT, from, 'index.js')).resolve.paths(`${name}/package.json`) ?? [];
  return folders
    .filter((folder) => folder.startsWith(ROOT))
    .map((folder) => relative(ROOT, join(folder, name)));
}

const name = fc.constantFrom('a', 'b', 'c', 'node', '@s/a', '@s/b');
const range = fc.constantFrom('1', '^2.0.0');
const path = fc
  .array(name, { minLength: 1, maxLength: 4 })
  .map((names) => names.map((each) => `node_modules/${each}`).join('/'));
const requirements = fc.dictionary(name, range, { maxKeys: 3, noNullPrototype: true });
const entry = fc.record(
  {
    version: fc.constantFrom('1.0.0', '2.0.0'),
    dev: fc.boolean(),
    license: fc.constantFrom('MIT', 'MIT OR ISC'),
    dependencies: requirements,
    optionalDependencies: requirements,
    peerDependencies: requirements,
  },
  { requiredKeys: ['version'] },
);
const lockText = fc
  .tuple(fc.record({ dependencies: requirements }), fc.array(fc.tuple(path, entry), { maxLength: 12 }))
  .map(([root, copies]) =>
    JSON.stringify({ name: 'p', lockfileVersion: 3, packages: { '': root, ...Object.fromEntries(copies) } }),
  );

const identity = ({ type, key }: { readonly type: string; readonly key: string }) => `${type} ${key}`;

function depthOf(bill: SoftwareBill): ReadonlyMap<string, number> {
  const depths = bill.entities.map((each) => [
    identity(each),
    each.type === 'npm_project' ? 0 : Number(each.properties['depth'] ?? Infinity),
  ]);
  return new Map(depths as [string, number][]);
}

describe('a software bill', () => {
  it('has unique keys, and contains the ends of every relationship', () => {
    fc.assert(
      fc.property(lockText, (text) => {
        const bill = readPackageLock(text);
        const identities = bill.entities.map(identity);

        expect(new Set(identities).size).toBe(identities.length);
        expect(identities).toEqual(
          expect.arrayContaining(
            bill.relationships.flatMap(({ from, to }) => [identity(from), identity(to)]),
          ),
        );
      }),
    );
  });

  it('gives each package a depth of one more than its nearest dependent', () => {
    fc.assert(
      fc.property(lockText, (text) => {
        const bill = readPackageLock(text);
        const depths = depthOf(bill);
        const dependencies = bill.relationships.filter(({ verb }) => verb === 'DEPENDS_ON');

        for (const [key, depth] of depths) {
          if (!key.startsWith('npm_package')) continue;
          const users = dependencies.filter(({ to }) => identity(to) === key);
          const least = Math.min(Infinity, ...users.map(({ from }) => depths.get(identity(from)) ?? NaN));
          expect(depth).toBe(least + 1);
        }
      }),
    );
  });

  it('has exactly the names and versions of this repository’s own lock file', () => {
    const { packages } = JSON.parse(OWN_LOCK) as {
      packages: Record<string, { name?: string; version?: string }>;
    };
    const versions = Object.entries(packages)
      .filter(([path]) => path !== '')
      .map(
        ([path, { name, version }]) => `${name ?? path.replace(/^.*node_modules\//, '')}@${version ?? ''}`,
      );

    const bill = readPackageLock(OWN_LOCK);

    const keys = bill.entities.filter(({ type }) => type === 'npm_package').map(({ key }) => key);
    expect(keys.sort()).toEqual(Array.from(new Set(versions)).sort());
    expect(bill.unresolved).toEqual([]);
  });
});

describe('the installed tree', () => {
  it('is searched like Node does', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(path, { maxLength: 12 }),
        fc.option(path, { nil: '' }),
        name,
        (paths, from, wanted) => {
          const packages = Object.fromEntries(
            ['', from, ...paths].map((each) => [each, { version: '1.0.0' }]),
          );
          const { entries } = parseLockFile(JSON.stringify({ lockfileVersion: 3, packages }));

          const found = new InstalledTree(entries).resolve(from, wanted);

          expect(found).toBe(nodeSearchPath(from, wanted).find((candidate) => candidate in packages));
        },
      ),
    );
  });

  it('resolves to the installed copies of this checkout', () => {
    const { entries } = parseLockFile(OWN_LOCK);
    const tree = new InstalledTree(entries);

    const wrong: string[] = [];
    for (const [from, { requirements: wanted }] of entries) {
      if (!existsSync(join(ROOT, from, 'package.json'))) continue;
      for (const requirement of wanted) {
        // An install script may add folders that the lock file lacks.
        const installed = nodeSearchPath(from, requirement.name).find(
          (folder) => entries.has(folder) && existsSync(join(ROOT, folder)),
        );
        const found = tree.resolve(from, requirement.name);
        if (installed !== undefined && found !== installed)
          wrong.push(`${dirname(from)}: ${requirement.name}`);
      }
    }

    expect(wrong).toEqual([]);
  });
});
