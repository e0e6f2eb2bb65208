import { beforeEach, describe, expect, it } from '@jest/globals';
import { DomainError } from '#platform/foundation';
import { SetClock } from '../../test/set-clock.ts';
import { GRAPH_ACCESS, ownRoles, type Role } from '../permission.ts';
import { GroupRoles } from './group-roles.ts';
import { type SessionDocuments, Sessions, type SessionStore } from './sessions.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/**
 * What the nodes of a cluster share: a change of one is a foreign one to the others, which take it over at
 * once, or, while news are late, when they look.
 */
class SharedStore {
  epoch = 'first';
  isNewsLate = false;
  isAway = false;
  /** The first change is in another history than the one that it was planned in. */
  isPromoted = false;
  readonly stored = new Map<string, string>();
  readonly #nodes = new Set<NodeDocuments>();

  node(): SessionStore {
    const epochOf = (): string => this.epoch;
    const documents = new NodeDocuments(this);
    this.#nodes.add(documents);
    return {
      documents,
      get epoch() {
        return epochOf();
      },
    };
  }

  async tell(): Promise<void> {
    if (!this.isNewsLate) for (const node of this.#nodes) await node.takeOver();
  }
}

class NodeDocuments implements SessionDocuments {
  readonly #store: SharedStore;
  readonly #readers: (() => Promise<void>)[] = [];
  /** As of the last change that this node knows. */
  #here: ReadonlyMap<string, string>;

  constructor(store: SharedStore) {
    this.#store = store;
    this.#here = new Map(store.stored);
  }

  async takeOver(): Promise<void> {
    const { stored } = this.#store;
    if (JSON.stringify([...stored]) === JSON.stringify([...this.#here])) return;
    this.#here = new Map(stored);
    for (const read of this.#readers) await read();
  }

  async change(_namespace: string, changes: readonly { id: string; value: unknown }[]): Promise<void> {
    for (const { id, value } of changes) {
      if (value === undefined) this.#store.stored.delete(id);
      else this.#store.stored.set(id, JSON.stringify(value));
    }
    if (this.#store.isPromoted) this.#store.epoch = 'promoted';
    this.#here = new Map(this.#store.stored);
    await this.#store.tell();
  }

  async upToDate(): Promise<void> {
    if (this.#store.isAway) throw new DomainError('STORE_UNAVAILABLE', 'the database is away');
    await this.takeOver();
  }

  async exclusively<T>(work: () => Promise<T>): Promise<T> {
    await this.upToDate();
    return work();
  }

  get(_namespace: string, id: string): Promise<unknown> {
    return Promise.resolve(this.#get(id));
  }

  async *all(): AsyncIterable<{ readonly id: string; readonly value: unknown }> {
    for (const id of this.#here.keys()) yield await Promise.resolve({ id, value: this.#get(id) });
  }

  onForeign(_namespace: string, _prefix: string, read: () => Promise<void>): void {
    this.#readers.push(read);
  }

  #get(id: string): unknown {
    const text = this.#here.get(id);
    return text === undefined ? undefined : JSON.parse(text);
  }
}

describe('sessions of pages', () => {
  let clock: SetClock;
  let store: SharedStore;
  let roles: ReadonlyMap<string, Role>;
  let here: Sessions;
  let there: Sessions;
  let log: string[];

  const node = (): Sessions => {
    const groups = GroupRoles.parse('groups: {staff: viewer}', 'ROLES', () => roles);
    const sessions = new Sessions({ roles: groups, clock });
    const write = (fields: object): void => void log.push(JSON.stringify(fields));
    sessions.open(store.node(), { info: write, warn: write, error: write });
    return sessions;
  };
  const begin = async (): Promise<string> => (await here.start('alice', ['staff'])) ?? '';
  const nameOf = async (sessions: Sessions, text: string): Promise<string | undefined> =>
    (await sessions.find(text))?.caller.name;

  beforeEach(() => {
    clock = new SetClock();
    store = new SharedStore();
    roles = ownRoles(GRAPH_ACCESS);
    log = [];
    here = node();
    there = node();
  });

  it('are known to every node, and have the permissions of their groups', async () => {
    const text = await begin();

    const found = await Promise.all([here, there, node()].map(async (each) => await each.find(text)));

    expect(found.map((each) => each?.caller)).toEqual(
      Array(3).fill(expect.objectContaining({ name: 'oidc:alice', permissions: new Set(['read']) })),
    );
  });

  it('are known to a node that has not heard of them yet, also by a new secret', async () => {
    store.isNewsLate = true;
    const text = await begin();
    const begun = await nameOf(there, text);
    clock.pass(5 * MINUTE_MS);
    const renewed = (await here.find(text))?.renewed ?? '';

    expect([begun, await nameOf(there, renewed)]).toEqual(['oidc:alice', 'oidc:alice']);
  });

  it('are not refused while it is not known whether there is one', async () => {
    store.isNewsLate = true;
    const [known, text] = [await begin(), await begin()];
    await nameOf(there, known);
    const other = await begin();
    store.isAway = true;
    const found = await nameOf(there, known);
    const unknown = nameOf(there, other);

    await expect(unknown).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    expect([found, await nameOf(there, text)]).toEqual(['oidc:alice', 'oidc:alice']);
  });

  it('begin in the history that their own batch is in', async () => {
    store.isPromoted = true;

    const text = await begin();

    expect(await nameOf(there, text)).toBe('oidc:alice');
  });

  it('that another node has ended are not renewed', async () => {
    const text = await begin();
    await nameOf(there, text);
    clock.pass(5 * MINUTE_MS);
    store.isNewsLate = true;
    await here.end(text);

    expect(await nameOf(there, text)).toBeUndefined();
  });

  it('end when the store was restored: a sign-out since the backup may be lost', async () => {
    const text = await begin();
    const before = await nameOf(here, text);
    store.epoch = 'restored';

    const after = [await nameOf(here, text), await nameOf(node(), text)];
    const next = await begin();

    expect([before, ...after]).toEqual(['oidc:alice', undefined, undefined]);
    expect(await nameOf(there, next)).toBe('oidc:alice');
    expect([...store.stored.keys()]).toEqual([next.split('.')[0]]);
  });

  it('are stored without what their browser shows', async () => {
    const [id = '', secret = ''] = (await begin()).split('.');

    expect([...store.stored.keys()]).toEqual([id]);
    expect([...store.stored.values()].join('')).not.toContain(secret);
  });

  it('end after half an hour without use', async () => {
    const [used, unused] = [await begin(), await begin()];
    clock.pass(30 * MINUTE_MS - 1);
    const late = await nameOf(here, used);
    clock.pass(1);

    expect([late, await nameOf(here, unused)]).toEqual(['oidc:alice', undefined]);
  });

  it('end after twelve hours, though they are used', async () => {
    let text = await begin();
    const names: unknown[] = [];
    for (let hour = 0; hour < 12; hour += 1 / 3) {
      const found = await here.find(text);
      names.push(found?.caller.name);
      text = found?.renewed ?? text;
      clock.pass(20 * MINUTE_MS);
    }

    expect(new Set(names)).toEqual(new Set(['oidc:alice']));
    expect(await nameOf(here, text)).toBeUndefined();
  });

  it('end on every node by a sign-out, also what is open', async () => {
    const text = await begin();
    const found = await there.find(text);
    let changes = 0;
    there.onChange(() => changes++);

    await here.end(text);

    expect([await nameOf(here, text), await nameOf(there, text)]).toEqual([undefined, undefined]);
    expect([changes, found?.caller.now?.()]).toEqual([1, undefined]);
  });

  it('do not end for a client without their secret', async () => {
    const text = await begin();
    const [id] = text.split('.');

    await here.end(`${id}.${'A'.repeat(43)}`);

    expect(await nameOf(here, text)).toBe('oidc:alice');
  });

  it('get a new secret while they are used; the last one is taken until the new one was seen, and a minute on', async () => {
    const first = await begin();
    clock.pass(5 * MINUTE_MS);
    const renewed = (await here.find(first))?.renewed ?? '';
    clock.pass(3 * MINUTE_MS);
    const unseen = await there.find(first);
    const seen = await there.find(renewed);
    clock.pass(MINUTE_MS - 1);
    const late = await nameOf(here, first);

    expect(renewed).not.toBe(first);
    expect([unseen?.caller.name, seen?.caller.name, late]).toEqual(Array(3).fill('oidc:alice'));
    expect([unseen?.renewed, seen?.renewed]).toEqual([undefined, undefined]);
  });

  it('give another new secret where the last one was lost with its reply', async () => {
    const first = await begin();
    clock.pass(5 * MINUTE_MS);
    await here.find(first);
    clock.pass(5 * MINUTE_MS);

    const again = (await there.find(first))?.renewed ?? '';

    expect(await nameOf(here, again)).toBe('oidc:alice');
  });

  it('end on every node when a former secret is shown later', async () => {
    const first = await begin();
    clock.pass(5 * MINUTE_MS);
    const renewed = (await here.find(first))?.renewed ?? '';
    await here.find(renewed);
    clock.pass(MINUTE_MS);

    const copied = await nameOf(there, first);

    expect([copied, await nameOf(here, renewed), store.stored.size]).toEqual([undefined, undefined, 0]);
    expect(log).toEqual(['{"event":"session.ended","who":"oidc:alice"}']);
  });

  it('are renewed once by requests at the same time', async () => {
    const text = await begin();
    clock.pass(5 * MINUTE_MS);

    const found = await Promise.all(Array.from({ length: 5 }, async () => await here.find(text)));

    expect(found.map((each) => each?.caller.name)).toEqual(Array(5).fill('oidc:alice'));
    expect(found.filter((each) => each?.renewed !== undefined)).toHaveLength(1);
  });

  it('have what the role of their group allows by now', async () => {
    const text = await begin();
    const scope = { only: { types: ['host'] } };
    roles = new Map([['viewer', { permissions: ['metrics'] }]]);
    const changed = await here.find(text);
    roles = new Map([['viewer', { permissions: ['read'], scope }]]);
    const narrowed = await here.find(text);
    roles = new Map();

    expect(changed?.caller.permissions).toEqual(new Set(['metrics']));
    expect(narrowed?.caller.scope).toEqual(scope);
    expect(await nameOf(here, text)).toBeUndefined();
    expect(await here.start('bob', ['staff'])).toBeUndefined();
  });

  it('that have ended leave the store when another begins', async () => {
    await begin();
    clock.pass(HOUR_MS);
    await begin();

    expect(store.stored.size).toBe(1);
  });

  it.each(['', '.', 'x', `${'A'.repeat(22)}.${'A'.repeat(43)}`, `${'A'.repeat(22)}.${'A'.repeat(43)}=`])(
    'are not found by %j',
    async (text) => {
      await begin();

      expect(await nameOf(here, text)).toBeUndefined();
    },
  );
});
