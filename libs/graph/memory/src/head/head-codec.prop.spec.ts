import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { InvariantViolation } from '#platform/foundation';
import { Arena } from '../array/arena.ts';
import { readId } from '../name/id-index.ts';
import { HeadEncoder } from './head-encoder.ts';
import { BODY_AT, HeadWindow } from './head-window.ts';

const ID = '00112233445566778899aabbccddeeff';
const LABEL = `{"id":"${ID}`;
const words = new Uint32Array(4);
readId(ID, words);

const few = fc.constantFrom('"', ',', 'a', 'b', 'é', '","state":"running"', '","region":"eu-west-1"');
/** Arbitrary bytes, repeated texts, self-overlapping runs, and repetitions beyond the maximum distance. */
const piece = fc.oneof(
  { weight: 4, arbitrary: fc.array(few, { maxLength: 40 }).map((parts) => Buffer.from(parts.join(''))) },
  { weight: 2, arbitrary: fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 0, max: 2_000 }))
      .map(([period, length]) => Buffer.alloc(length, Buffer.from('0123456789'.slice(0, period)))),
  },
  {
    weight: 1,
    arbitrary: fc
      .integer({ min: 60_000, max: 70_000 })
      .map((length) => Buffer.from(Array.from({ length }, (_, at) => (at * at * 31) >>> 7))),
  },
);
const bytes = fc.array(piece, { maxLength: 5 }).map((pieces) => Buffer.concat(pieces));
const dictionary = bytes.map((all) => all.subarray(0, 40_000));

function headOf(body: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from(LABEL), body]);
}

/** A head among others; the last one ends at the end of the chunk. */
function stored(encoded: Uint8Array): { readonly arena: Arena; readonly reference: number } {
  const arena = new Arena();
  const reference = arena.add(encoded);
  return { arena: Arena.of(arena.trimmed()), reference };
}

describe('compressed heads', () => {
  it('decode to the original with any content and any dictionary', () => {
    const law = fc.property(dictionary, fc.array(bytes, { maxLength: 6 }), (known, bodies) => {
      const encoder = new HeadEncoder(known);
      const window = new HeadWindow(known);
      for (const body of bodies) {
        const head = headOf(body);
        const { arena, reference } = stored(encoder.encode(head, 0, head.length));

        expect(window.read(arena, reference, words, 0).copy().equals(head)).toBe(true);
      }
    });
    fc.assert(law);
  });

  it('start with the bytes of a partial read', () => {
    const law = fc.property(dictionary, bytes, fc.nat({ max: 400 }), (known, body, length) => {
      const head = headOf(body);
      const { arena, reference } = stored(new HeadEncoder(known).encode(head, 0, head.length));

      const { bytes: read, start, end } = new HeadWindow(known).readBody(arena, reference, length);

      expect(end - start).toBeGreaterThanOrEqual(Math.min(Math.max(length, BODY_AT), head.length));
      expect(read.subarray(start + BODY_AT, end).equals(head.subarray(BODY_AT, end - start))).toBe(true);
    });
    fc.assert(law);
  });

  it('decode or throw when damaged, without an effect on the next head', () => {
    const change = fc.record({ at: fc.nat(), byte: fc.nat({ max: 255 }) });
    const law = fc.property(
      dictionary,
      bytes,
      fc.oneof(fc.uint8Array({ maxLength: 400 }), fc.array(change, { maxLength: 8 })),
      fc.nat(),
      (known, body, damage, cut) => {
        const head = headOf(body);
        const whole = Buffer.from(new HeadEncoder(known).encode(head, 0, head.length));
        const window = new HeadWindow(known);
        const broken = damage instanceof Uint8Array ? damage : damagedAt(whole, damage, cut);
        const bad = stored(broken);

        try {
          window.read(bad.arena, bad.reference, words, 0);
        } catch (error) {
          expect(error).toBeInstanceOf(InvariantViolation);
        }

        const { arena, reference } = stored(whole);
        expect(window.read(arena, reference, words, 0).copy().equals(head)).toBe(true);
      },
    );
    fc.assert(law);
  });
});

function damagedAt(
  whole: Uint8Array,
  changes: readonly { readonly at: number; readonly byte: number }[],
  cut: number,
): Uint8Array {
  const broken = Uint8Array.from(whole);
  for (const { at, byte } of changes) broken[at % broken.length] = byte;
  return broken.subarray(0, cut % (broken.length + 1));
}
