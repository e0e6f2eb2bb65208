/** Lock files of ecosystems other than npm's, that others have written; see test/lock/README.md. */
import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Bill } from '../bill-builder.ts';
import { billFormat, readBill } from '../read-bill.ts';

const FILES = join(import.meta.dirname, '../../../../test/lock');
const fileOf = (path: string): string => readFileSync(join(FILES, path), 'utf8');
const read = (text: string, files: Readonly<Record<string, string>> = {}): Promise<Bill> =>
  readBill({ text, folder: 'folder', beside: (path) => Promise.resolve(files[path]) });

const keysOf = ({ entities }: Bill, className: string): readonly string[] =>
  entities
    .filter((each) => each.class === className)
    .map(({ key }) => key)
    .sort();
const linksOf = ({ relationships }: Bill): readonly string[] =>
  relationships
    .filter(({ verb }) => verb === 'DEPENDS_ON')
    .map(({ from, to }) => `${from.key} → ${to.key}`)
    .sort();
const factsOf = ({ relationships }: Bill, from: string, to: string) =>
  relationships.find((each) => each.from.key === from && each.to.key === to)?.properties;
const found = (text: string, pattern: RegExp): readonly string[] =>
  [...new Set(Array.from(text.matchAll(pattern), ([, ...groups]) => groups.join('@')))].sort();
/** Of Maven's names in package URLs; some registries have names in small letters only. */
const alike = (key: string): string => key.replaceAll('/', ':').toLowerCase();

/** The packages as a search in the text finds them. */
const SEARCHES: readonly (readonly [string, string, RegExp, number])[] = [
  ['Cargo.lock', 'cargo/Cargo.lock', /^name = "(.*)"\nversion = "(.*)"\nsource = /gm, 52],
  ['uv.lock', 'uv/uv.lock', /^name = "(.*)"\nversion = "(.*)"\nsource = \{ registry/gm, 12],
  ['poetry.lock', 'poetry/poetry.lock', /^name = "(.*)"\nversion = "(.*)"$/gm, 11],
  ['Pipfile.lock', 'pipenv/Pipfile.lock', /"([\w.-]+)": \{(?:[^{}]*?)"version": "==(.*?)"/g, 24],
  ['requirements.txt', 'pip/requirements.txt', /^(\w+) == ([\w.]+)/gm, 2],
  ['composer.lock', 'composer/composer.lock', /"name": "(.*\/.*)",\s+"version": "(.*)"/g, 3],
  ['Gemfile.lock', 'bundler/Gemfile.lock', /^ {4}(\S+) \(([^-)]+).*\)$/gm, 51],
  ['go.mod', 'go/go.mod', /^\t(\S+) (v\S+)/gm, 19],
  [
    'packages.lock.json',
    'nuget/packages.lock.json',
    /"([\w.]+)": \{\s+"type": "(?:Direct|Transitive)",(?:\s+"requested": ".*",)?\s+"resolved": "(.*)"/g,
    8,
  ],
  ['gradle.lockfile', 'gradle/gradle.lockfile', /^([^#:\n]+:[^:]+):(.*?)=/gm, 4],
];
const BESIDE: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'poetry.lock': { 'pyproject.toml': fileOf('poetry/pyproject.toml') },
  'composer.lock': { 'composer.json': fileOf('composer/composer.json') },
};

describe.each(SEARCHES)('%s', (format, path, pattern, count) => {
  const text = fileOf(path);

  it('has the packages that a search in its text finds, and nothing that is not understood', async () => {
    const bill = await read(text, BESIDE[format]);

    const expected = found(text, pattern);
    expect(expected).toHaveLength(count);
    expect(keysOf(bill, 'Package').map(alike).sort()).toEqual(expected.map(alike).sort());
    expect([bill.warnings, bill.unresolved, bill.isWhole]).toEqual([[], [], true]);
    expect(billFormat(text)).toBe(format);
  });

  it('says on what each of them depends, from a project on', async () => {
    const bill = await read(text, BESIDE[format]);

    const needed = new Set(bill.relationships.map(({ to }) => to.key));
    const lonely = keysOf(bill, 'Package').filter((key) => !needed.has(key));
    expect(lonely).toEqual([]);
  });
});

describe('Cargo.lock', () => {
  it('has the projects of the workspace, checksums, and each dependency by the name in the file', async () => {
    const text = fileOf('cargo/Cargo.lock');
    const bill = await read(text);

    const projects = found(text, /^name = "(.*)"\nversion = ".*"\n(?!source)/gm);
    expect(keysOf(bill, 'Project')).toEqual(projects);
    expect(projects).toContain('ripgrep');
    expect(linksOf(bill)).toHaveLength(Array.from(text.matchAll(/^ "[^"]+",$/gm)).length);
    expect(linksOf(bill)).toContain('ripgrep → ignore');
    expect(bill.entities.find(({ key }) => key.startsWith('memchr@'))?.properties).toMatchObject({
      purl: expect.stringMatching(/^pkg:cargo\/memchr@2/),
      hashes: [expect.stringMatching(/^SHA-256:[0-9a-f]{64}$/)],
    });
  });

  it('tells two versions and two sources of one name apart', async () => {
    const bill = await read(`[[package]]
name = "app"
version = "1.0.0"
dependencies = ["log 0.4.1 (registry+https://github.com/rust-lang/crates.io-index)", "log 0.3.9", "own"]
[[package]]
name = "log"
version = "0.3.9"
source = "registry+https://github.com/rust-lang/crates.io-index"
[[package]]
name = "log"
version = "0.4.1"
source = "registry+https://github.com/rust-lang/crates.io-index"
[[package]]
name = "own"
version = "2.0.0"
source = "git+https://user:secret@example.com/own?branch=main#0123456789"
`);

    expect(linksOf(bill)).toEqual(['app → log@0.3.9', 'app → log@0.4.1', 'app → own@2.0.0']);
    expect(bill.entities.find(({ key }) => key === 'own@2.0.0')?.properties).toMatchObject({
      resolved: 'git+https://example.com/own?branch=main#0123456789',
    });
    expect(JSON.stringify(bill)).not.toContain('secret');
  });

  it('reports a dependency that is not in it', async () => {
    const bill = await read(fileOf('cargo/Cargo.lock').replace(/\[\[package\]\]\nname = "memchr"[^[]*/, ''));

    expect(bill.unresolved[0]?.reason).toMatch(/memchr {2}is not in the lock file$/);
  });
});

describe('lock files of Python', () => {
  it('have kinds and ranges of direct dependencies: uv', async () => {
    const bill = await read(fileOf('uv/uv.lock'));

    expect(keysOf(bill, 'Project')).toEqual(['happy']);
    expect(factsOf(bill, 'happy', 'requests@2.32.3')).toEqual({ kind: 'prod', range: '==2.32.3' });
    expect(factsOf(bill, 'happy', 'pytest@8.3.4')).toEqual({ kind: 'dev', range: '==8.3.4' });
    expect(linksOf(bill)).toContain('requests@2.32.3 → certifi@2024.12.14');
  });

  it('have them in the pyproject.toml beside: Poetry', async () => {
    const bill = await read(fileOf('poetry/poetry.lock'), BESIDE['poetry.lock']);

    expect(keysOf(bill, 'Project')).toEqual(['example']);
    expect(factsOf(bill, 'example', 'flask@1.1.4')).toEqual({ kind: 'prod', range: '^1.0' });
    expect(factsOf(bill, 'example', 'requests@2.28.1')).toEqual({ kind: 'optional', range: '2.28.1' });
  });

  it('say that more may be asked for where there is no pyproject.toml', async () => {
    const bill = await read(fileOf('poetry/poetry.lock'));

    expect(keysOf(bill, 'Project')).toEqual(['folder']);
    expect(linksOf(bill)).toContain('folder → flask@1.1.4');
    expect(linksOf(bill)).not.toContain('folder → click@7.1.2');
    expect(bill.unresolved).toMatchObject([{ owner: { key: 'folder' }, verb: 'DEPENDS_ON' }]);
  });

  it('take of several versions those that a range may mean', async () => {
    const bill = await read(
      '[[package]]\nname = "a"\nversion = "1.0"\npython-versions = "*"\n[package.dependencies]\n' +
        'NumPy = {version = ">=2", markers = "python_version > \'3.9\'"}\n' +
        '[[package]]\nname = "numpy"\nversion = "1.26"\npython-versions = "*"\n' +
        '[[package]]\nname = "numpy"\nversion = "2.1"\npython-versions = "*"\n' +
        '[metadata]\nlock-version = "2.0"\npython-versions = "*"\n',
    );

    expect(linksOf(bill)).toEqual(['a@1.0 → numpy@2.1', 'folder → a@1.0']);
  });

  it('have requirements in lists: PDM', async () => {
    const bill = await read(
      '# This file is @generated by PDM.\n[metadata]\ngroups = ["default", "test"]\nlock_version = "4.5.0"\n' +
        '[[package]]\nname = "requests"\nversion = "2.31.0"\nrequires_python = ">=3.7"\n' +
        'dependencies = ["urllib3<3,>=1.21.1", "win-only; sys_platform == \\"win32\\""]\n' +
        '[[package]]\nname = "urllib3"\nversion = "2.2.1"\n[[package]]\nname = "pytest"\nversion = "8.1.1"\n',
      {
        'pyproject.toml':
          '[project]\nname = "shop"\nversion = "1.0"\ndependencies = ["Requests>=2"]\n' +
          '[dependency-groups]\ntest = ["pytest", "missing>=1", {include-group = "x"}]\n',
      },
    );

    expect(linksOf(bill)).toEqual([
      'requests@2.31.0 → urllib3@2.2.1',
      'shop → pytest@8.1.1',
      'shop → requests@2.31.0',
    ]);
    expect(factsOf(bill, 'shop', 'pytest@8.1.1')).toEqual({ kind: 'dev' });
    expect(bill.unresolved.map(({ reason }) => reason)).toEqual([
      'pyproject.toml: missing >=1 is not in the lock file',
    ]);
  });

  it('leave out what has no exact version: requirements.txt', async () => {
    const bill = await read(
      '# by hand\n--index-url https://user:secret@example.com/simple\nflask == 1.0  # pinned\nrequests>=2\n' +
        'own @ https://example.com/own-1.zip\n-r base.txt\nDjango[argon2]==4.2 ; python_version > "3"\n?\n',
    );

    expect(keysOf(bill, 'Package')).toEqual(['django@4.2', 'flask@1.0', 'own']);
    expect(bill.isWhole).toBe(false);
    expect(bill.warnings).toEqual([
      'requirement in line 4: requests>=2 is no exact version',
      'requirement in line 6: -r base.txt is not read',
      'requirement in line 8: expected a requirement, got ?',
    ]);
    expect(JSON.stringify(bill)).not.toContain('secret');
  });
});

describe('composer.lock', () => {
  const composer = (packages: readonly object[]) =>
    JSON.stringify({ 'content-hash': 'x', packages, 'packages-dev': [] });

  it('has licences, kinds and ranges; PHP itself is nothing that is installed', async () => {
    const bill = await read(fileOf('composer/composer.lock'), BESIDE['composer.lock']);

    expect(factsOf(bill, 'folder', 'pear/log@1.14.6')).toEqual({ kind: 'dev', range: '^1.13' });
    expect(keysOf(bill, 'License')).toContain('MIT');
  });

  it('finds what another package provides or replaces, and names what is missing', async () => {
    const bill = await read(
      composer([
        {
          name: 'acme/app',
          version: '1.0',
          require: { php: '>=8', 'ext-json': '*', 'Psr/log': '^1', 'acme/gone': '*' },
        },
        { name: 'acme/log', version: '2.0', provide: { 'psr/log': '1.0' }, license: ['MIT', 'Apache-2.0'] },
      ]),
      { 'composer.json': '{"name":"acme/shop","require":{"acme/app":"*"}}' },
    );

    expect(linksOf(bill)).toEqual(['acme/app@1.0 → acme/log@2.0', 'acme/shop → acme/app@1.0']);
    expect(bill.unresolved.map(({ reason }) => reason)).toEqual([
      'packages[0]: acme/gone * is not in the lock file',
    ]);
    expect(bill.entities.find(({ key }) => key === 'acme/log@2.0')?.properties).toMatchObject({
      license: 'MIT OR Apache-2.0',
    });
  });
});

describe('Gemfile.lock', () => {
  it('has one version of a gem for several platforms, the projects of paths, and places of repositories', async () => {
    const bill = await read(`GIT
  remote: https://example.com/own.git
  revision: 0123
  specs:
    own (1.0)
      nokogiri
PATH
  remote: .
  specs:
    shop (2.0)
      own (>= 1)
GEM
  remote: https://rubygems.org/
  specs:
    nokogiri (1.13.1)
      racc (~> 1.4)
    nokogiri (1.13.1-x86_64-linux)
      racc (~> 1.4)
    racc (1.6.0)

PLATFORMS
  x86_64-linux

DEPENDENCIES
  shop!
  tzinfo-data
`);

    expect(keysOf(bill, 'Package')).toEqual(['nokogiri@1.13.1', 'own@1.0', 'racc@1.6.0']);
    expect(keysOf(bill, 'Project')).toEqual(['folder', 'shop']);
    expect(linksOf(bill)).toEqual([
      'folder → shop',
      'nokogiri@1.13.1 → racc@1.6.0',
      'own@1.0 → nokogiri@1.13.1',
      'shop → own@1.0',
    ]);
    expect(bill.entities.find(({ key }) => key === 'own@1.0')?.properties).toMatchObject({
      resolved: 'https://example.com/own.git',
    });
    expect(Object.fromEntries(bill.ignored)).toEqual({ 'gems of other platforms': 1 });
  });
});

describe('go.mod', () => {
  it('follows what is replaced, by another module or a folder', async () => {
    const bill = await read(`module example.com/shop // the shop

go 1.22
require example.com/a v1.0.0
require (
  "example.com/b" v1.1.0 // indirect
  example.com/C/v2 v2.0.0+incompatible
)
replace example.com/a => ../a
replace (
  example.com/b v1.1.0 => example.com/fork v1.1.1
  example.com/C/v2 v2.0.1 => example.com/never v1.0.0
)
exclude example.com/a v0.9.0
retract [v1.0.0, v1.1.0]
`);

    expect(keysOf(bill, 'Project')).toEqual(['example.com/a', 'example.com/shop']);
    expect(keysOf(bill, 'Package')).toEqual([
      'example.com/c/v2@v2.0.0+incompatible',
      'example.com/fork@v1.1.1',
    ]);
    expect(factsOf(bill, 'example.com/shop', 'example.com/fork@v1.1.1')).toMatchObject({ kind: 'indirect' });
    expect([bill.warnings, bill.isWhole]).toEqual([[], true]);
  });
});

describe('packages.lock.json', () => {
  it('has the packages of each framework, whose names differ in the case of letters, and projects', async () => {
    const bill = await read(
      JSON.stringify({
        version: 2,
        dependencies: {
          'net8.0': {
            'Acme.App': {
              type: 'Direct',
              requested: '[1.0.0, )',
              resolved: '1.0.0',
              dependencies: { 'acme.CORE': '2.0.0' },
            },
            'Acme.Core': { type: 'Transitive', resolved: '2.0.0' },
            library: { type: 'Project', dependencies: { 'Acme.Core': '[2.0.0, )' } },
          },
          'net8.0/linux-x64': { 'Acme.Core': { type: 'Transitive', resolved: '2.0.1' } },
        },
      }),
    );

    expect(keysOf(bill, 'Package')).toEqual(['Acme.App@1.0.0', 'Acme.Core@2.0.0', 'Acme.Core@2.0.1']);
    expect(linksOf(bill)).toEqual([
      'Acme.App@1.0.0 → Acme.Core@2.0.0',
      'folder → Acme.App@1.0.0',
      'folder → library',
      'library → Acme.Core@2.0.0',
    ]);
    expect(factsOf(bill, 'folder', 'Acme.App@1.0.0')).toEqual({ kind: 'prod', range: '[1.0.0, )' });
  });
});

describe('a lock file that is cut or of another version', () => {
  it.each([
    ['version = 9\n[[package]]\nname = "a"\nversion = "1"\n', 'version: expected 1 to 4'],
    ['version = 4\n[[package]]\nname = "a\n', 'expected a Cargo.lock, got other text'],
    ['[[package]]\nname = "a"\n', 'got a lock file in TOML that is cut'],
    ['version = 2\nrequires-python = ">=3"\n[[package]]\nname = "a"\n', 'version: expected 1, as uv writes'],
    [
      '[[package]]\nname = "a"\nversion = "1"\npython-versions = "*"\n',
      'metadata: expected the end of a poetry.lock',
    ],
    ['[metadata]\nlock-version = "9.0"\npython-versions = "*"\n', 'metadata.lock-version: expected 1 or 2'],
    ['{"_meta":{"pipfile-spec":9}}', '_meta.pipfile-spec: expected version 6'],
    [
      'GEM\n  remote: https://rubygems.org/\n  specs:\n    a (1)\n',
      'expected a Gemfile.lock with DEPENDENCIES',
    ],
    [
      fileOf('gradle/gradle.lockfile').replace(/empty=[^]*/, ''),
      'expected a gradle.lockfile with its last line',
    ],
    ['a v1.0.0 h1:x=\na v1.0.0/go.mod h1:y=\n', 'got a go.sum'],
    ['lock-version = "1.0"\n[[packages]]\nname = "a"\n', 'got a pylock.toml'],
  ])('is refused with what is wrong: %#', async (text, message) => {
    await expect(read(text)).rejects.toThrow(message);
  });
});
