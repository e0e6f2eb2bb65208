/** The orders of versions that the ecosystems publish. */
import { describe, expect, it } from '@jest/globals';
import { execFileSync, spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { describeUnless } from '#testing';
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
      'RPM',
      compareRpm,
      '1.0~rc1 1.0 1.0^20240101 1.0a 1.0.1 1.9 1.10 2.0-1.el8 2.0-1.el9 2.0-10.el8 1:0.1-1',
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
    ['0:1.2-3', '1.2-3', compareRpm],
    ['1.2', '1.2-3', compareRpm],
    ['1.0', '1.0.0', of('PyPI')],
    ['1.0.0+a', '1.0.0+b', of('npm')],
  ])('has equal places for %s and %s', (a, b, compare) => {
    expect([compare(a, b), compare(b, a)].map((order) => Math.abs(order ?? Number.NaN))).toEqual([0, 0]);
  });

  it.each(['npm', 'PyPI', 'Go'])('of %s is unknown for what is no version', (name) => {
    expect(of(name)('latest', '1.0.0')).toBeUndefined();
  });
});

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
