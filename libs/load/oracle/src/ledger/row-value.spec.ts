import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { RowOf } from '#load/telemetry';
import { batchOfRows } from '../../test/batch-of-rows.ts';
import { bigintOrNull, hexOrNull, numberAt, numberOrNull, textAt, textOrNull } from './row-value.ts';

/** Few distinct values, so that rows share them. */
const hash = fc.constantFrom(1, 2, 300).map((value) => new Uint8Array(32).fill(value));
const row: fc.Arbitrary<RowOf<'findings'>> = fc.record({
  at_us: fc.nat(),
  kind: fc.constantFrom('foreign', 'feed_order', 'block_gas_sum'),
  account: fc.constant(null),
  receiver: fc.constant(null),
  hash: fc.option(hash),
  nonce: fc.option(fc.nat({ max: 9 })),
  block_number: fc.option(fc.nat()),
  sequence_number: fc.constant(null),
  expected: fc.option(fc.constantFrom('', '1', '-7', '12345678901234567890')),
  observed: fc.constant(null),
  receipt_json: fc.constant(null),
});

const hexText = (bytes: Uint8Array | null): string | null =>
  bytes === null ? null : `0x${Buffer.from(bytes).toString('hex')}`;

describe('row values', () => {
  it('equal the encoded values, independent of the other rows', () => {
    fc.assert(
      fc.property(fc.array(row, { minLength: 1, maxLength: 20 }), (rows) => {
        const { columns } = batchOfRows('findings', rows);

        for (const [at, { nonce, hash: bytes, expected, at_us: atUs, kind }] of rows.entries()) {
          expect(numberOrNull(columns.nonce, at)).toBe(nonce);
          expect(hexOrNull(columns.hash, at)).toBe(hexText(bytes));
          expect(textOrNull(columns.expected, at)).toBe(expected);
          if (expected !== '') expect(bigintOrNull(columns.expected, at)).toBe(expected && BigInt(expected));
          expect([numberAt(columns.at_us, at), textAt(columns.kind, at)]).toEqual([atUs, kind]);
          if (nonce === null) expect(() => numberAt(columns.nonce, at)).toThrow(`row ${at} has no number`);
          if (expected === null) expect(() => textAt(columns.expected, at)).toThrow(`row ${at} has no text`);
        }
      }),
    );
  });
});
