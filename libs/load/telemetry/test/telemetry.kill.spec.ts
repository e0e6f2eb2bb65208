/**
 * Repeatedly kills a process that writes telemetry to one directory with SIGKILL. In the end the files
 * contain every batch exactly once, acknowledged or not. `KILL_ROUNDS=50` runs a long set.
 */
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { NodeDisk } from '#platform/disk';
import { effort } from '#testing';
import { completeParts } from '../src/writer/generation.ts';
import { hyparquetRows } from './parquet-rows.ts';
import { seededRandom } from '#platform/foundation';

const ROUNDS = Number(process.env['KILL_ROUNDS'] ?? effort(3, 1));
const SEED = Number(process.env['KILL_SEED'] ?? Date.now() % 1_000_000);
const ROWS_A_BATCH = 100;
const ACKS_A_ROUND = 300;
const EDGES = ['a', 'b', 'c', 'd'];

jest.setTimeout(60_000 + ROUNDS * 10_000);

type Marks = Record<string, number>;

/** Runs the program, and kills it after the given number of acknowledgements. Returns its exit code. */
async function run(
  directory: string,
  marks: Marks,
  end: { kill: number } | { last: number },
): Promise<unknown> {
  const program = join(import.meta.dirname, 'make-telemetry.ts');
  const last = 'last' in end ? [String(end.last)] : [];
  const child = spawn(
    process.execPath,
    ['--conditions=plexus-source', program, directory, JSON.stringify(marks), ...last],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const exit = once(child, 'exit');
  let acks = 0;
  for await (const line of createInterface({ input: child.stdout })) {
    const [edge = '', seq] = line.split(' ');
    marks[edge] = Number(seq);
    if ('kill' in end && ++acks === end.kill) child.kill('SIGKILL');
  }
  const [code, signal] = (await exit) as [number | null, string | null];
  return signal ?? code;
}

async function numbersIn(directory: string): Promise<Record<string, number[]>> {
  const numbers: Record<string, number[]> = {};
  for (const { name, table } of await completeParts(new NodeDisk(), directory)) {
    if (table !== 'balances') continue;
    for (const row of await hyparquetRows(readFileSync(join(directory, name)))) {
      (numbers[String(row['edge_id'])] ??= []).push(Number(row['nonce']));
    }
  }
  return numbers;
}

describe('telemetry of a killed process', () => {
  let directory: string;

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'telemetry-kill-'));
  });
  afterEach(() => {
    rmSync(directory, { recursive: true });
  });

  it(`loses and duplicates nothing over ${ROUNDS} rounds`, async () => {
    process.stdout.write(`kill test: seed ${SEED}\n`);
    const random = seededRandom(SEED);
    const marks: Marks = Object.fromEntries(EDGES.map((edge) => [edge, 0]));

    for (let round = 0; round < ROUNDS; round++) {
      const kill = 1 + Math.floor(random() * ACKS_A_ROUND);
      expect(await run(directory, marks, { kill })).toBe('SIGKILL');
    }
    const last = Math.max(...Object.values(marks)) + 1;
    expect(await run(directory, marks, { last })).toBe(0);

    const all = Array.from({ length: last * ROWS_A_BATCH }, (_, number) => number);
    expect(await numbersIn(directory)).toEqual(Object.fromEntries(EDGES.map((edge) => [edge, all])));
  });
});
