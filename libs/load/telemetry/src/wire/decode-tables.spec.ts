import { describe, expect, it } from '@jest/globals';
import { BATCH_ROWS_MAX } from '../limits.ts';
import { TableBuilder } from '../builder/table-builder.ts';
import type { TableBatch } from '../table/table-batch.ts';
import { decodeTables } from './decode-tables.ts';
import { encodeTables, WIRE_VERSION } from './encode-tables.ts';

const ACCOUNT = new Uint8Array(20).fill(7);

function balances(rows: number): TableBuilder<'balances'> {
  const builder = new TableBuilder('balances');
  for (let row = 0; row < rows; row++) {
    builder.append({
      account: ACCOUNT,
      at: 'start',
      block_number: 1,
      balance_wei: 5n,
      nonce: row,
      token_units: null,
    });
  }
  return builder;
}

/** The bytes with `from` replaced by another text of the same length. */
function replaced(bytes: Uint8Array, from: string, to: string): Uint8Array {
  const copy = Buffer.from(bytes);
  copy.write(to, copy.indexOf(from));
  return copy;
}

describe('decodeTables', () => {
  it('rejects a text outside of the allowed values', () => {
    const bytes = replaced(encodeTables([balances(1).batch()]), 'start', 'stark');

    expect(() => decodeTables(bytes)).toThrow('expected one of start, end in at');
  });

  it('rejects invalid UTF-8', () => {
    const bytes = Buffer.from(encodeTables([balances(1).batch()]));
    bytes[bytes.indexOf('start')] = 0xff;

    expect(() => decodeTables(bytes)).toThrow('expected UTF-8 in at');
  });

  it('rejects wei that is not a whole number', () => {
    const builder = new TableBuilder('balances');
    builder.append({
      account: ACCOUNT,
      at: 'end',
      block_number: 1,
      balance_wei: 1234567n,
      nonce: 0,
      token_units: null,
    });

    const bytes = replaced(encodeTables([builder.batch()]), '1234567', '12.4567');

    expect(() => decodeTables(bytes)).toThrow('expected decimal digits in balance_wei');
  });

  it('rejects more rows than the limit before it allocates memory for them', () => {
    const bytes = Uint8Array.from(encodeTables([balances(1).batch()]));
    new DataView(bytes.buffer).setUint32(3, 0xffff_ffff, true);

    expect(() => decodeTables(bytes)).toThrow(`expected at most ${BATCH_ROWS_MAX} as rows of balances`);
  });

  it('limits the number of rows of all tables together', () => {
    const bytesOf = (batch: TableBatch) => encodeTables([batch]).subarray(2);
    const findings = new TableBuilder('findings');
    findings.append({
      at_us: 1,
      kind: 'foreign',
      account: null,
      receiver: null,
      hash: null,
      nonce: null,
      block_number: null,
      sequence_number: null,
      expected: null,
      observed: null,
      receipt_json: null,
    });
    const batch = (rows: number) =>
      Uint8Array.of(WIRE_VERSION, 2, ...bytesOf(balances(rows).batch()), ...bytesOf(findings.batch()));

    expect(decodeTables(batch(BATCH_ROWS_MAX - 1)).map(({ rowCount }) => rowCount)).toEqual([
      BATCH_ROWS_MAX - 1,
      1,
    ]);
    expect(() => decodeTables(batch(BATCH_ROWS_MAX))).toThrow(
      'expected at most 0 as rows of findings, got 1',
    );
  });

  it('rejects a repeated table', () => {
    const one = encodeTables([balances(1).batch()]).subarray(2);

    expect(() => decodeTables(Uint8Array.of(WIRE_VERSION, 2, ...one, ...one))).toThrow(
      'expected tables in their order',
    );
  });

  it('rejects an unsupported version', () => {
    expect(() => decodeTables(Uint8Array.of(WIRE_VERSION + 1, 0))).toThrow(
      `expected version ${WIRE_VERSION}`,
    );
  });
});

describe('encodeTables', () => {
  it('omits tables without rows', () => {
    expect(decodeTables(encodeTables([balances(0).batch()]))).toEqual([]);
  });

  it('limits the number of rows', () => {
    const most = balances(BATCH_ROWS_MAX);

    expect(decodeTables(encodeTables([most.batch()]))[0]?.rowCount).toBe(BATCH_ROWS_MAX);

    most.append({
      account: ACCOUNT,
      at: 'end',
      block_number: 1,
      balance_wei: 5n,
      nonce: 0,
      token_units: null,
    });
    expect(() => encodeTables([most.batch()])).toThrow('expected at most 65536 rows in a batch, got 65537');
  });
});
