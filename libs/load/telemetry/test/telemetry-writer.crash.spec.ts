import { describe, expect, it } from '@jest/globals';
import type { TelemetryWriter } from '#load/telemetry';
import { CrashDisk, effort } from '#testing';
import { batchBytes, contentOf, edge, idsOf, livesOf, openWriter, rowsOf } from './run-harness.ts';

const EDGES = ['a', 'b', 'c'];
const BATCHES = 6;
const SEEDS = effort([1, 2], [1]);
/** Distance between the disk calls at which the crash is simulated. */
const STRIDE = effort(1, 7);
/** The rows that the hive adds: one for each edge. */
const LIVES = EDGES.map((name) => ({ edge: edge(name), batches: [livesOf(1)] }));

/** The last acknowledged batch by edge. */
type Ledger = Map<string, number>;

/** Each edge repeats its last acknowledged batch, then sends all later ones. */
async function pushAll(writer: TelemetryWriter, ledger: Ledger): Promise<void> {
  await Promise.all(
    EDGES.map(async (name) => {
      for (let seq = Math.max(1, ledger.get(name) ?? 1); seq <= BATCHES; seq++) {
        await writer.append(edge(name), seq, batchBytes(seq));
        ledger.set(name, seq);
      }
    }),
  );
}

/** Opens, pushes and seals; returns false after a disk error. */
async function live(disk: CrashDisk, ledger: Ledger): Promise<boolean> {
  let writer: TelemetryWriter | undefined;
  try {
    writer = await openWriter(disk);
    if (!writer.isSealed) await pushAll(writer, ledger);
    await writer.seal(LIVES);
    return true;
  } catch {
    await writer?.close().catch(() => undefined);
    return false;
  }
}

async function newDisk(seed: number): Promise<CrashDisk> {
  const disk = new CrashDisk(seed);
  await disk.makeDirectory('/runs');
  return disk;
}

async function callsOf(disk: CrashDisk): Promise<number> {
  disk.plan({});
  expect(await live(disk, new Map())).toBe(true);
  return disk.calls;
}

const everything = Object.fromEntries(EDGES.map((name) => [`${name} i1`, idsOf(BATCHES)]));

/** The first violation; undefined if the parts contain every batch exactly once, in order. */
async function brokenPromise(disk: CrashDisk): Promise<string | undefined> {
  for (const table of ['errors', 'balances'] as const) {
    const content = await contentOf(disk, table);
    for (const [key, ids] of Object.entries(everything)) {
      const came = content[key]?.join(' ');
      if (came !== ids.join(' ')) return `${table} of ${key}: ${came ?? 'nothing'}`;
    }
  }
  const lives = (await rowsOf(disk, 'edges')).map((row) => row['edge_id']);
  return lives.join(' ') === EDGES.join(' ') ? undefined : `edges: ${lives.join(' ')}`;
}

/** The first violation if no edge reconnects; the parts must contain all acknowledged batches, in order. */
async function brokenPromiseWithoutEdges(disk: CrashDisk, ledger: Ledger): Promise<string | undefined> {
  const writer = await openWriter(disk);
  await writer.seal();
  const content = await contentOf(disk, 'errors');
  for (const name of EDGES) {
    const ids = content[`${name} i1`] ?? [];
    const beginning = idsOf(BATCHES).slice(0, ids.length);
    if (ids.join(' ') !== beginning.join(' ')) return `${name}: ${ids.join(' ')}`;
    if (ids.length < idsOf(ledger.get(name) ?? 0).length) return `${name} has lost what it was told of`;
  }
  return undefined;
}

describe('after a power loss', () => {
  it.each(SEEDS)(
    'contains each batch once when edges send again, at every disk call (seed %i)',
    async (seed) => {
      const calls = await callsOf(await newDisk(seed));
      const broken: string[] = [];

      for (let call = 1; call <= calls; call += STRIDE) {
        const disk = await newDisk(seed * 1_000 + call);
        const ledger: Ledger = new Map();
        disk.plan({ crashAt: call });
        await live(disk, ledger);
        const after = disk.restart();
        expect(await live(after, ledger)).toBe(true);
        const promise = await brokenPromise(after);
        if (promise !== undefined) broken.push(`call ${call}: ${promise}`);
      }

      expect(calls).toBeGreaterThan(60);
      expect(broken).toEqual([]);
    },
  );

  it.each(SEEDS)('contains all acknowledged batches when no edge reconnects (seed %i)', async (seed) => {
    const calls = await callsOf(await newDisk(seed));
    const broken: string[] = [];

    for (let call = 1; call <= calls; call += STRIDE) {
      const disk = await newDisk(seed * 1_000 + call);
      const ledger: Ledger = new Map();
      disk.plan({ crashAt: call });
      await live(disk, ledger);
      const promise = await brokenPromiseWithoutEdges(disk.restart(), ledger);
      if (promise !== undefined) broken.push(`call ${call}: ${promise}`);
    }

    expect(broken).toEqual([]);
  });

  it('contains each batch once after a second power loss during recovery', async () => {
    const calls = await callsOf(await newDisk(3));
    const broken: string[] = [];

    for (let first = 5; first <= calls; first += 11 * STRIDE) {
      for (let second = 1; second <= 40; second += 3) {
        const disk = await newDisk(first * 100 + second);
        const ledger: Ledger = new Map();
        disk.plan({ crashAt: first });
        await live(disk, ledger);
        const between = disk.restart();
        between.plan({ crashAt: second });
        await live(between, ledger);
        const after = between.restart();
        expect(await live(after, ledger)).toBe(true);
        const promise = await brokenPromise(after);
        if (promise !== undefined) broken.push(`calls ${first}, ${second}: ${promise}`);
      }
    }

    expect(broken).toEqual([]);
  });
});

describe('after a single disk error', () => {
  it.each(['ENOSPC', 'EIO'])('keeps all acknowledged batches for %s at every disk call', async (code) => {
    const calls = await callsOf(await newDisk(4));
    const broken: string[] = [];

    for (let call = 1; call <= calls; call += STRIDE) {
      const disk = await newDisk(call);
      const ledger: Ledger = new Map();
      disk.plan({ failAt: { call, code } });
      await live(disk, ledger);
      const after = disk.endProcess();
      expect(await live(after, ledger)).toBe(true);
      const promise = await brokenPromise(after);
      if (promise !== undefined) broken.push(`call ${call}: ${promise}`);
    }

    expect(broken).toEqual([]);
  });
});
