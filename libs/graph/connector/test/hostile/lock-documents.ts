/** One whole, small lock file of each ecosystem other than npm's. */
import { sbomConnector } from '../../src/connectors/sbom/sbom-connector.ts';
import type { FormatFile } from './format-file.ts';

const CARGO = `version = 4

[[package]]
name = "shop"
version = "1.0.0"
dependencies = ["a"]

[[package]]
name = "a"
version = "1.2.0"
source = "registry+https://github.com/rust-lang/crates.io-index"
dependencies = ["b"]

[[package]]
name = "b"
version = "2.0.0"
source = "registry+https://github.com/rust-lang/crates.io-index"
`;
const UV = `version = 1
requires-python = ">=3.9"

[[package]]
name = "shop"
version = "1.0.0"
source = { virtual = "." }
dependencies = [{ name = "a" }]

[[package]]
name = "a"
version = "1.2.0"
source = { registry = "https://pypi.org/simple" }
dependencies = [{ name = "b" }]

[[package]]
name = "b"
version = "2.0.0"
source = { registry = "https://pypi.org/simple" }
`;
const POETRY = `[[package]]
name = "a"
version = "1.2.0"
python-versions = "*"

[package.dependencies]
b = ">=2"

[[package]]
name = "b"
version = "2.0.0"
python-versions = "*"

[metadata]
lock-version = "2.0"
python-versions = "*"
`;
const PYPROJECT = '[project]\nname = "shop"\ndependencies = ["a>=1"]\n';
const GEMFILE = `GEM
  remote: https://rubygems.org/
  specs:
    a (1.2.0)
      b (>= 2)
    b (2.0.0)

PLATFORMS
  ruby

DEPENDENCIES
  a
`;
const GO = `module example.com/shop

require (
	example.com/a v1.2.0
	example.com/b v2.0.0 // indirect
)
`;
const GRADLE = `# This is a Gradle generated file for dependency locking.
acme:a:1.2.0=runtimeClasspath
acme:b:2.0.0=runtimeClasspath
empty=
`;
const PIPFILE = {
  _meta: { 'pipfile-spec': 6 },
  default: { a: { version: '==1.2.0' } },
  develop: { b: { version: '==2.0.0' } },
};
const COMPOSER = {
  'content-hash': 'x',
  packages: [
    { name: 'acme/a', version: '1.2.0', require: { 'acme/b': '^2' }, license: ['MIT'] },
    { name: 'acme/b', version: '2.0.0' },
  ],
  'packages-dev': [],
};
const NUGET = {
  version: 1,
  dependencies: {
    'net8.0': {
      A: { type: 'Direct', requested: '[1.2.0, )', resolved: '1.2.0', dependencies: { B: '2.0.0' } },
      B: { type: 'Transitive', resolved: '2.0.0' },
    },
  },
};

const lock = (name: string, content: object | string, more: Partial<FormatFile> = {}): FormatFile => ({
  connector: sbomConnector,
  format: name,
  name,
  content,
  ...more,
});

export const LOCK_FORMATS: readonly FormatFile[] = [
  lock('Cargo.lock', CARGO, { isSequence: true }),
  lock('uv.lock', UV, { isSequence: true }),
  lock('poetry.lock', POETRY, { beside: { 'pyproject.toml': PYPROJECT } }),
  lock('Gemfile.lock', GEMFILE, { isSequence: true }),
  lock('go.mod', GO, { isSequence: true }),
  lock('gradle.lockfile', GRADLE),
  lock('requirements.txt', 'a==1.2.0\nb==2.0.0\n', { isSequence: true }),
  lock('Pipfile.lock', PIPFILE, { version: ['_meta.pipfile-spec', 9] }),
  lock('composer.lock', COMPOSER, {
    // Composer has written a text, too.
    either: /license as "/,
    beside: { 'composer.json': { name: 'acme/shop', require: { 'acme/a': '*' } } },
  }),
  lock('packages.lock.json', NUGET, { version: ['version', 9] }),
];
