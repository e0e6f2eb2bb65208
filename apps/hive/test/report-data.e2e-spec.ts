import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { TABLE_NAMES } from '#load/telemetry';
import { TestEdge } from './support/test-edge.ts';
import { TestHive } from './support/test-hive.ts';
import { GREEDY_RECEIPT, transaction } from './support/test-rows.ts';
import { SCENARIO } from './support/test-scenario.ts';

const ROWS = 500;
const [MISSING, UNREADABLE] = ['REPORT_DATA_MISSING', 'REPORT_DATA_UNREADABLE'];

/** Kinds of damage to a file; undefined deletes it. */
const DAMAGES: readonly (readonly [string, (whole: Buffer) => Uint8Array | undefined, string | undefined])[] =
  [
    ['deleted', () => undefined, MISSING],
    ['emptied', () => new Uint8Array(0), UNREADABLE],
    ['cut by a byte', (whole) => whole.subarray(0, -1), UNREADABLE],
    ['cut to a half', (whole) => whole.subarray(0, whole.length >> 1), UNREADABLE],
    ['a byte longer', (whole) => Buffer.concat([whole, Buffer.from('x')]), UNREADABLE],
    ['another text', () => Buffer.from('no Parquet'), UNREADABLE],
    ['damaged in its footer', (whole) => flipped(whole, whole.length - 20), UNREADABLE],
    ['damaged in the length of its footer', (whole) => flipped(whole, whole.length - 6), UNREADABLE],
  ];

function flipped(whole: Buffer, at: number): Buffer {
  const bytes = Buffer.from(whole);
  bytes[at] = (bytes[at] ?? 0) ^ 0xff;
  return bytes;
}

describe('the report of a run with changed files', () => {
  let hive: TestHive;
  let runId: string;
  let directory: string;
  let whole: ReadonlyMap<string, Buffer>;

  beforeAll(async () => {
    hive = await TestHive.start();
    const edge = await TestEdge.connect('a', { address: hive.grpcAddress });
    ({ run_id: runId } = await hive.begin(SCENARIO));
    await hive.until(runId, ({ phase }) => phase === 'steady');
    for (let tx = 0; tx < ROWS; tx++) edge.record('transactions', transaction(tx));
    edge.record('receipts', GREEDY_RECEIPT);
    await edge.flush();
    edge.progress('done', { planned: ROWS, sent: ROWS, included: ROWS });
    await hive.end(runId);
    await edge.leave();
    directory = join(hive.directory, 'runs', runId);
    const names = (await readdir(directory)).filter((name) => name.endsWith('.parquet'));
    whole = new Map(
      await Promise.all(names.map(async (name) => [name, await readFile(join(directory, name))] as const)),
    );
  });
  afterAll(() => hive.remove());
  beforeEach(async () => {
    for (const [name, bytes] of whole) await writeFile(join(directory, name), bytes);
  });

  const report = (query = ''): ReturnType<TestHive['call']> =>
    hive.call('GET', `/runs/${runId}/report${query}`);
  const partOf = (table: string): string => `${table}-part-00001.parquet`;

  async function damage(name: string, change: (bytes: Buffer) => Uint8Array | undefined): Promise<void> {
    const changed = change(whole.get(name) ?? Buffer.alloc(0));
    if (changed === undefined) await rm(join(directory, name));
    else await writeFile(join(directory, name), changed);
  }

  it.each(
    TABLE_NAMES.flatMap((table) =>
      DAMAGES.map(([what, change, code]) => [table, what, change, code] as const),
    ),
  )(
    'is an error that names the part of %s if it is %s, although the report was built before',
    async (table, _what, change, code) => {
      expect((await report()).status).toBe(200);

      await damage(partOf(table), change);

      for (const query of ['', '?format=html', '?format=junit']) {
        const { status, text } = await report(query);
        expect([status, JSON.parse(text)]).toEqual([
          500,
          expect.objectContaining({ error: code, message: expect.stringContaining(partOf(table)) }),
        ]);
      }
    },
  );

  it('is an error while all files are missing, and is complete once they are restored', async () => {
    for (const name of whole.keys()) await rm(join(directory, name));
    expect((await report()).status).toBe(500);
    await rm(join(directory, 'report.json'), { force: true });
    expect((await report()).status).toBe(500);

    for (const [name, bytes] of whole) await writeFile(join(directory, name), bytes);

    expect(JSON.parse((await report()).text)).toMatchObject({ run_id: runId, summary: { included: ROWS } });
  });

  it('names the part with a changed byte at any position, or is unchanged', async () => {
    const name = partOf('transactions');
    const bytes = whole.get(name) ?? Buffer.alloc(0);
    const before = await report();
    const outcomes = new Set<number>();
    for (let at = 4; at < bytes.length; at += Math.ceil(bytes.length / 60)) {
      await damage(name, (found) => flipped(found, at));

      const { status, text } = await report();

      outcomes.add(status);
      if (status === 200) expect(text).toBe(before.text);
      else
        expect(JSON.parse(text)).toMatchObject({ error: UNREADABLE, message: expect.stringContaining(name) });
    }
    expect(outcomes).toContain(500);
  });
});
