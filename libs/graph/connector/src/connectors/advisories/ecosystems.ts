/** The ecosystems of OSV whose packages are known by package URLs, with the order of their versions. */
import { compare as comparePep440, valid as isPep440 } from '@renovatebot/pep440';
import semver from 'semver';
import { compareApk } from './apk-version.ts';
import { compareDebian } from './debian-version.ts';
import { compareMaven } from './maven-version.ts';
import { compareRpm } from './rpm-version.ts';

export interface Ecosystem {
  /** The type of its packages in the graph. */
  readonly type: string;
  /** Undefined if one of the two is no version of the ecosystem: then nothing is known of their order. */
  readonly compare: (a: string, b: string) => number | undefined;
  /** The spelling by which names are compared. */
  readonly normalName: (name: string) => string;
  /** Names of the system in package URLs, for ecosystems with releases. */
  readonly distro?: string;
}

const asWritten = (name: string): string => name;

function compareSemver(a: string, b: string): number | undefined {
  const [left, right] = [a, b].map((text) => semver.parse(text.replace(/^[vV]/, ''), { loose: true }));
  return left && right ? left.compare(right) : undefined;
}

/** Two versions of Go may differ in what comes after a plus, such as `+incompatible`. */
const compareGo = (a: string, b: string): number | undefined =>
  compareSemver(a.replace(/^go/, ''), b.replace(/^go/, ''));

/**
 * Whether a version of RPM is that of a module: each of its streams has versions of its own, and advisories
 * of OSV do not say of which stream they are.
 */
export function isModular(version: string): boolean {
  return /\.module[_+]el\d/.test(version);
}

const compareUnlessModular = (a: string, b: string): number | undefined =>
  isModular(a) || isModular(b) ? undefined : compareRpm(a, b);

const ORDERS = { deb_package: compareDebian, rpm_package: compareUnlessModular, apk_package: compareApk };
/** Types of packages of distributions. */
export const LINUX_TYPES: ReadonlySet<string> = new Set(Object.keys(ORDERS));

const linux = (type: keyof typeof ORDERS, distro: string): Ecosystem => ({
  type,
  compare: ORDERS[type],
  normalName: asWritten,
  distro,
});

const ECOSYSTEMS: ReadonlyMap<string, Ecosystem> = new Map<string, Ecosystem>([
  ['npm', { type: 'npm_package', compare: compareSemver, normalName: (name) => name.toLowerCase() }],
  ['crates.io', { type: 'cargo_package', compare: compareSemver, normalName: asWritten }],
  ['Go', { type: 'golang_package', compare: compareGo, normalName: (name) => name.toLowerCase() }],
  [
    'PyPI',
    {
      type: 'pypi_package',
      compare: (a, b) => (isPep440(a) && isPep440(b) ? comparePep440(a, b) : undefined),
      normalName: (name) => name.toLowerCase().replace(/[-_.]+/g, '-'),
    },
  ],
  ['Maven', { type: 'maven_package', compare: compareMaven, normalName: (name) => name.replace(':', '/') }],
  ['Debian', linux('deb_package', 'debian')],
  ['Ubuntu', linux('deb_package', 'ubuntu')],
  ['Alpine', linux('apk_package', 'alpine')],
  ['AlmaLinux', linux('rpm_package', 'almalinux')],
  ['Rocky Linux', linux('rpm_package', 'rocky')],
]);

/** `Ubuntu:Pro:18.04:LTS` is about packages that only subscribers get, beside those of the release. */
export function nameOfEcosystem(text: string): string {
  const [name = '', release] = text.split(':');
  return release === 'Pro' ? `${name} ${release}` : name;
}

/** The ecosystem of `Debian:12`, and its release; undefined for one whose versions are not compared. */
export function ecosystemOf(
  text: string,
): { readonly ecosystem: Ecosystem; readonly release: string } | undefined {
  const [, release = ''] = text.split(':');
  const ecosystem = ECOSYSTEMS.get(nameOfEcosystem(text));
  return ecosystem && { ecosystem, release };
}

/** The types of packages that advisories are matched with. */
export const PACKAGE_TYPES: ReadonlySet<string> = new Set(
  Array.from(ECOSYSTEMS.values(), ({ type }) => type),
);
