import { describe, expect, it } from '@jest/globals';
import { entityId, type FieldValue, type Filter } from '#graph/model';
import {
  entity,
  FIXTURE,
  putData,
  putEntity,
  putRelationship,
  relationship,
  STAMP,
  TEST_OPTIONS,
} from '#graph/testing';
import { completed } from '#platform/foundation';
import { MemoryGraph } from './memory-graph.ts';
import { GraphSnapshot } from './snapshot/graph-snapshot.ts';

const OPTIONS = { ...TEST_OPTIONS, retentionMs: 1_000 };

async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
}

describe('the graph in memory', () => {
  it('seals on a thread without loss of concurrent writes', async () => {
    const graph = MemoryGraph.create({ sealIdleMs: 0, nowMs: () => STAMP.syncedAtMs });
    putData(graph, FIXTURE);
    const before = graph.snapshot();

    const sealing = graph.seal();
    const late = entity('host', 'Host', 'late', { state: 'running' });
    putEntity(graph, 2, late);
    putRelationship(graph, 2, relationship(late, 'RUNS', { type: 'service', key: 'nginx' }));
    graph.publish(2);
    putEntity(graph, 3, entity('host', 'Host', 'undurable'));
    await sealing;

    const after = graph.snapshot();
    const lateNode = after.nodeById(entityId('host', 'late'));
    const nginx = after.nodeById(entityId('service', 'nginx'));
    expect(graph.stats().epoch).toBe(1);
    expect([...after.adjacency('*', 'out').image(Uint32Array.of(lateNode))]).toEqual([nginx]);
    expect(completed(after.count({ names: '*' }))).toBe(FIXTURE.entities.length + 1);
    expect(completed(before.count({ names: '*' }))).toBe(FIXTURE.entities.length);
    graph.publish(3);
    expect(completed(graph.snapshot().count({ names: '*' }))).toBe(FIXTURE.entities.length + 2);
    await graph.close();
  });

  it('discards unpublished writes, even if a seal already includes them', async () => {
    const graph = MemoryGraph.create(OPTIONS);
    putData(graph, FIXTURE);
    const before = graph.stats();
    const release = graph.holdStill();
    const sealing = graph.seal();
    await turns(10);
    putEntity(graph, 2, entity('host', 'Host', 'dropped'));
    await turns(10);

    graph.discard(1);
    putEntity(graph, 2, entity('host', 'Host', 'kept'));
    release();
    await sealing;
    graph.publish(2);

    expect(graph.findEntity(entityId('host', 'dropped'))).toBe(-1);
    expect(graph.findEntity(entityId('host', 'kept'))).not.toBe(-1);
    expect(graph.stats()).toMatchObject({ epoch: 1, entities: before.entities + 1 });
    expect(() => graph.discard(1)).toThrow('what is published is not discarded');
  });

  it('stays unchanged if a seal fails', async () => {
    const graph = MemoryGraph.create({ ...OPTIONS, runSeal: () => Promise.reject(new Error('no memory')) });
    putData(graph, FIXTURE);

    await expect(graph.seal()).rejects.toThrow('no memory');

    expect(graph.stats().epoch).toBe(0);
    expect(completed(graph.snapshot().count({ names: '*' }))).toBe(FIXTURE.entities.length);
  });

  it('keeps its node numbers while a writer holds it', async () => {
    const graph = MemoryGraph.create(OPTIONS);
    putData(graph, FIXTURE);
    const node = graph.findEntity(entityId('host', 'db-01'));
    const release = graph.holdStill();

    const sealing = graph.seal();
    await new Promise((resolve) => setImmediate(resolve));
    const key = graph.entityState(node).key;
    release();
    await sealing;

    expect(key).toBe('db-01');
    expect(graph.stats().epoch).toBe(1);
  });

  it('removes tombstones older than the retention at a seal', async () => {
    const graph = MemoryGraph.create(OPTIONS);
    putData(graph, FIXTURE);
    const [old, recent] = ['alice', 'bob'].map((key) => entityId('user', key));
    for (const [id, ageMs] of [
      [old, 2_000],
      [recent, 500],
    ] as const) {
      const node = graph.findEntity(id ?? '');
      const stamp = { ...STAMP, deletedAtMs: STAMP.syncedAtMs - ageMs };
      for (const link of graph.linksOf(node)) graph.deleteRelationship(2, link, stamp);
      graph.deleteEntity(2, node, stamp);
    }
    graph.publish(2);

    await graph.seal();

    expect(graph.findEntity(old ?? '')).toBe(-1);
    expect(graph.entityState(graph.findEntity(recent ?? '')).isDeleted).toBe(true);
    expect(completed(graph.snapshot({ includeDeleted: true }).count({ names: ['User'] }))).toBe(2);
  });

  it.each([
    ['written, not sealed', false],
    ['sealed', true],
  ])('hides tombstones older than the retention that are %s', async (_, isSealed) => {
    let nowMs = STAMP.syncedAtMs;
    const graph = MemoryGraph.create({ ...OPTIONS, nowMs: () => nowMs });
    putData(graph, FIXTURE);
    await graph.seal();
    const id = entityId('user', 'alice');
    const node = graph.findEntity(id);
    const [link = -1] = graph.linksOf(node);
    const linkId = graph.snapshot().relationship(link).id;
    const stamp = { ...STAMP, deletedAtMs: nowMs };
    for (const each of graph.linksOf(node)) graph.deleteRelationship(2, each, stamp);
    graph.deleteEntity(2, node, stamp);
    graph.publish(2);
    if (isSealed) await graph.seal();
    const shown = (): object => {
      const snapshot = graph.snapshot({ includeDeleted: true });
      const there = snapshot.nodeById(id);
      const every = completed(snapshot.select({ names: '*' }));
      const links = { count: 0, nodes: new Uint32Array(8), links: new Uint32Array(8) };
      const linkCounts = (['out', 'in'] as const).flatMap((direction) => {
        const adjacency = snapshot.adjacency('*', direction);
        let count = 0;
        for (const each of every) {
          adjacency.read(each, links);
          count += links.count;
        }
        adjacency.readEnds(every, links);
        return [count, links.count];
      });
      const reached = (['out', 'in'] as const).flatMap((direction) => [
        ...snapshot.adjacency('*', direction).image(every),
      ]);
      return {
        isFound: there >= 0,
        isLinkFound: snapshot.linkById(linkId) >= 0,
        users: completed(snapshot.count({ names: ['User'] })),
        groups: completed(snapshot.groupCounts({ names: ['User'] }, ['_key'])).length,
        every: every.length,
        matches: there >= 0 && snapshot.matcher({ names: ['User'] })(there),
        links: [...new Set(linkCounts)],
        reachesShownOnly: reached.every((each) => every.includes(each)),
        attached: completed(GraphSnapshot.attach(snapshot.share()).count({ names: ['User'] })),
      };
    };
    const { entities, relationships } = FIXTURE;
    const users = entities.filter(({ type }) => type === 'user').length;
    const mine = relationships.filter(({ from, to }) => [from, to].some(({ key }) => key === 'alice')).length;

    expect(shown()).toEqual({
      isFound: true,
      isLinkFound: true,
      users,
      groups: users,
      every: entities.length,
      matches: true,
      links: [relationships.length],
      reachesShownOnly: true,
      attached: users,
    });
    const before = shown();
    nowMs += 1_000;
    expect(shown()).toEqual(before);
    nowMs += 1;
    expect(mine).toBeGreaterThan(0);
    expect(shown()).toEqual({
      isFound: false,
      isLinkFound: false,
      users: users - 1,
      groups: users - 1,
      every: entities.length - 1,
      matches: false,
      links: [relationships.length - mine],
      reachesShownOnly: true,
      attached: users - 1,
    });
    await graph.close();
  });

  it('rejects an image of another sequence number or format', async () => {
    const graph = MemoryGraph.create(OPTIONS);
    putData(graph, FIXTURE);
    await graph.seal();
    const { seq, parts } = graph.exportImage();
    const bytes = parts.map((part) => part.bytes);

    expect(() => MemoryGraph.fromImage(seq + 1, bytes)).toThrow(RangeError);
    const [description, ...buffers] = bytes;
    const text = Buffer.from(description ?? [])
      .toString('utf8')
      .replace(/"format":\d+/, '"format":99');
    expect(() => MemoryGraph.fromImage(seq, [Buffer.from(text), ...buffers])).toThrow(RangeError);
  });

  it('has the same live counts after it was loaded from an image', async () => {
    const graph = MemoryGraph.create(OPTIONS);
    putData(graph, FIXTURE);
    const node = graph.findEntity(entityId('user', 'alice'));
    const stamp = { ...STAMP, deletedAtMs: STAMP.syncedAtMs };
    for (const link of graph.linksOf(node)) graph.deleteRelationship(2, link, stamp);
    graph.deleteEntity(2, node, stamp);
    graph.publish(2);
    const counts = (of: MemoryGraph): object => {
      const { entities, relationships, typeCounts, classCounts, verbCounts } = of.stats();
      return { entities, relationships, typeCounts, classCounts, verbCounts, schema: of.schema() };
    };
    const before = counts(graph);
    await graph.seal();
    const { seq, parts } = graph.exportImage();

    const loaded = MemoryGraph.fromImage(
      seq,
      parts.map((part) => Uint8Array.from(part.bytes)),
      OPTIONS,
    );

    expect(counts(loaded)).toEqual(before);
  });

  it('filters by the last connector of an entity in any part of a filter', async () => {
    const graph = MemoryGraph.create(OPTIONS);
    const hosts = ['a', 'b', 'c'].map((key) => entity('host', 'Host', key));
    putData(graph, { entities: hosts, relationships: [] });
    await graph.seal();
    const seen = { stamp: { ...STAMP, connectorId: 'other' }, owners: ['other'] };
    graph.touchEntity(2, graph.findEntity(entityId('host', 'a')), seen);
    graph.publish(2);
    const snapshot = graph.snapshot();
    const is = (field: string, wanted: string): Filter => ({
      kind: 'test',
      field,
      test: { matches: (value) => value === wanted, equals: [wanted] },
    });
    const found = (filter: Filter): FieldValue[] =>
      Array.from(completed(snapshot.select({ names: ['Host'], filter })), (node) =>
        snapshot.nodeField(node, '_key'),
      );
    const [byOther, isA, isB] = [is('_source', 'other'), is('_key', 'a'), is('_key', 'b')];

    expect(found({ kind: 'and', items: [isA, byOther] })).toEqual(['a']);
    expect(found({ kind: 'or', items: [isB, byOther] })).toEqual(['a', 'b']);
    expect(found({ kind: 'not', item: { kind: 'or', items: [isB, byOther] } })).toEqual(['c']);
  });

  it('finds a value among unsealed entities without looking at the others, from the third time on', () => {
    const graph = MemoryGraph.create(OPTIONS);
    let tested = 0;
    const find = (wanted: number): FieldValue[] => {
      tested = 0;
      const matches = (value: FieldValue): boolean => {
        tested++;
        return value === wanted;
      };
      const filter: Filter = { kind: 'test', field: 'size', test: { matches, equals: [wanted] } };
      const snapshot = graph.snapshot();
      return Array.from(completed(snapshot.select({ names: ['host'], filter })), (node) =>
        snapshot.nodeField(node, '_key'),
      );
    };
    for (let at = 0; at < 3_000; at++) {
      putEntity(graph, at, entity('host', 'Host', `k${String(at)}`, { size: at }));
      graph.publish(at);
      if (at % 1_000 === 0) expect(find(at)).toEqual([`k${String(at)}`]);
    }
    putEntity(graph, 3_000, entity('host', 'Host', 'k7', { size: 8 }));
    graph.publish(3_000);

    expect([find(7), find(8), tested]).toEqual([[], ['k7', 'k8'], 2]);
  });

  it('removes a property from the schema with its last entity', async () => {
    const graph = MemoryGraph.create(OPTIONS);
    putEntity(graph, 1, entity('host', 'Host', 'b', { os: 'linux' }));
    for (const [at, properties] of [{ cpu: 4, os: 'linux' }, { os: 'bsd' }].entries()) {
      putEntity(graph, at + 1, entity('host', 'Host', 'a', properties));
      graph.publish(at + 1);
      await graph.seal();
    }

    expect(graph.snapshot().propertyNames(['Host'])).not.toContain('cpu');
    expect(graph.snapshot().propertyNames(['Host'])).toContain('os');
  });

  it('lists live classes, types, verbs and properties with their kinds', async () => {
    const graph = MemoryGraph.create(OPTIONS);
    putEntity(graph, 1, entity('host', 'Host', 'a', { cpu: 4, os: 'linux' }));
    putEntity(graph, 1, entity('host', 'Host', 'b', { cpu: '8' }));
    graph.publish(1);
    await graph.seal();
    putEntity(graph, 2, entity('host', 'Host', 'a', { cpu: [1] }));
    graph.publish(2);

    const [type] = graph.schema().types;

    expect(type).toEqual({
      name: 'host',
      count: 2,
      classes: ['Host'],
      properties: [
        { name: 'cpu', count: 2, kinds: { string: 1, 'number[]': 1 } },
        { name: 'name', count: 2, kinds: { string: 2 } },
      ],
    });
  });

  it('indexes a property of many values, lists, nulls and numbers like one of few values', async () => {
    const graph = MemoryGraph.create(OPTIONS);
    for (let at = 0; at < 3_000; at++) {
      const tag = at % 7 === 0 ? [`t${String(at)}`, 'all'] : at % 5 === 0 ? null : `t${String(at)}`;
      putEntity(graph, 1, entity('host', 'Host', `k${String(at)}`, { tag, size: at / 2 }));
    }
    graph.publish(1);
    await graph.seal();
    const snapshot = graph.snapshot();
    const has = (wanted: string) => ({
      matches: (value: unknown) => value === wanted || (Array.isArray(value) && value.includes(wanted)),
      equals: [wanted],
    });
    const exists = {
      matches: (value: unknown) => value !== undefined && value !== null,
      exists: true as const,
    };
    const between = {
      matches: (value: unknown) => typeof value === 'number' && value >= 10 && value < 20,
      range: { low: 10, high: 20, lowIncluded: true, highIncluded: false },
    };
    const count = (field: string, test: typeof between | typeof exists | ReturnType<typeof has>) =>
      completed(snapshot.count({ names: ['Host'], filter: { kind: 'test', field, test } }));

    expect(count('tag', has('t14'))).toBe(1);
    expect(count('tag', has('all'))).toBe(429);
    expect(count('tag', exists)).toBe(3_000 - 514);
    expect(count('size', between)).toBe(20);
    expect(snapshot.valueKinds(['Host'], 'tag').toSorted()).toEqual(['string', 'string[]']);

    const conditions = [
      { kind: 'test', field: 'tag', test: has('t14') },
      { kind: 'test', field: 'tag', test: has('all') },
      { kind: 'test', field: 'tag', test: exists },
      { kind: 'test', field: 'size', test: exists },
      { kind: 'test', field: 'size', test: between },
      { kind: 'test', field: 'none', test: exists },
    ] as const;
    const nodes = [...completed(snapshot.select({ names: ['Host'] }))];
    for (const one of conditions) {
      for (const other of conditions) {
        const filter = { kind: 'and', items: [one, other] } as const;
        const isBoth = (node: number): boolean =>
          [one, other].every(({ field, test }) => test.matches(snapshot.nodeField(node, field)));
        const wanted = nodes.filter(isBoth);
        expect([...completed(snapshot.select({ names: ['Host'], filter }))]).toEqual(wanted);
        expect(completed(snapshot.count({ names: ['Host'], filter }))).toBe(wanted.length);
        expect(nodes.filter(snapshot.matcher({ names: '*', filter }))).toEqual(wanted);
      }
    }
  });

  it('runs the steps of a test to count, but not to estimate or to compile a matcher', async () => {
    const graph = MemoryGraph.create(OPTIONS);
    for (let at = 0; at < 300; at++) {
      const few = at % 3 === 0 ? 'yes' : 'no';
      putEntity(
        graph,
        1,
        entity('host', 'Host', `k${String(at)}`, { few, many: `${few}${String(at)}`, one: few }),
      );
    }
    graph.publish(1);
    await graph.seal();
    const snapshot = graph.snapshot();
    let stepped = 0;
    const test = {
      matches: (value: unknown) => typeof value === 'string' && value.startsWith('yes'),
      mayMatch: () => true,
      *steps(value: unknown) {
        stepped++;
        yield;
        return test.matches(value);
      },
    };
    const selectionOf = (field: string) => ({
      names: ['Host'],
      filter: { kind: 'test', field, test } as const,
    });

    for (const field of ['few', 'many', '_key', '_type']) {
      const selection = selectionOf(field);
      expect(snapshot.estimate(selection)).toBe(300);
      snapshot.matcher(selection);
    }
    const steppedBefore = stepped;
    const counts = ['few', 'many', '_type'].map((field) => completed(snapshot.count(selectionOf(field))));

    expect([steppedBefore, counts]).toEqual([0, [100, 100, 0]]);
    expect(stepped).toBe(2 + 300 + 1);
  });
});
