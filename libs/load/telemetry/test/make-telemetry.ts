/**
 * Writes the telemetry of a run until it is killed: `node make-telemetry.ts <directory> <marks> [<last>]`.
 * `marks` is JSON: the last acknowledged batch by edge. Each edge starts by repeating that batch. Each
 * acknowledgement is a line on standard output: edge, seq. With `last`, the edges end after that batch, and
 * the run is sealed.
 */
import { writeSync } from 'node:fs';
import { encodeTables, TableBuilder, TelemetryWriter } from '#load/telemetry';
import { NodeDisk } from '#platform/disk';

const ROWS = 100;
const STANDARD_OUTPUT = 1;
const ACCOUNT = new Uint8Array(20).fill(1);

/** The rows of batch `seq`: balances whose nonce is the number of the row among all rows of the edge. */
function batch(seq: number): Uint8Array {
  const rows = new TableBuilder('balances');
  for (let row = 0; row < ROWS; row++) {
    const nonce = (seq - 1) * ROWS + row;
    rows.append({ account: ACCOUNT, at: 'end', block_number: 1, balance_wei: 1n, nonce, token_units: null });
  }
  return encodeTables([rows.batch()]);
}

const [directory = '', marks = '{}', last = 'Infinity'] = process.argv.slice(2);
const writer = await TelemetryWriter.open({ disk: new NodeDisk(), directory, journalBytes: 32_768 });
await Promise.all(
  Object.entries(JSON.parse(marks) as Record<string, number>).map(async ([edgeId, mark]) => {
    for (let seq = Math.max(1, mark); seq <= Number(last); seq++) {
      await writer.append({ edgeId, instanceId: 'i' }, seq, batch(seq));
      writeSync(STANDARD_OUTPUT, `${edgeId} ${seq}\n`);
    }
  }),
);
await writer.seal();
