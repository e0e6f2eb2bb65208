import { describe, expect, it } from '@jest/globals';
import { componentName, npmKey } from './component-name.ts';

const named = (more: Partial<Parameters<typeof componentName>[0]>): string => {
  const name = componentName({ plainName: 'plain', isSubject: false, ...more });
  return name === undefined ? 'none' : `${name.type} ${name.key}`;
};

describe('componentName', () => {
  it.each([
    ['pkg:npm/%40scope/name@1.0', 'npm_package @scope/name@1.0'],
    ['pkg:npm/@babel/core@1.0', 'npm_package @babel/core@1.0'],
    ['pkg:npm/@babel/core', 'npm_package @babel/core'],
    ['pkg:NPM/Express@4', 'npm_package express@4'],
    ['pkg://npm/d@1', 'npm_package d@1'],
    ['pkg:pypi/Foo_Bar@1', 'pypi_package foo-bar@1'],
    ['pkg:pypi/zope.interface@5', 'pypi_package zope.interface@5'],
    [
      'pkg:deb/Debian/OpenSSL@3.0?distro=trixie&Arch=arm64',
      'deb_package debian/openssl@3.0?arch=arm64&distro=trixie',
    ],
    ['pkg:deb/debian/x@1%2Bb', 'deb_package debian/x@1+b'],
    ['pkg:deb/debian/attr@1:2.4.47-2', 'deb_package debian/attr@1:2.4.47-2'],
    ['pkg:rpm/Fedora/Curl@7', 'rpm_package fedora/Curl@7'],
    ['pkg:github/Acme/Mono@1#packages/a', 'github_package acme/mono@1#packages/a'],
    ['pkg:github/acme/mono@1#/./packages//a/', 'github_package acme/mono@1#packages/a'],
    ['pkg:github/acme/mono@feature/x', 'github_package acme/mono@feature/x'],
    [
      'pkg:golang/github.com/Masterminds/semver/v3@v3.2.1',
      'golang_package github.com/masterminds/semver/v3@v3.2.1',
    ],
    ['pkg:maven/org.Acme/Core@1?type=jar&classifier=', 'maven_package org.Acme/Core@1?type=jar'],
    ['pkg:nuget/Newtonsoft.Json@13', 'nuget_package Newtonsoft.Json@13'],
    ['pkg:docker/library/nginx@1?repository_url=gcr.io', 'docker_package library/nginx@1'],
    ['pkg:oci/Nginx@sha256%3Aab', 'oci_package nginx@sha256:ab'],
    ['pkg:huggingface/a/Model@ABC', 'huggingface_package a/Model@abc'],
    ['pkg:cpan/Foo::Bar@1', 'cpan_package Foo::Bar@1'],
    ['pkg:generic/100%@1', 'generic_package 100%@1'],
    ['pkg:generic/x@', 'generic_package x'],
  ])('reads %s as %s', (purl, text) => {
    expect(named({ purl })).toBe(text);
  });

  it.each(['not a purl', 'pkg:npm', 'pkg:npm/', 'pkg:/x', 'npm/x@1', 'pkg:n pm/x@1', ''])(
    'does not take %j for a package URL',
    (purl) => {
      expect(named({ purl, version: '1' })).toBe('component plain@1');
    },
  );

  it('prefers the version of the package URL, and takes the other one without it', () => {
    expect(named({ purl: 'pkg:npm/a@1', version: '2' })).toBe('npm_package a@1');
    expect(named({ purl: 'pkg:npm/a', version: '2' })).toBe('npm_package a@2');
  });

  it.each(['NOASSERTION', 'NONE', undefined])('has no version %s', (version) => {
    expect(named({ version })).toBe('component plain');
  });

  it('distinguishes the kinds of components without a package URL', () => {
    const kinds = [undefined, 'library', 'container', 'application', 'framework'];

    expect(kinds.map((kind) => named({ kind, version: '1' }))).toEqual([
      'component plain@1',
      'component plain@1',
      'component plain@1?kind=container',
      'component plain@1?kind=application',
      'component plain@1?kind=framework',
    ]);
  });

  it('names the subject for all its versions', () => {
    expect(named({ isSubject: true, version: '1', kind: 'application' })).toBe('project plain');
    expect(named({ isSubject: true, purl: 'pkg:npm/%40a/b@1?arch=x#sub' })).toBe('npm_project @a/b#sub');
  });

  it('cuts a key that is too long, and keeps different ones apart', () => {
    const [one, two] = ['a', 'b'].map((end) =>
      componentName({ plainName: 'é'.repeat(2_000) + end, isSubject: false }),
    );

    expect(one).toMatchObject({ isCut: true });
    expect(Buffer.byteLength(one?.key ?? '')).toBeLessThanOrEqual(1_024);
    expect(one?.key).toMatch(/^é+…[0-9a-f]{8}$/);
    expect(one?.key).not.toBe(two?.key);
  });

  it('names a package of a lock file as its package URL does', () => {
    expect(npmKey('@Scope/Name', '1.0')).toBe('@scope/name@1.0');
  });
});
