import { toHex } from '#load/chain';
import { type Column, decodeTables, EventBuffer, type TableBatch, type TableName } from '#load/telemetry';
import { Log } from '#platform/observability';
import { LoadCounters, LoadRun, LoadTarget, parseEdgePlan, type RunProgress } from '#load/worker';
import { CHAIN_ID, FUND_WEI, FUNDER, type TestChain } from './test-chain.ts';

/** A plan in JSON form, with small and fast defaults. */
export function planFor(chain: Pick<TestChain, 'rpcUrl' | 'feedUrl'>, more: PlanParts = {}): string {
  const { accounts, load, ...rest } = more;
  return JSON.stringify({
    runId: 'run-1',
    edgeId: 'edge-1',
    seed: { fixed: 'development' },
    chainId: CHAIN_ID,
    rpcUrls: [chain.rpcUrl],
    feedUrl: chain.feedUrl,
    rpcTimeoutMs: 15_000,
    accounts: {
      first: 0,
      count: 20,
      inflightPerAccount: 1,
      fundWei: FUND_WEI.toString(),
      funder: { address: FUNDER },
      reclaim: false,
      ...accounts,
    },
    load: {
      model: 'open',
      stages: [stage(600, 100)],
      arrival: 'uniform',
      maxInflight: 1_000,
      ...load,
    },
    mix: [{ kind: 'transfer', weight: 1 }],
    fees: { maxFeeMultiplier: 3, gasLimit: 'estimate' },
    correlation: { timeoutMs: 10_000, feed: 'per_edge' },
    randomSeed: 7,
    telemetry: { intervalMs: 200 },
    ...rest,
  });
}

export interface PlanParts {
  readonly accounts?: object;
  readonly load?: object;
  readonly [name: string]: unknown;
}

export function stage(durationMs: number, rate: number, exclude = false): object {
  return { name: `at ${rate}`, durationMs, startRate: rate, endRate: rate, exclude };
}

export type Row = Readonly<Record<string, unknown>>;

/** The result of a run. */
export interface EndedRun {
  readonly progress: RunProgress;
  readonly counters: LoadCounters;
  readonly rows: (table: TableName) => readonly Row[];
  /** The batches in the order in which the run emitted them. */
  readonly batches: readonly (readonly TableBatch[])[];
}

/** Records the event names of a run's warnings. */
class WarningLog extends Log {
  readonly #events = new Set<string>();

  has(event: string): boolean {
    return this.#events.has(event);
  }

  override warn(fields: object): void {
    if ('event' in fields) this.#events.add(String(fields.event));
  }

  override debug(): void {}
  override info(): void {}
  override error(): void {}
  override fatal(): void {}
}

/** A run over real sockets and threads, with all its records. */
export class TestRun {
  readonly load: LoadRun;
  readonly counters = new LoadCounters();
  readonly warnings = new WarningLog();
  readonly #events = new EventBuffer();

  constructor(plan: string, limits: { signers?: number; connections?: number } = {}) {
    this.load = new LoadRun({
      target: new LoadTarget(parseEdgePlan(plan), {}),
      events: this.#events,
      counters: this.counters,
      log: this.warnings,
      limits: { signers: 1, connections: 256, ...limits },
    });
  }

  /** Runs from the check to the end; `prepare` returns an action during the load. */
  async toTheEnd(prepare?: (run: TestRun) => Promise<() => Promise<void>>): Promise<EndedRun> {
    await this.load.check();
    await this.load.makeReady();
    const meanwhile = await prepare?.(this);
    await Promise.all([this.load.run(0), meanwhile?.()]);
    return this.end();
  }

  end(): EndedRun {
    const rows = new Map<TableName, Row[]>();
    const batches: (readonly TableBatch[])[] = [];
    for (let batch = this.#events.takeBatch(); batch !== undefined; batch = this.#events.takeBatch()) {
      const tables = decodeTables(batch.bytes);
      batches.push(tables);
      for (const table of tables) {
        rows.set(table.table, [...(rows.get(table.table) ?? []), ...rowsOf(table)]);
      }
    }
    const { counters } = this;
    return { progress: this.load.progress(), counters, batches, rows: (table) => rows.get(table) ?? [] };
  }
}

function rowsOf({ rowCount, columns }: TableBatch): Row[] {
  const named = Object.entries<Column>(columns);
  return Array.from({ length: rowCount }, (_, at) =>
    Object.fromEntries(named.map(([name, column]) => [name, valueAt(column, at)])),
  );
}

/** Hashes and addresses as hexadecimal text. */
function valueAt(column: Column, at: number): unknown {
  if (column.form === 'number') {
    const value = column.values[at];
    return Number.isNaN(value) ? null : value;
  }
  const code = column.codes[at] ?? -1;
  if (code < 0) return null;
  if (column.form === 'text') return column.texts[code];
  if (column.form === 'blob') return column.blobs[code];
  const { width, bytes } = column;
  return toHex(bytes.subarray(code * width, (code + 1) * width));
}
