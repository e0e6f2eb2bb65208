/** The orders of versions that the ecosystems publish. */
import { describe, expect, it } from '@jest/globals';
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import fc from 'fast-check';
import { describeUnless } from '#testing';
import { compareApk } from './apk-version.ts';
import { compareDebian } from './debian-version.ts';
import { ecosystemOf } from './ecosystems.ts';
import { compareMaven } from './maven-version.ts';
import { compareRpm } from './rpm-version.ts';

type Compare = (a: string, b: string) => number | undefined;
const of = (name: string): Compare => ecosystemOf(name)?.ecosystem.compare ?? (() => undefined);

/** Every version is before all that follow it. */
function expectOrder(versions: readonly string[], compare: Compare): void {
  const wrong = versions.flatMap((a, index) =>
    versions.flatMap((b, other) => {
      const order = Math.sign(compare(a, b) ?? Number.NaN);
      return order === Math.sign(index - other) ? [] : [`${a} ${order} ${b}`];
    }),
  );
  expect(wrong).toEqual([]);
}

describe('the order of versions', () => {
  it.each<[string, Compare, string]>([
    // https://semver.org/#spec-item-11
    [
      'npm',
      of('npm'),
      '1.0.0-alpha 1.0.0-alpha.1 1.0.0-alpha.beta 1.0.0-beta 1.0.0-beta.2 1.0.0-beta.11 1.0.0-rc.1 1.0.0 2.0.0 2.1.0 2.1.1',
    ],
    ['crates.io', of('crates.io'), '0.1.0 0.9.9 0.10.0 1.0.0-rc.1 1.0.0'],
    ['Go', of('Go'), 'v0.0.0-20190101000000-abcdefabcdef v0.1.0 1.2.3-pre v1.2.3 1.10.0'],
    // https://packaging.python.org/en/latest/specifications/version-specifiers/#summary-of-permitted-suffixes-and-relative-ordering
    [
      'PyPI',
      of('PyPI'),
      '1.dev0 1.0.dev456 1.0a1 1.0a2.dev456 1.0a12.dev456 1.0a12 1.0b1.dev456 1.0b2 1.0b2.post345.dev456 1.0b2.post345 1.0rc1.dev456 1.0rc1 1.0 1.0+abc.5 1.0+abc.7 1.0+5 1.0.post456.dev34 1.0.post456 1.0.15 1.1.dev1 1!0.1',
    ],
    // https://maven.apache.org/pom.html#version-order-specification, and the cases of its own implementation
    [
      'Maven',
      compareMaven,
      '1-alpha2snapshot 1-alpha2 1-alpha-123 1-beta-2 1-beta123 1-m2 1-m11 1-rc 1-cr2 1-rc123 1-SNAPSHOT 1 1-sp 1-sp2 1-sp123 1-abc 1-def 1-pom-1 1-1-snapshot 1-1 1-2 1-123',
    ],
    [
      'Maven',
      compareMaven,
      '2.0 2.0.a 2-1 2.0.2 2.0.123 2.1.0 2.1-a 2.1b 2.1-c 2.1-1 2.1.0.1 2.2 2.123 11.a2 11.a11 11.b2 11.b11 11.m2 11.m11 11 11.a 11b 11c 11m',
    ],
    ['Maven', compareMaven, '1-sp-1 1-ga-1 1.1 1.2-beta-2 1.2 1.10'],
    [
      'Debian',
      compareDebian,
      '1.0~beta1~svn1245 1.0~beta1 1.0 1.0-1 1.0-1+deb12u1 1.0-1.1 1.0-2 1.0a 1.0+dfsg 1.0.1 1.9 1.10 1:0.1',
    ],
    [
      'Alpine',
      compareApk,
      '1_alpha 1_beta2 1_pre 1_rc1 1_rc2 1 1-r1 1-r10 1_git20240101 1_p1 1_p2-r0 1a 1b_p1 1.0 1.01 1.1 1.2.3 1.10 2',
    ],
    [
      'RPM',
      compareRpm,
      '1.0~rc1 1.0 1.0-1 1.0^20240101 1.0a 1.0.1 1.9 1.10 2.0-1.el8 2.0-1.el9 2.0-10.el8 1:0.1-1',
    ],
  ])('of %s is the published one', (_, compare, text) => {
    expectOrder(text.split(' '), compare);
  });

  it.each<[string, string, Compare]>([
    ['1.foo', '1-foo', compareMaven],
    ['1.ga', '1', compareMaven],
    ['1-0', '1.0', compareMaven],
    ['1.0.0-foo.0.0', '1-foo', compareMaven],
    ['1-a1', '1-alpha-1', compareMaven],
    ['1-rc3', '1_CR3', compareMaven],
    ['0:1.0-0', '1.0', compareDebian],
    ['1.00', '1.0', compareDebian],
    ['1.0', '1_0', compareRpm],
    ['1.2-r0', '1.2', of('Alpine')],
    ['1.2~4f5e-r1', '1.2-r1', of('Alpine')],
    ['0:1.2-3', '1.2-3', compareRpm],
    ['1.0', '1.0.0', of('PyPI')],
    ['1.0.0+a', '1.0.0+b', of('npm')],
  ])('has equal places for %s and %s', (a, b, compare) => {
    expect([compare(a, b), compare(b, a)].map((order) => Math.abs(order ?? Number.NaN))).toEqual([0, 0]);
  });

  it.each(['npm', 'PyPI', 'Go', 'Alpine'])('of %s is unknown for what is no version', (name) => {
    expect(of(name)('latest', '1.0.0')).toBeUndefined();
  });
});

/** Versions of packages that stand in advisories, in the order of Maven 3. */
const OF_MAVEN =
  '0-alpha 1-alpha2 1.0-alpha-1 1.0-alpha-2 1.0-beta-1 1.0.0-M1 1.0.0-M10 1.0-rc1 1.0.0-RC2 1.0-SNAPSHOT 1.0 1.0-jre ' +
  '1.0-1 1.0.1 2.0.0.RC1 2.0.0.Final 2.0-b88 2.9.10 2.9.10.8 2.13.2.1 2.13.2.2 4.1.9.Final 4.1.42.Final 4.1.100.Final ' +
  '5.3.18 5.3.18.RELEASE 9.4.36.v20210114 9.4.37.v20210219 10.0.0-M1 10.0.0-M10 10.0.2 20.0-android 24.1.1-jre 20160101 ' +
  '20200101.120000-1';
const OF_RPM =
  '0:1.0 1:0.9 1.1.1k-4.el8 1.1.1k-5.el8_5 1.1.1k-5.el8_5.alma 1.1.1k-14.el8_6 2.34-60.el9 2.34-60.el9_2.7 2.34-60.el9.alma.1 ' +
  '5.14.0-284.11.1.el9_2 5.14.0-284.el9 1.0~rc1-1 1.0-1 1.0^git1-1 1.0a-1 1.0.1-1 1.001-1 4.18.0-553.5.1.el8_10';
const MAVEN = [
  '/usr/share/maven/lib/maven-artifact-3.x.jar',
  '/usr/share/maven/lib/commons-lang3.jar',
  '/usr/share/java/commons-lang3.jar',
];

/** Each pair of the versions, in the text's order. */
function pairsOf(text: string): readonly (readonly [string, string])[] {
  const versions = text.split(' ');
  return versions.flatMap((a) => versions.map((b) => [a, b] as const));
}

const isMaven = MAVEN.some((path) => existsSync(path)) && spawnSync('java', ['-version']).status === 0;
const describeMaven = describeUnless(isMaven ? undefined : 'Maven is not installed');

describeMaven('the order of Maven', () => {
  it('is that of its own library', () => {
    const pairs = pairsOf(OF_MAVEN);
    const main = 'org.apache.maven.artifact.versioning.ComparableVersion';
    const args = ['-Xint', '-cp', MAVEN.join(':'), main, ...pairs.flat()];
    // It compares each version with the one before: every second comparison is one of a pair.
    const lines = execFileSync('java', args, { encoding: 'utf8' }).match(/^ {3}\S+ [<=>]+ \S+$/gm) ?? [];
    const wanted = lines.filter((_, index) => index % 2 === 0).map((line) => line.trim().split(' ')[1]);

    expect(pairs.map(([a, b]) => [a, b, signOf(compareMaven(a, b))])).toEqual(
      pairs.map(([a, b], index) => [a, b, wanted[index]]),
    );
  });
});

const hasRpm = spawnSync('rpm', ['--version']).status === 0;
const describeRpm = describeUnless(hasRpm ? undefined : 'rpm is not installed');

describeRpm('the order of RPM', () => {
  it('is that of rpm', () => {
    const pairs = pairsOf(OF_RPM);
    const orders = pairs.map(([a, b]) => `rpm.vercmp('${a}', '${b}')`).join(', ');
    const script = `%{lua: print(table.concat({${orders}}, ' '))}`;
    const wanted = execFileSync('rpm', ['--eval', script], { encoding: 'utf8' }).trim().split(' ');

    expect(pairs.map(([a, b]) => [a, b, Math.sign(compareRpm(a, b))])).toEqual(
      pairs.map(([a, b], index) => [a, b, Number(wanted[index])]),
    );
  });
});

const signOf = (order: number): string => (order === 0 ? '==' : order < 0 ? '<' : '>');

const dpkg = spawnSync('dpkg', ['--version']).status === 0;
const describeDpkg = describeUnless(dpkg ? undefined : 'dpkg is not installed');

describeDpkg('the order of Debian', () => {
  it('is that of dpkg', () => {
    const part = fc.string({
      unit: fc.constantFrom('0', '1', '10', 'a', 'Z', '.', '+', '~'),
      minLength: 1,
      maxLength: 5,
    });
    const version = fc
      .tuple(fc.constantFrom('', '0:', '1:'), part, fc.constantFrom('', '-0', '-1', '-1~', '-a1'))
      .map(([epoch, upstream, revision]) => `${epoch}1${upstream}${revision}`);
    fc.assert(
      fc.property(fc.array(fc.tuple(version, version), { minLength: 30, maxLength: 30 }), (pairs) => {
        const tests = pairs.map(
          ([a, b]) =>
            `dpkg --compare-versions '${a}' lt '${b}' && echo -1 || { dpkg --compare-versions '${a}' gt '${b}' && echo 1 || echo 0; }`,
        );
        const wanted = execFileSync('sh', ['-c', tests.join('\n')], { encoding: 'utf8' })
          .trim()
          .split('\n')
          .map(Number);
        expect(pairs.map(([a, b]) => [a, b, Math.sign(compareDebian(a, b))])).toEqual(
          pairs.map(([a, b], index) => [a, b, wanted[index]]),
        );
      }),
      { numRuns: 5 },
    );
  });
});
