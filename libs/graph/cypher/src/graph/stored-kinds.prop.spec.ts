/** Values written to the graph in memory, sealed and not, come back equal and of their kind. */
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { MemoryGraph } from '#graph/memory';
import { createKinds, createProperties, type EntityInput } from '#graph/model';
import { putEntity, STAMP, TEST_OPTIONS, TextSink } from '#graph/testing';
import { completed } from '#platform/foundation';
import { storedValueOf } from '../overlay/stored-value.ts';
import { COORDINATE_SYSTEMS, PointValue } from '../value/point.ts';
import { newDuration } from '../value/temporal/duration.ts';
import {
  DateTimeValue,
  DateValue,
  LocalDateTimeValue,
  LocalTimeValue,
  NANOS_PER_DAY,
  TimeValue,
} from '../value/temporal/temporal.ts';
import { atLocal, parseZone } from '../value/temporal/zone.ts';
import type { Value } from '../value/value.ts';
import { SnapshotGraph } from './snapshot-graph.ts';

const day = fc.integer({ min: -800_000, max: 3_000_000 });
const nano = fc.integer({ min: 0, max: NANOS_PER_DAY - 1 });
const offset = fc.integer({ min: -64_800, max: 64_800 });
const long = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
const float = fc.oneof(
  fc.double(),
  fc.integer().map(Number),
  fc.constantFrom(-0, NaN, Infinity, -Infinity, 2 ** 60),
);
const axis = fc.oneof(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.constantFrom(-0, 180));
const number: fc.Arbitrary<Value> = fc.oneof(long, fc.bigInt({ min: -9n, max: 9n }), float);
const scalars: readonly fc.Arbitrary<Value>[] = [
  fc.boolean(),
  fc.string({ unit: 'grapheme' }).filter((text) => text.isWellFormed()),
  number,
  day.map((at) => new DateValue(at)),
  nano.map((at) => new LocalTimeValue(at)),
  fc.tuple(nano, offset).map(([at, seconds]) => new TimeValue(at, seconds)),
  fc.tuple(day, nano).map(([at, time]) => new LocalDateTimeValue(at, time)),
  fc.tuple(day, nano, offset).map(([at, time, seconds]) => new DateTimeValue(at, time, seconds)),
  fc
    .tuple(fc.integer({ min: 0, max: 40_000 }), nano, fc.constantFrom('Europe/Stockholm', 'Asia/Kathmandu'))
    .map(([at, time, zone]) => atLocal(at, time, parseZone(zone))),
  fc
    .tuple(fc.bigInt(-999n, 999n), fc.bigInt(-999n, 999n), long)
    .map(([months, days, nanos]) => newDuration(months, days, nanos)),
  fc
    .tuple(fc.constantFrom(...COORDINATE_SYSTEMS), fc.array(axis, { minLength: 3, maxLength: 3 }))
    .map(([system, axes]) => new PointValue(system, axes.slice(0, system.dimensions))),
];
const value: fc.Arbitrary<Value> = fc.oneof(
  ...scalars,
  ...scalars.map((scalar) => fc.array(scalar, { maxLength: 4 })),
);
const properties = fc.dictionary(fc.constantFrom('a', 'b', '_c', 'é"'), value, { maxKeys: 3 });

function inputOf(at: number, values: Readonly<Record<string, Value>>): EntityInput {
  const own = createProperties();
  const kinds = createKinds();
  for (const [key, each] of Object.entries(values)) {
    const stored = storedValueOf(key, each);
    own[key] = stored.value;
    if (stored.kind !== undefined) kinds[key] = stored.kind;
  }
  const some = Object.keys(kinds).length > 0 ? kinds : undefined;
  return { type: 'T', key: String(at), class: 'T', displayName: String(at), properties: own, kinds: some };
}

/** As read one by one and together, and as replies show them. */
function compare(graph: MemoryGraph, all: readonly Readonly<Record<string, Value>>[]): void {
  const snapshot = graph.snapshot();
  const read = new SnapshotGraph(snapshot);
  for (const node of completed(snapshot.select({ names: '*' }))) {
    const expected = all[Number(snapshot.nodeField(node, '_key'))] ?? {};
    expect(Object.fromEntries(read.nodeProperties(node))).toEqual({ ...expected });
    for (const [key, each] of Object.entries(expected)) expect(read.nodeProperty(node, key)).toEqual(each);
    const sink = new TextSink();
    snapshot.writeEntity(node, sink);
    expect(JSON.parse(sink.text)).toEqual(JSON.parse(JSON.stringify(snapshot.entity(node))));
  }
  snapshot.release();
}

describe('a value in the store', () => {
  it('comes back equal, before and after a seal, and from an image', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(properties, { minLength: 1, maxLength: 4 }), async (all) => {
        const graph = MemoryGraph.create(TEST_OPTIONS);
        for (const [at, values] of all.entries()) putEntity(graph, 1, inputOf(at, values), STAMP);
        graph.publish(1);
        compare(graph, all);
        await graph.seal();
        compare(graph, all);
        const { seq, parts } = graph.exportImage();
        compare(
          MemoryGraph.fromImage(
            seq,
            parts.map(({ bytes }) => Uint8Array.from(bytes)),
            TEST_OPTIONS,
          ),
          all,
        );
      }),
      { numRuns: 60 },
    );
  });
});
