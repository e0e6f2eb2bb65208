import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { isUtf8 } from 'node:buffer';
import { countParts, type MessageShape, NotUtf8, TooManyParts } from './message-parts.ts';

/**
 * Field 1 holds messages of the same type, field 2 bytes, field 3 a varint, fields 4 and 5 fixed-size
 * numbers, field 6 text.
 */
interface Tree {
  readonly children: readonly Tree[];
  readonly text: Uint8Array;
  readonly number: bigint;
}

const SHAPE: MessageShape = (() => {
  const messages = new Map<number, MessageShape>();
  const shape = { messages, texts: new Map([[6, 'key']]) };
  messages.set(1, shape);
  return shape;
})();

const FIELDS = {
  text: fc.uint8Array({ maxLength: 300 }),
  number: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
};

const { tree: arbitraryTree } = fc.letrec<{ tree: Tree }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 4 },
    fc.record({ ...FIELDS, children: fc.constant<readonly Tree[]>([]) }),
    fc.record({ ...FIELDS, children: fc.array(tie('tree'), { maxLength: 3 }) }),
  ),
}));

function varint(value: bigint): Buffer {
  const bytes: number[] = [];
  for (let rest = value; ; rest >>= 7n) {
    bytes.push(Number(rest & 0x7fn) | (rest > 0x7fn ? 0x80 : 0));
    if (rest <= 0x7fn) return Buffer.from(bytes);
  }
}

function field(number: number, bytes: Uint8Array): Buffer {
  return Buffer.concat([varint(BigInt((number << 3) | 2)), varint(BigInt(bytes.length)), bytes]);
}

function encoded({ children, text, number }: Tree): Buffer {
  const fixed = [
    Buffer.from([(4 << 3) | 1]),
    Buffer.alloc(8, 0xff),
    Buffer.from([(5 << 3) | 5]),
    Buffer.alloc(4),
  ];
  return Buffer.concat([
    ...children.map((child) => field(1, encoded(child))),
    field(2, text),
    Buffer.concat([varint(3n << 3n), varint(number), ...fixed]),
  ]);
}

const size = ({ children }: Tree): number => children.reduce((sum, child) => sum + 1 + size(child), 0);

describe('countParts', () => {
  it('counts nested messages between any other fields', () => {
    fc.assert(
      fc.property(arbitraryTree, (tree) => {
        expect(countParts(encoded(tree), SHAPE, Infinity)).toBe(size(tree));
      }),
    );
  });

  it('refuses text that is not UTF-8, wherever it is', () => {
    fc.assert(
      fc.property(arbitraryTree, fc.uint8Array({ maxLength: 4 }), (tree, bytes) => {
        const text = field(6, bytes);
        const count =
          (message: Uint8Array): (() => number) =>
          () =>
            countParts(message, SHAPE, Infinity);
        const messages = [
          Buffer.concat([encoded(tree), text]),
          field(1, Buffer.concat([text, encoded(tree)])),
        ];

        for (const message of messages) {
          if (isUtf8(bytes)) expect(count(message)).not.toThrow();
          else expect(count(message)).toThrow(NotUtf8);
        }
      }),
    );
  });

  it('stops at the bound', () => {
    fc.assert(
      fc.property(arbitraryTree, fc.nat(10), (tree, max) => {
        const count = (): number => countParts(encoded(tree), SHAPE, max);

        if (size(tree) > max) expect(count).toThrow(TooManyParts);
        else expect(count()).toBe(size(tree));
      }),
    );
  });

  it('returns a number or throws a RangeError for any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        try {
          expect(countParts(bytes, SHAPE, 50)).toBeLessThanOrEqual(50);
        } catch (error) {
          expect(error).toBeInstanceOf(RangeError);
        }
      }),
    );
  });
});
