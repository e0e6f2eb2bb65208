import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { decodePart, type FormerRecord, PartWriter, valuesKey } from './history-record.ts';

const AT_MS = 1_500;
const LIVE = Uint8Array.of(7, 8, 9);

const bytes = fc.uint8Array({ maxLength: 3 });
const record: fc.Arbitrary<FormerRecord> = fc.oneof(
  fc.record({
    key: bytes,
    was: fc.constantFrom('live', 'deleted', 'seen'),
    isDeletion: fc.boolean(),
    value: bytes,
  }),
  fc.record({
    key: bytes,
    was: fc.constant('none'),
    isDeletion: fc.constant(false),
    value: fc.constant(new Uint8Array(0)),
  }),
);

function keyOf(letter: string): Uint8Array {
  return Buffer.from(`E${letter}`, 'latin1');
}

function headed(...records: readonly (readonly number[])[]): Uint8Array {
  const head = Buffer.alloc(9);
  head[0] = 1;
  head.writeDoubleLE(AT_MS, 1);
  return Buffer.concat([head, ...records.map((each) => Uint8Array.from(each))]);
}

/** What was replaced, with plain bytes. */
function decoded(part: Uint8Array): readonly unknown[] {
  const { records } = decodePart(valuesKey(1, 0), part);
  return records.map(plain);
}

function plain({ key, value, ...rest }: FormerRecord): unknown {
  return { ...rest, key: [...key], value: [...value] };
}

describe('part of the history', () => {
  it('has three bytes and the key of a new record, unless one with content precedes it', () => {
    const writer = new PartWriter(AT_MS);
    writer.addNew(keyOf('a'));
    writer.addNew(keyOf('b'));
    writer.open(keyOf('c'), false, false).bytes(LIVE);
    writer.close();
    writer.addNew(keyOf('d'));
    writer.addNew(keyOf('e'));

    expect(Buffer.from(writer.view())).toEqual(
      headed(
        [0x20, 2, 0, 0x45, 0x61],
        [0x20, 2, 0, 0x45, 0x62],
        [0x01, 2, 0, 0x45, 0x63, 3, 0, 0, 0, 7, 8, 9],
        [0x00, 2, 0, 0x45, 0x64, 0, 0, 0, 0],
        [0x20, 2, 0, 0x45, 0x65],
      ),
    );
  });

  it('is read in the form of earlier versions, in which a new record has the length of no value', () => {
    const earlier = headed([0x00, 2, 0, 0x45, 0x61, 0, 0, 0, 0], [0x00, 2, 0, 0x45, 0x62, 0, 0, 0, 0]);
    const writer = new PartWriter(AT_MS);
    writer.addNew(keyOf('a'));
    writer.addNew(keyOf('b'));

    expect(decoded(earlier)).toHaveLength(2);
    expect(decoded(earlier)).toEqual(decoded(writer.view()));
  });

  it('decodes to what was added, in any order of kinds', () => {
    fc.assert(
      fc.property(fc.array(record, { maxLength: 12 }), (records) => {
        const writer = new PartWriter(AT_MS);
        for (const each of records) {
          if (each.was === 'none') writer.addNew(each.key);
          else if (each.was === 'seen') writer.add(each);
          else {
            writer.open(each.key, each.was === 'deleted', each.isDeletion).bytes(each.value);
            writer.close();
          }
        }

        expect(decoded(writer.view())).toEqual(records.map(plain));
      }),
    );
  });

  it('decodes to the same after it was written again record by record', () => {
    fc.assert(
      fc.property(fc.array(record, { maxLength: 12 }), (records) => {
        const writer = new PartWriter(AT_MS);
        for (const each of records) writer.add(each);

        expect(decoded(writer.view())).toEqual(records.map(plain));
      }),
    );
  });
});
