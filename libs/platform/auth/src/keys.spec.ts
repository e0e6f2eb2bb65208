import { describe, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import { inspect } from 'node:util';
import { Clock, DomainError, Secret } from '#platform/foundation';
import { Keyring, newSecret } from './keyring.ts';
import { parseKeys } from './keys-document.ts';
import { GRAPH_ACCESS } from './permission.ts';
import { withKey, withoutKey } from './command/keys-text.ts';

const PLACE = { file: 'keys.yaml', model: GRAPH_ACCESS };
const A = 'a'.repeat(64);
const B = 'b'.repeat(64);

const hashOf = (secret: string): string => createHash('sha256').update(secret).digest('hex');
const read = (text: string): ReturnType<typeof parseKeys> => parseKeys(text, 'keys.yaml', GRAPH_ACCESS);

class SetClock extends Clock {
  ms = Date.parse('2026-06-01T00:00:00Z');
  override nowMs(): number {
    return this.ms;
  }
  override monotonicMs(): number {
    return this.ms;
  }
}

describe('a keys file', () => {
  it.each([
    [
      'a name twice',
      `keys:\n  - {name: a, role: viewer, sha256: ${A}}\n  - {name: a, role: viewer, sha256: ${B}}`,
      '3:12: there is another key a',
    ],
    [
      'a secret twice',
      `keys:\n  - {name: a, role: viewer, sha256: ${A}}\n  - {name: b, role: admin, sha256: ${A}}`,
      'b has the secret of another key',
    ],
    ['an unknown role', `keys: [{name: a, role: viewr, sha256: ${A}}]`, 'expected one of viewer, editor'],
    ['a collector without a source', `keys: [{name: a, role: collector, sha256: ${A}}]`, 'needs a source'],
    [
      'a source for a role that does not write',
      `keys: [{name: a, role: viewer, sha256: ${A}, source: s}]`,
      'does not write',
    ],
    [
      'a secret in place of its hash',
      'keys: [{name: a, role: viewer, sha256: plx_secret}]',
      'expected the SHA-256 of the secret',
    ],
    ['a role of the program', 'roles: { admin: [read] }', 'admin is a role of the program'],
    ['an unknown permission', 'roles: { mine: [raed] }', 'expected `read` or `write`'],
    ['no permission', 'roles: { mine: [] }', 'roles.mine: expected'],
    [
      'a scope beside a permission that changes something',
      'roles: { mine: { permissions: [read, write], only: { types: [host] } } }',
      'expected the permission read alone: a role with a scope changes nothing',
    ],
    [
      'a scope of nothing that is known',
      'roles: { mine: { permissions: [read], only: { hosts: [a] } } }',
      'expected `types` or `classes` or `sources`',
    ],
    [
      'a scope without a list, which would show everything',
      'roles: { mine: { permissions: [read], only: {} } }',
      'expected a list of types, classes, sources',
    ],
    [
      'a scope with an empty list',
      'roles: { mine: { permissions: [read], except: { types: [] } } }',
      'roles.mine.except.types: expected',
    ],
    [
      'a misspelt scope, which would show everything',
      'roles: { mine: { permissions: [read], exept: { types: [a] } } }',
      'unknown key "exept"',
    ],
    ['an unknown field', `keys: [{name: a, role: viewer, sha256: ${A}, untill: x}]`, 'unknown key "untill"'],
    [
      'a day that does not exist',
      `keys: [{name: a, role: viewer, sha256: ${A}, until: 2026-02-30}]`,
      'expected a date',
    ],
    [
      'a local time',
      `keys: [{name: a, role: viewer, sha256: ${A}, until: '2026-02-20T10:00:00+02:00'}]`,
      'expected a date',
    ],
    [
      'a name with an end of line',
      `keys: [{name: "a\\nb", role: viewer, sha256: ${A}}]`,
      'expected 1 to 64 letters',
    ],
    ['a key of the document twice', 'keys: []\nkeys: []', 'duplicated'],
  ])('is refused for %s, without what may be a secret', (_what, text, message) => {
    let fault: unknown;
    try {
      read(text);
    } catch (error) {
      fault = error;
    }

    expect(fault).toBeInstanceOf(DomainError);
    expect(String(fault)).toContain(message);
    expect(String(fault)).not.toMatch(/plx_secret|a{64}/);
  });

  it.each(['', 'keys:\n', 'keys: []', '# nothing\r\nkeys:\r\n'])('may be without keys: %j', (text) => {
    const keyring = new Keyring({ named: read(text) });

    expect([keyring.isOpen, keyring.find('')]).toEqual([false, undefined]);
  });

  it('is read with line ends of Windows', () => {
    const { keys } = read(`keys:\r\n  - name: a\r\n    role: viewer\r\n    sha256: ${A}\r\n`);

    expect(keys).toEqual([{ name: 'a', role: 'viewer', sha256: A }]);
  });
});

describe('a keyring', () => {
  const clock = new SetClock();
  const text = `keys:
  - { name: ci, role: collector, sha256: ${hashOf('one')}, source: trivy }
  - { name: guest, role: audit, sha256: ${hashOf('two')}, until: 2026-06-01 }
roles: { audit: [read, admin] }`;

  it('knows a key by its secret, with the permissions of its role', () => {
    const keyring = new Keyring({ apiKey: new Secret('all'), named: read(text), clock });

    expect(keyring.find('one')).toMatchObject({ name: 'ci', source: 'trivy' });
    expect([...(keyring.find('two')?.permissions ?? [])]).toEqual(['read', 'admin']);
    expect(keyring.find('all')?.name).toBe('API key');
    expect(['', 'On', 'one ', 'ONE', hashOf('one')].map((secret) => keyring.find(secret))).toEqual(
      Array<undefined>(5).fill(undefined),
    );
  });

  it('admits a key to the end of its last day, also on open connections', () => {
    const keyring = new Keyring({ named: read(text), clock });
    const caller = keyring.find('two');
    if (caller === undefined) throw new Error('expected a caller');

    clock.ms = Date.parse('2026-06-01T23:59:59.999Z');
    const onLastDay = [keyring.find('two')?.name, keyring.current(caller)?.name];
    clock.ms += 1;
    const after = [keyring.find('two'), keyring.current(caller)];

    expect(onLastDay).toEqual(['guest', 'guest']);
    expect(after).toEqual([undefined, undefined]);
  });

  it('gives a caller of an open connection its new role, and none once its secret is another', () => {
    clock.ms = Date.parse('2026-06-01T00:00:00Z');
    const keyring = new Keyring({ named: read(text), clock });
    const caller = keyring.find('one');
    if (caller === undefined) throw new Error('expected a caller');

    keyring.use(read(text.replace('role: collector', 'role: viewer').replace(', source: trivy', '')));
    const changed = keyring.current(caller);
    keyring.use(read(text.replace(hashOf('one'), A)));

    expect([...(changed?.permissions ?? [])]).toEqual(['read']);
    expect(keyring.current(caller)).toBeUndefined();
  });

  it('notes the last use of each key', () => {
    const keyring = new Keyring({ named: read(text), clock });

    keyring.find('one');
    keyring.find('wrong');

    expect([...keyring.usedMs]).toEqual([['ci', clock.ms]]);
  });

  it('shows no secret when it is printed', () => {
    const keyring = new Keyring({ apiKey: new Secret('all-mighty'), named: read(text), clock });

    expect(inspect(keyring, { depth: 9, showHidden: true }) + JSON.stringify(keyring)).not.toContain(
      'all-mighty',
    );
  });
});

describe('a new secret', () => {
  it('has 32 random bytes after a prefix that scanners find, and another hash each time', () => {
    const made = [newSecret(), newSecret()];

    for (const { secret, sha256 } of made) {
      expect(secret).toMatch(/^plx_[\w-]{43}$/);
      expect(sha256).toBe(hashOf(secret));
    }
    expect(made[0]?.secret).not.toBe(made[1]?.secret);
  });
});

describe('a change of a keys file', () => {
  const KEY = { name: 'new', role: 'viewer', sha256: B };
  const LINE = `- { name: "new", role: "viewer", sha256: "${B}" }`;

  it.each([
    ['nothing', '', `keys:\n  ${LINE}\n`],
    ['an empty list', 'keys: []\n', `keys:\n  ${LINE}\n`],
    ['roles only', 'roles: { mine: [read] }\n', `roles: { mine: [read] }\nkeys:\n  ${LINE}\n`],
    [
      'keys before roles, with remarks',
      `# mine\nkeys:\n- name: a # first\n  role: viewer\n  sha256: ${A}\n\n# ours\nroles:\n  mine: [read]\n`,
      `# mine\nkeys:\n- name: a # first\n  role: viewer\n  sha256: ${A}\n${LINE}\n\n# ours\nroles:\n  mine: [read]\n`,
    ],
    [
      'line ends of Windows',
      `keys:\r\n    - {name: a, role: viewer, sha256: ${A}}\r\n`,
      `keys:\r\n    - {name: a, role: viewer, sha256: ${A}}\r\n    ${LINE}\r\n`,
    ],
  ])('appends a line to %s, and takes it away again', (_what, text, expected) => {
    const added = withKey(text, KEY, PLACE);

    expect(added).toBe(expected);
    expect(read(withoutKey(added, 'new', PLACE)).keys).toEqual(read(text).keys);
  });

  it('takes away a key of several lines, and keeps the others', () => {
    const text = `keys:\n  - name: a\n    role: viewer\n    sha256: ${A}\n  - name: b\n    role: admin\n    sha256: ${B}\n`;

    expect(withoutKey(text, 'a', PLACE)).toBe(`keys:\n  - name: b\n    role: admin\n    sha256: ${B}\n`);
    expect(withoutKey(text, 'b', PLACE)).toBe(`keys:\n  - name: a\n    role: viewer\n    sha256: ${A}\n`);
    expect(() => withoutKey(text, 'c', PLACE)).toThrow('keys.yaml: there is no key c');
  });

  it('refuses a name that is taken, and a file whose list is no block of lines', () => {
    const flow = `keys: [{name: a, role: viewer, sha256: ${A}}]\n`;

    expect(() => withKey(`keys:\n  - {name: new, role: viewer, sha256: ${A}}\n`, KEY, PLACE)).toThrow(
      'there is a key new',
    );
    expect(() => withKey(flow, KEY, PLACE)).toThrow('expected the list of keys as lines below "keys:"');
    expect(() => withoutKey(flow, 'a', PLACE)).toThrow('expected');
  });
});
