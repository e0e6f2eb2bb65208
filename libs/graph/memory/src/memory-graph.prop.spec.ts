/**
 * Compares the graph in memory with a plain Map of the published records, over random interleavings of puts,
 * touches, deletes, publications, seals (with concurrent writes) and pinned snapshots.
 */
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  type EntityInput,
  entityId,
  fieldOfProperty,
  type FieldValue,
  type Filter,
  propertyOfField,
  type PropertyValue,
  relationshipId,
  type Scalar,
  type Selection,
} from '#graph/model';
import {
  arbitraryLabels,
  arbitrarySelection,
  arbitraryValue,
  putEntity,
  putRelationship,
  STAMP,
  TEST_OPTIONS,
  TextSink,
} from '#graph/testing';
import { completed } from '#platform/foundation';
import { effort } from '#testing';
import { kindOf } from './column/field.ts';
import { isNamed, namesOf } from './column/labels-field.ts';
import { MemoryGraph } from './memory-graph.ts';
import { GraphSnapshot } from './snapshot/graph-snapshot.ts';
import { KeptBase } from './snapshot/shared-snapshot.ts';
import type { Stamp } from './stamp/version.ts';

type Step =
  | {
      readonly kind: 'put';
      readonly at: number;
      readonly value: PropertyValue;
      readonly className: string;
      readonly labels: readonly string[] | undefined;
    }
  | { readonly kind: 'touch' | 'delete'; readonly at: number; readonly owner: string }
  | {
      readonly kind: 'link';
      readonly from: number;
      readonly to: number;
      readonly verb: string;
      readonly value: number;
    }
  | { readonly kind: 'unlink'; readonly at: number }
  | { readonly kind: 'publish' | 'seal' | 'pin' | 'reload' | 'advance' }
  | { readonly kind: 'discard'; readonly to: number };

interface ModelEntity {
  readonly input: EntityInput;
  readonly stamp: Stamp;
  readonly owners: readonly string[];
}

interface ModelLink {
  readonly from: string;
  readonly to: string;
  readonly verb: string;
  readonly value: number;
  readonly stamp: Stamp;
}

interface State {
  readonly entities: Map<string, ModelEntity>;
  readonly links: Map<string, ModelLink>;
}

const KEYS = ['a', 'b', '\uffee', '😀', 'é"x', 'c'];
const TYPES = ['host', 'user'];
const SLOTS = KEYS.length * TYPES.length;

const slot = fc.nat({ max: SLOTS - 1 });
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('put' as const), at: slot, value: arbitraryValue, className: fc.constantFrom('Host', 'Thing'), labels: arbitraryLabels }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constantFrom('touch' as const, 'delete' as const), at: slot, owner: fc.constantFrom('c1', 'c2') }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('link' as const), from: slot, to: slot, verb: fc.constantFrom('RUNS', 'runs', 'USES'), value: fc.nat({ max: 2 }) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('unlink' as const), at: fc.nat({ max: 30 }) }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constantFrom('publish' as const, 'publish' as const, 'seal' as const, 'pin' as const, 'reload' as const, 'advance' as const) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('discard' as const), to: fc.nat({ max: 3 }) }) },
); // prettier-ignore

/** Applies steps to the graph and the model. */
class Run {
  graph = MemoryGraph.create(TEST_OPTIONS);
  latest: State = { entities: new Map(), links: new Map() };
  published: State = { entities: new Map(), links: new Map() };
  /** The published state, then the state after each unpublished batch. */
  batches: { readonly seq: number; readonly state: State }[] = [];
  readonly pinned: {
    readonly snapshot: GraphSnapshot;
    readonly all: GraphSnapshot;
    readonly state: State;
  }[] = [];
  seq = 1;
  sealing: Promise<void> | undefined;

  async apply(step: Step): Promise<void> {
    switch (step.kind) {
      case 'put':
        this.put({ ...inputOf(step.at, step.value, step.className), labels: step.labels });
        break;
      case 'touch':
      case 'delete':
        this.change(step.kind, inputOf(step.at, null, ''), step.owner);
        break;
      case 'link':
        this.link(step);
        break;
      case 'unlink':
        this.unlink([...this.latest.links.keys()][step.at]);
        break;
      case 'publish':
        this.publish();
        break;
      case 'seal':
        this.sealing = this.graph.seal();
        break;
      case 'pin':
        this.pin();
        break;
      case 'reload':
        await this.reload();
        break;
      case 'advance':
        this.batches.push({ seq: this.seq++, state: copyOf(this.latest) });
        break;
      case 'discard':
        this.discard(step.to);
    }
  }

  /** The batch after which all are dropped; default: the published state. */
  discard(to: number): void {
    const kept = this.batches.slice(0, to);
    const { seq, state } = kept.at(-1) ?? { seq: this.graph.publishedSeq, state: this.published };
    this.graph.discard(seq);
    this.latest = copyOf(state);
    this.batches = kept;
    this.seq = seq + 1;
  }

  async reload(): Promise<void> {
    await this.sealing;
    this.publish();
    await this.graph.seal();
    const { seq, parts } = this.graph.exportImage();
    if (seq === 0) return;
    const copies = parts.map(({ bytes }) => Uint8Array.from(bytes));
    this.graph = MemoryGraph.fromImage(seq, copies, TEST_OPTIONS);
  }

  put(input: EntityInput): void {
    const id = entityId(input.type, input.key);
    const before = this.latest.entities.get(id);
    const stamp = {
      ...STAMP,
      version: (before?.stamp.version ?? 0) + 1,
      updatedAtMs: STAMP.syncedAtMs + this.seq,
    };
    putEntity(this.graph, this.seq, input, stamp);
    this.latest.entities.set(id, { input, stamp, owners: ['test'] });
  }

  change(kind: 'touch' | 'delete', { type, key }: EntityInput, owner: string): void {
    const id = entityId(type, key);
    const before = this.latest.entities.get(id);
    if (before === undefined || before.stamp.deletedAtMs !== null) return;
    const node = this.graph.findEntity(id);
    if (kind === 'touch') {
      const stamp = { ...before.stamp, lastSeenAtMs: STAMP.syncedAtMs + this.seq, connectorId: owner };
      this.graph.touchEntity(this.seq, node, { stamp, owners: [owner] });
      this.latest.entities.set(id, { ...before, stamp, owners: [owner] });
      return;
    }
    const stamp = { ...before.stamp, deletedAtMs: STAMP.syncedAtMs + this.seq };
    const linkIds = [...this.graph.linksOf(node)].map((link) => this.linkId(link));
    const expected = [...this.latest.links].filter(
      ([, item]) => item.stamp.deletedAtMs === null && (item.from === id || item.to === id),
    );
    expect(linkIds.sort()).toEqual(expected.map(([linkId]) => linkId).sort());
    for (const linkId of linkIds) this.unlink(linkId);
    this.graph.deleteEntity(this.seq, node, stamp);
    this.latest.entities.set(id, { ...before, stamp });
  }

  linkId(link: number): string {
    const { from, to, verb, key } = this.graph.relationshipState(link);
    const [source, target] = [from, to].map((node) => this.graph.entityState(node));
    return relationshipId(
      entityId(source!.type, source!.key),
      verb,
      entityId(target!.type, target!.key),
      key,
    );
  }

  link({ from, to, verb, value }: Step & { readonly kind: 'link' }): void {
    const [source, target] = [inputOf(from, null, ''), inputOf(to, null, '')];
    const ends = [source, target].map(({ type, key }) => entityId(type, key));
    if (ends.some((id) => this.latest.entities.get(id)?.stamp.deletedAtMs !== null)) return;
    const id = relationshipId(ends[0]!, verb, ends[1]!);
    const version = (this.latest.links.get(id)?.stamp.version ?? 0) + 1;
    const stamp = { ...STAMP, version };
    const properties = value === 0 ? {} : { n: value };
    putRelationship(this.graph, this.seq, { from: source, to: target, verb, properties }, stamp);
    this.latest.links.set(id, { from: ends[0]!, to: ends[1]!, verb, value, stamp });
  }

  unlink(id: string | undefined): void {
    const before = id === undefined ? undefined : this.latest.links.get(id);
    if (id === undefined || before === undefined || before.stamp.deletedAtMs !== null) return;
    const stamp = { ...before.stamp, deletedAtMs: STAMP.syncedAtMs + this.seq };
    this.graph.deleteRelationship(this.seq, this.graph.findRelationship(id), stamp);
    this.latest.links.set(id, { ...before, stamp });
  }

  publish(): void {
    this.graph.publish(this.seq++);
    this.published = copyOf(this.latest);
    this.batches = [];
  }

  pin(): void {
    const all = this.graph.snapshot({ includeDeleted: true });
    this.pinned.push({ snapshot: this.graph.snapshot(), all, state: this.published });
  }

  compareAll(selection: Selection): void {
    this.pin();
    for (const { snapshot, all, state } of this.pinned) {
      compare(snapshot, state, selection, false);
      compare(all, state, selection, true);
      compare(elsewhere(snapshot), state, selection, false);
      compare(elsewhere(all), state, selection, true);
    }
    const owned = (connector: string): string[] =>
      [...this.graph.ownedEntities(connector)].map((node) => this.graph.entityState(node).key).sort();
    for (const connector of ['test', 'c1', 'c2']) {
      const expected = [...this.latest.entities.values()].filter(
        ({ stamp, owners }) => stamp.deletedAtMs === null && owners.includes(connector),
      );
      expect(owned(connector)).toEqual(expected.map(({ input }) => input.key).sort());
    }
    const live = [...this.latest.entities.values()].filter(({ stamp }) => stamp.deletedAtMs === null);
    expect(this.graph.stats().entities).toBe(live.length);
    expect(this.graph.stats().classCounts.get('Host') ?? 0).toBe(
      live.filter(({ input }) => input.class === 'Host').length,
    );
    expect(this.graph.stats().labelCounts.get('Labelled') ?? 0).toBe(
      live.filter(({ input }) => input.labels?.includes('Labelled') === true).length,
    );
    const liveLinks = [...this.latest.links.values()].filter(({ stamp }) => stamp.deletedAtMs === null);
    expect(this.graph.stats().relationships).toBe(liveLinks.length);
    expect(this.graph.stats().verbCounts.get('USES') ?? 0).toBe(
      liveLinks.filter(({ verb }) => verb === 'USES').length,
    );
  }
}

function copyOf({ entities, links }: State): State {
  return { entities: new Map(entities), links: new Map(links) };
}

function inputOf(at: number, value: PropertyValue, className: string): EntityInput {
  const key = KEYS[at % KEYS.length] ?? '';
  const properties = { os: value, cpu: at, ['__proto__']: value, [`a_${typeof value}`]: value };
  return {
    type: TYPES[Math.floor(at / KEYS.length)] ?? '',
    key,
    class: className,
    displayName: key,
    properties,
  };
}

/** Shared by all snapshots of all graphs: one base after another, as in a thread. */
const keptBase = new KeptBase();

/** The snapshot as received by another thread. */
function elsewhere(snapshot: GraphSnapshot): GraphSnapshot {
  return GraphSnapshot.attach(structuredClone(snapshot.share()), keptBase);
}

function compare(snapshot: GraphSnapshot, state: State, selection: Selection, isAll: boolean): void {
  const shown = [...state.entities.values()].filter(({ stamp }) => isAll || stamp.deletedAtMs === null);
  const expected = shown
    .filter((item) => matches(item, selection))
    .sort((a, b) => Buffer.compare(order(a), order(b)));
  for (let look = 0; look < LOOKS; look++) compareSelected(snapshot, selection, expected);
  for (const value of [true, 1, 'linux', 'a', null]) compareValue(snapshot, shown, value);
  const links = [...state.links].filter(([, { stamp }]) => isAll || stamp.deletedAtMs === null);
  for (const direction of ['out', 'in', 'any'] as const) compareLinks(snapshot, links, direction);
  compareNames(
    snapshot,
    shown.map(({ input }) => input),
    links.map(([, { verb }]) => verb.toUpperCase()),
  );
}

/** From the second look on, indexes answer. */
const LOOKS = 3;

function compareSelected(
  snapshot: GraphSnapshot,
  selection: Selection,
  expected: readonly ModelEntity[],
): void {
  const found = completed(snapshot.select(selection));
  expect(Array.from(found, (node) => textOf(snapshot, node))).toEqual(expected.map(entityText));
  expect(completed(snapshot.count(selection))).toBe(expected.length);
  expect(snapshot.estimate(selection)).toBeGreaterThanOrEqual(expected.length);
  expect([...completed(snapshot.select({ names: '*' })).filter(snapshot.matcher(selection))]).toEqual([
    ...found,
  ]);
  for (const fields of [['os', '_source'], ['os', 'class'], ['class']]) {
    const groups = completed(snapshot.groupCounts(selection, fields)).map(({ values, count }) =>
      JSON.stringify([values, count]),
    );
    expect(groups.sort()).toEqual(expectedGroups(expected, fields).sort());
  }
}

function compareValue(snapshot: GraphSnapshot, shown: readonly ModelEntity[], value: Scalar): void {
  const matches = (own: FieldValue): boolean => own === value || (Array.isArray(own) && own.includes(value));
  const filter: Filter = { kind: 'test', field: 'os', test: { matches, equals: [value] } };
  const expected = shown.flatMap(({ input: { type, key, properties } }) =>
    matches(properties['os']) ? [entityId(type, key)] : [],
  );
  for (let look = 0; look < LOOKS; look++) {
    const found = Array.from(completed(snapshot.select({ names: '*', filter })), (node) =>
      String(snapshot.nodeField(node, '_id')),
    );
    expect(sorted(found)).toEqual(sorted(expected));
  }
}

function compareNames(
  snapshot: GraphSnapshot,
  entities: readonly EntityInput[],
  verbs: readonly string[],
): void {
  for (const name of [...TYPES, 'Host', 'Thing', 'Labelled', 'nobody']) {
    expect(snapshot.hasName(name)).toBe(entities.some((item) => namesOf(item).has(name)));
  }
  for (const verb of ['RUNS', 'USES', 'EATS']) expect(snapshot.hasVerb(verb)).toBe(verbs.includes(verb));
  expect(sorted(snapshot.verbs())).toEqual(sorted(verbs));
  expect(sorted(snapshot.names())).toEqual(sorted(entities.flatMap((item) => [...namesOf(item)])));
  for (const names of NAME_LISTS) compareProperties(snapshot, names, entities);
}

const NAME_LISTS = [
  '*',
  ['host'],
  ['Thing'],
  ['user', 'Host'],
  ['Host', 'Thing'],
  ['Labelled'],
  ['Labelled', 'Host'],
  ['nobody'],
] as const;

function compareProperties(
  snapshot: GraphSnapshot,
  names: readonly string[] | '*',
  all: readonly EntityInput[],
): void {
  const named = all.filter((item) => isNamed(names, item));
  const properties = named.flatMap((item) =>
    Object.entries(item.properties).map(([name, value]) => [fieldOfProperty(name), value] as const),
  );
  const found = sorted(snapshot.propertyNames(names));
  expect(found).toEqual(sorted(properties.map(([name]) => name)));
  for (const property of [...found, 'nothing']) {
    const values = properties.filter(([name]) => name === property).map(([, value]) => kindOf(value));
    expect(sorted(snapshot.valueKinds(names, property))).toEqual(sorted(values.filter(isDefined)));
  }
}

/** Each text once. */
function sorted(texts: readonly string[]): readonly string[] {
  return [...new Set(texts)].sort();
}

function isDefined<T>(value: T | undefined): value is T {
  return value !== undefined;
}

function compareLinks(
  snapshot: GraphSnapshot,
  links: [string, ModelLink][],
  direction: 'out' | 'in' | 'any',
): void {
  const adjacency = snapshot.adjacency(['Runs'], direction);
  const buffer = { count: 0, nodes: new Uint32Array(0), links: new Uint32Array(0) };
  const image = new Set<string>();
  const wanted = links.filter(([, { verb }]) => verb.toUpperCase() === 'RUNS');
  for (const node of completed(snapshot.select({ names: '*' }))) {
    const id = String(snapshot.nodeField(node, '_id'));
    adjacency.read(node, buffer);
    const read = Array.from(buffer.links.subarray(0, buffer.count), (link) => [
      snapshot.linkField(link, '_id'), snapshot.linkVerb(link), snapshot.linkField(link, 'n'), snapshot.relationship(link).version,
    ]); // prettier-ignore
    const there = wanted.filter(
      ([, { from, to }]) => (direction !== 'in' && from === id) || (direction !== 'out' && to === id),
    );
    for (const [, { from, to }] of there)
      image.add(direction === 'in' || (direction === 'any' && to === id) ? from : to);
    const facts = there.map(([linkId, { verb, value, stamp }]) => [
      linkId,
      verb,
      value === 0 ? undefined : value,
      stamp.version,
    ]);
    expect(read.map(String).sort()).toEqual(facts.map(String).sort());
    for (const [linkId] of there) expect(snapshot.linkField(snapshot.linkById(linkId), '_id')).toBe(linkId);
  }
  const found = adjacency.image(completed(snapshot.select({ names: '*' })));
  expect(Array.from(found, (node) => String(snapshot.nodeField(node, '_id'))).sort()).toEqual(
    [...image].sort(),
  );
}

function expectedGroups(items: readonly ModelEntity[], fields: readonly string[]): string[] {
  const groups = new Map<string, number>();
  for (const item of items) {
    const key = JSON.stringify(fields.map((field) => fieldOf(item, field) ?? null));
    groups.set(key, (groups.get(key) ?? 0) + 1);
  }
  return [...groups].map(([key, count]) => JSON.stringify([JSON.parse(key), count]));
}

function matches(item: ModelEntity, { names, filter }: Selection): boolean {
  return isNamed(names, item.input) && (filter === undefined || passes(item, filter));
}

function passes(item: ModelEntity, filter: Filter): boolean {
  switch (filter.kind) {
    case 'test':
      return filter.test.matches(fieldOf(item, filter.field));
    case 'not':
      return !passes(item, filter.item);
    case 'and':
      return filter.items.every((part) => passes(item, part));
    case 'or':
      return filter.items.some((part) => passes(item, part));
  }
}

function fieldOf({ input, stamp }: ModelEntity, field: string): PropertyValue | undefined {
  const own: Record<string, PropertyValue> = {
    class: input.class, _class: input.class, display_name: input.displayName, _type: input.type,
    ...(input.labels && { _labels: input.labels }),
    _key: input.key, _id: entityId(input.type, input.key), _source: stamp.connectorId,
    _created_at: new Date(stamp.createdAtMs).toISOString(),
    _updated_at: new Date(stamp.updatedAtMs).toISOString(),
  }; // prettier-ignore
  if (Object.hasOwn(own, field)) return own[field];
  const name = propertyOfField(field) ?? '';
  return Object.hasOwn(input.properties, name) ? input.properties[name] : undefined;
}

function order({ input }: ModelEntity): Buffer {
  return Buffer.from(`${input.type}\0${input.key}`, 'utf8');
}

function textOf(snapshot: GraphSnapshot, node: number): string {
  const sink = new TextSink();
  snapshot.writeEntity(node, sink);
  expect(sink.text).toBe(JSON.stringify(snapshot.entity(node)));
  const {
    type,
    key,
    class: className,
    labels,
    properties,
    version,
    deleted_at,
    last_seen_at,
    source,
  } = snapshot.entity(node);
  return JSON.stringify([
    type,
    key,
    className,
    labels,
    properties['os'],
    version,
    deleted_at,
    last_seen_at,
    source.connector_id,
  ]);
}

function entityText({ input, stamp }: ModelEntity): string {
  const { type, key, class: className, labels, properties } = input;
  const deletedAt = stamp.deletedAtMs === null ? null : new Date(stamp.deletedAtMs).toISOString();
  const lastSeenAt = new Date(stamp.lastSeenAtMs).toISOString();
  return JSON.stringify([
    type,
    key,
    className,
    labels,
    properties['os'],
    stamp.version,
    deletedAt,
    lastSeenAt,
    stamp.connectorId,
  ]);
}

describe('the graph in memory', () => {
  it('equals a map of the published records, and keeps pinned snapshots unchanged', async () => {
    const law = fc.asyncProperty(
      fc.array(step, { maxLength: 60 }),
      arbitrarySelection,
      async (steps, selection) => {
        const run = new Run();
        for (const item of steps) await run.apply(item);
        await run.sealing;
        run.compareAll(selection);
        run.publish();
        await run.graph.seal();
        run.compareAll(selection);
      },
    );
    await fc.assert(law, { numRuns: effort(150, 40), verbose: fc.VerbosityLevel.Verbose });
  });
});
