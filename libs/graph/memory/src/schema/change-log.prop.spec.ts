import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type EntityInput, entityId, type Footprint, relationshipId } from '#graph/model';
import { putEntity, putRelationship, STAMP, TEST_OPTIONS } from '#graph/testing';
import { effort } from '#testing';
import { MemoryGraph } from '../memory-graph.ts';
import type { GraphSnapshot } from '../snapshot/graph-snapshot.ts';
import type { ChangeMark } from './change-log.ts';

const RUNS = effort(500, 100);
/** Includes a type that equals another type's class, and an unused name. */
const TYPES = ['host', 'user', 'Host'];
const CLASSES = ['Host', 'User'];
const KEYS = ['a', 'b'];
const VERBS = ['RUNS', 'uses', 'Uses'];
const FIELDS = ['cpu', 'os'];

type Step = Write | { readonly kind: 'publish' | 'discard' | 'seal' };
type Write =
  | { readonly kind: 'put'; readonly input: EntityInput }
  | { readonly kind: 'touch' | 'delete'; readonly type: string; readonly key: string }
  | {
      readonly kind: 'link' | 'touchLink' | 'unlink';
      readonly from: End;
      readonly verb: string;
      readonly to: End;
    };
type End = Pick<EntityInput, 'type' | 'key'>;

const end = fc.record({ type: fc.constantFrom(...TYPES), key: fc.constantFrom(...KEYS) });
const input: fc.Arbitrary<EntityInput> = fc.record({
  type: fc.constantFrom(...TYPES),
  key: fc.constantFrom(...KEYS),
  class: fc.constantFrom(...CLASSES),
  displayName: fc.constantFrom('One', 'Two'),
  labels: fc.constantFrom(undefined, ['Labelled'], ['Labelled', 'User']),
  properties: fc.dictionary(fc.constantFrom(...FIELDS), fc.constantFrom(1, 'x', null), {
    maxKeys: 2,
    noNullPrototype: true,
  }),
});
const link = { from: end, verb: fc.constantFrom(...VERBS), to: end };
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('put' as const), input }) },
  { weight: 4, arbitrary: end.chain((of) => fc.constantFrom({ kind: 'touch' as const, ...of }, { kind: 'delete' as const, ...of })) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constantFrom('link' as const, 'link' as const, 'touchLink' as const, 'unlink' as const), ...link }) },
  { weight: 8, arbitrary: fc.constant({ kind: 'publish' as const }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'discard' as const }) },
  { weight: 2, arbitrary: fc.constant({ kind: 'seal' as const }) },
); // prettier-ignore

const footprint: fc.Arbitrary<Footprint> = fc.record({
  names: fc.oneof(fc.constant('*' as const), fc.subarray([...new Set([...TYPES, ...CLASSES, 'Labelled'])])),
  verbs: fc.oneof(fc.constant('*' as const), fc.subarray(['RUNS', 'USES'])),
  readsStamps: fc.boolean(),
});

/** A graph written step by step; each step has its own sequence number. */
class Writer {
  readonly graph = MemoryGraph.create(TEST_OPTIONS);
  #seq = 0;

  async step(next: Step): Promise<void> {
    switch (next.kind) {
      case 'publish':
        this.graph.publish(this.#seq);
        return;
      case 'discard':
        this.#seq = this.graph.publishedSeq;
        this.graph.discard(this.#seq);
        return;
      case 'seal':
        return this.graph.seal();
      default:
        this.#seq++;
        this.#write(next);
    }
  }

  #write(next: Write): void {
    const stamp = { ...STAMP, lastSeenAtMs: STAMP.lastSeenAtMs + this.#seq };
    if (next.kind === 'put') putEntity(this.graph, this.#seq, next.input, stamp);
    else if ('verb' in next) this.#relate(next, stamp);
    else this.#change(next.kind, this.#node(next), stamp);
  }

  #change(kind: 'touch' | 'delete', node: number, stamp: typeof STAMP): void {
    if (node < 0) return;
    if (kind === 'touch') {
      this.graph.touchEntity(this.#seq, node, { stamp, owners: ['test'] });
      return;
    }
    const gone = { ...stamp, deletedAtMs: stamp.lastSeenAtMs };
    for (const of of this.graph.linksOf(node)) this.graph.deleteRelationship(this.#seq, of, gone);
    this.graph.deleteEntity(this.#seq, node, gone);
  }

  #relate({ kind, from, verb, to }: Extract<Step, { readonly verb: string }>, stamp: typeof STAMP): void {
    const [a, b] = [this.#node(from), this.#node(to)];
    if (a < 0 || b < 0) return;
    const known = this.graph.findRelationship(relationshipId(idOf(from), verb, idOf(to), undefined));
    const isLive = known >= 0 && !this.graph.relationshipState(known).isDeleted;
    const input = { from, verb, to, properties: { at: this.#seq } };
    if (kind === 'link') putRelationship(this.graph, this.#seq, input, stamp);
    else if (!isLive) return;
    else if (kind === 'touchLink')
      this.graph.touchRelationship(this.#seq, known, { stamp, owners: ['test'] });
    else this.graph.deleteRelationship(this.#seq, known, { ...stamp, deletedAtMs: stamp.lastSeenAtMs });
  }

  /** −1 if it is not live. */
  #node(of: End): number {
    const node = this.graph.findEntity(idOf(of));
    return node >= 0 && this.graph.entityState(node).isDeleted ? -1 : node;
  }
}

function idOf({ type, key }: End): string {
  return entityId(type, key);
}

/** All data that a query with this footprint may read. */
function seen(reader: GraphSnapshot, { names, verbs, readsStamps }: Footprint): unknown {
  const selection = { names };
  const told = (record: object): object =>
    readsStamps ? record : Object.fromEntries(Object.entries(record).filter(([field]) => !STAMPS.has(field)));
  const nodes = [...done(reader.select(selection))];
  const words = names === '*' ? reader.names() : names.filter((name) => reader.hasName(name));
  const links = [...done(reader.select({ names: '*' }))].flatMap((node) => {
    const into = { count: 0, nodes: new Uint32Array(64), links: new Uint32Array(64) };
    reader.adjacency(verbs, 'out').read(node, into);
    return [...into.links.subarray(0, into.count)].map((each) => told(reader.relationship(each)));
  });
  const properties = reader.propertyNames(names).toSorted();
  return {
    isEmpty: done(reader.count({ names: '*' })) === 0,
    entities: nodes.map((node) => told(reader.entity(node))),
    words: words.toSorted(),
    kinds: properties.map((name) => [name, reader.valueKinds(names, name).toSorted()]),
    links: links.map((each) => JSON.stringify(each)).toSorted(),
    verbs: (verbs === '*' ? reader.verbs() : verbs.filter((verb) => reader.hasVerb(verb))).toSorted(),
  };
}

const STAMPS: ReadonlySet<string> = new Set([
  'source',
  'created_at',
  'updated_at',
  'last_seen_at',
  'version',
]);

function done<T>(steps: Generator<unknown, T>): T {
  for (;;) {
    const next = steps.next();
    if (next.done === true) return next.value;
  }
}

interface Remembered {
  readonly mark: ChangeMark;
  readonly seen: unknown;
}

describe('a change log', () => {
  it('reports a footprint as changed whenever a query may read different data', async () => {
    let heldCount = 0;
    const steps = fc.array(step, { minLength: 5, maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(
        steps,
        fc.array(footprint, { minLength: 1, maxLength: 8 }),
        async (all, footprints) => {
          const writer = new Writer();
          const remembered = new Map<Footprint, Remembered>();
          for (const next of all) {
            await writer.step(next);
            const reader = writer.graph.snapshot();
            const mark = writer.graph.changes.mark(reader.snapshotVersion);
            for (const each of footprints) {
              const before = remembered.get(each);
              const now = seen(reader, each);
              const holds = before !== undefined && !writer.graph.changes.hasChanged(each, before.mark);
              if (holds) expect(now).toEqual(before.seen);
              else remembered.set(each, { mark, seen: now });
              if (holds && mark.seq > before.mark.seq) heldCount++;
            }
            reader.release();
          }
        },
      ),
      { numRuns: RUNS },
    );
    // It must not report a change always.
    expect(heldCount).toBeGreaterThan(RUNS);
  });

  it('reports a change for a mark of another history', () => {
    const { changes } = MemoryGraph.create(TEST_OPTIONS);
    const footprintOfNothing = { names: [], verbs: [], readsStamps: false };

    expect(changes.hasChanged(footprintOfNothing, changes.mark(0))).toBe(false);
    expect(changes.hasChanged(footprintOfNothing, MemoryGraph.create(TEST_OPTIONS).changes.mark(0))).toBe(
      true,
    );
  });
});
