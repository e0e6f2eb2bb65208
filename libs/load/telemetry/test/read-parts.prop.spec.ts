/**
 * Damaged parts: after any change of its bytes, a part is either read as written or rejected with the file's
 * name. No other error is thrown, and nothing hangs.
 */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  COMPRESSIONS,
  encodeTables,
  readFooter,
  readParts,
  TABLE_NAMES,
  TelemetryWriter,
} from '#load/telemetry';
import { NodeDisk } from '#platform/disk';
import { DomainError } from '#platform/foundation';
import { effort } from '#testing';
import { partName } from '../src/file-names.ts';
import { arbitraryRow, batchOf } from './arbitrary-rows.ts';
import { rowsOfBatch, type PlainRow } from './plain-rows.ts';
import { edge } from './run-harness.ts';

const RUNS = Number(process.env['DAMAGE_RUNS'] ?? effort(200, 50));
const ROWS = 40;
/** The tail of these small files that contains the footer. */
const TAIL_BYTES = 2_000;

/** A change of a file's bytes; `place` is a fraction of the length of the file or of its tail. */
interface Damage {
  readonly kind: 'flip' | 'overwrite' | 'zero' | 'cut' | 'insert' | 'remove';
  readonly isInTail: boolean;
  readonly place: number;
  readonly bytes: Uint8Array;
}

const DAMAGE: fc.Arbitrary<Damage> = fc.record({
  kind: fc.constantFrom('flip', 'overwrite', 'zero', 'cut', 'insert', 'remove'),
  isInTail: fc.boolean(),
  place: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
  bytes: fc.uint8Array({ minLength: 1, maxLength: 9 }),
});

function damaged(file: Buffer, { kind, isInTail, place, bytes }: Damage): Buffer {
  const span = isInTail ? Math.min(file.length, TAIL_BYTES) : file.length;
  const at = file.length - span + Math.floor(place * span);
  const [before, behind] = [file.subarray(0, at), file.subarray(at)];
  if (kind === 'cut') return before;
  if (kind === 'insert') return Buffer.concat([before, bytes, behind]);
  if (kind === 'remove') return Buffer.concat([before, behind.subarray(bytes.length)]);
  const other = Buffer.from(file);
  if (kind === 'flip') other[at]! ^= 1 << (bytes[0]! & 7);
  else if (kind === 'zero') other.subarray(at, at + bytes.length).fill(0);
  else other.set(bytes.subarray(0, file.length - at), at);
  return other;
}

async function rowsIn(directory: string, name: string): Promise<readonly PlainRow[]> {
  const rows: PlainRow[] = [];
  await readParts({ disk: new NodeDisk(), directory }, [name], (_, batches) => {
    for (const batch of batches) rows.push(...rowsOfBatch(batch));
  });
  return rows;
}

/** The result, or the code of a `DomainError`. Other errors are rethrown. */
async function outcomeOf<T>(reading: Promise<T>): Promise<T | string> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof DomainError) return error.code;
    throw error;
  }
}

describe.each(COMPRESSIONS)('a damaged part, %s', (compression) => {
  let directory: string;
  let whole: Readonly<Record<string, { readonly file: Buffer; readonly rows: readonly PlainRow[] }>>;

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'telemetry-damage-'));
    const small = { pageRows: 16, rowGroupRows: 32, compression };
    const writer = await TelemetryWriter.open({ disk: new NodeDisk(), directory, ...small });
    for (const name of ['a', 'b']) {
      const batches = TABLE_NAMES.map((table) =>
        batchOf({ table, rows: fc.sample(arbitraryRow(table), { numRuns: ROWS, seed: 11 }) }),
      );
      await writer.append(edge(name), 1, encodeTables(batches));
    }
    const parts = await writer.seal();
    const entries = parts.map(async ({ name }) => {
      const part = { file: readFileSync(join(directory, name)), rows: await rowsIn(directory, name) };
      return [name, part] as const;
    });
    whole = Object.fromEntries(await Promise.all(entries));
  });
  afterAll(() => {
    rmSync(directory, { recursive: true });
  });

  it('is read as written or rejected', async () => {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...TABLE_NAMES), DAMAGE, async (table, damage) => {
        const name = partName(table, 1);
        const { file, rows } = whole[name]!;
        writeFileSync(join(directory, name), damaged(file, damage));

        const found = await outcomeOf(rowsIn(directory, name));
        const footer = await outcomeOf(readFooter(new NodeDisk(), join(directory, name)));

        if (found !== 'REPORT_DATA_UNREADABLE') expect(found).toEqual(rows);
        if (footer !== 'REPORT_DATA_UNREADABLE') expect(footer).toHaveProperty('rows');
      }),
      { numRuns: RUNS },
    );
  });
});
