import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { HiveRunRecord, RunView } from '#load/coordination';
import { parquetRows } from './parquet-rows.ts';
import { type Environment, HiveProgram, type Program, SequencerProgram, startEdge } from './programs.ts';
import { followRun } from './run-events.ts';

/** The files of a run on disk. */
export interface RunRemains {
  readonly record: HiveRunRecord;
  /** Rows of all parts of `transactions`. */
  readonly transactions: readonly TransactionRow[];
  /** Files that must not exist after the end. */
  readonly leftovers: readonly string[];
  /** The number of rows in each part, and the number according to run.json. */
  readonly partRows: readonly (readonly [name: string, found: number, told: number])[];
}

export interface TransactionRow {
  readonly edge_id: string;
  readonly hash: string | null;
  readonly outcome: string;
}

/** The real programs on one machine: a simulated sequencer, a hive on one data directory, edges. */
export class LoadSite {
  readonly folder: string;
  readonly sequencer: SequencerProgram;
  readonly edges = new Map<string, Program>();
  hive: HiveProgram;
  readonly #environment: Environment;
  #value = 0;

  static start(...edgeIds: readonly string[]): Promise<LoadSite> {
    return LoadSite.startWith({}, edgeIds);
  }

  /** Starts the programs with these environment variables for hive and edges. */
  static async startWith(
    environment: Environment,
    edgeIds: readonly string[],
    sequencerFlags: readonly string[] = [],
  ): Promise<LoadSite> {
    const folder = await mkdtemp(join(tmpdir(), 'plexus-load-site-'));
    const sequencer = await SequencerProgram.start('--block-ms', '50', ...sequencerFlags);
    const hive = await HiveProgram.start(join(folder, 'data'), [], environment);
    const site = new LoadSite({ folder, sequencer, hive, environment });
    await Promise.all(edgeIds.map((edgeId) => site.startEdge(edgeId)));
    return site;
  }

  private constructor(parts: {
    readonly folder: string;
    readonly sequencer: SequencerProgram;
    readonly hive: HiveProgram;
    readonly environment: Environment;
  }) {
    this.folder = parts.folder;
    this.#environment = parts.environment;
    this.sequencer = parts.sequencer;
    this.hive = parts.hive;
  }

  /** Resolves when the edge is connected, with the URL of its metrics if `more` enables them. */
  async startEdge(edgeId: string, more = ''): Promise<string> {
    const { folder, hive } = this;
    const environment = this.#environment;
    const edge = startEdge({ edgeId, folder, hiveAddress: hive.grpcAddress, environment, more });
    this.edges.set(edgeId, edge);
    await edge.said(/"event":"hive.connected"/);
    return /"event":"edge.listening","url":"([^"]+)"/.exec(edge.text)?.[1] ?? '';
  }

  async killEdge(edgeId: string): Promise<void> {
    await this.edges.get(edgeId)?.end('SIGKILL');
    this.edges.delete(edgeId);
  }

  async killHive(): Promise<void> {
    await this.restartHive('SIGKILL');
  }

  /** Replaces the hive by one with the same ports and data. Returns the exit code of the old one. */
  async restartHive(signal: NodeJS.Signals): Promise<number | null> {
    const ports = ['--grpc-port', this.hive.grpcPort, '--http-port', new URL(this.hive.url).port];
    const code = await this.hive.end(signal);
    this.hive = await HiveProgram.start(join(this.folder, 'data'), ports, this.#environment);
    return code;
  }

  /**
   * Begins a run whose transfers have a unique amount, which identifies its transactions on the chain; `more`
   * has other keys of the scenario.
   */
  async begin(load: object, more: object = {}): Promise<{ readonly runId: string; readonly value: number }> {
    const value = ++this.#value;
    const run = await this.hive.post<RunView>('/runs', this.scenario(load, more, value));
    return { runId: run.run_id, value };
  }

  scenario(load: object, more: object, value = 1): object {
    return {
      name: `run ${value}`,
      target: {
        chain_id: 412_346,
        rpc_urls: [this.sequencer.rpcUrl],
        feed_url: this.sequencer.feedUrl,
        rpc_timeout_ms: 5_000,
      },
      accounts: { count: 40, reclaim: false },
      mix: [{ kind: 'transfer', weight: 1, value_wei: String(value) }],
      correlation: { timeout: '1s' },
      load,
      ...more,
    };
  }

  /** Follows the events of a run until the condition holds or the run has ended. */
  until(runId: string, isSo: (run: RunView) => boolean): Promise<RunView> {
    return followRun(this.hive.url, runId, isSo);
  }

  async remains(runId: string): Promise<RunRemains> {
    const directory = join(this.folder, 'data', 'runs', runId);
    const record = JSON.parse(await readFile(join(directory, 'run.json'), 'utf8')) as HiveRunRecord;
    const names = await readdir(directory);
    const rowsOf = async (name: string): Promise<Record<string, unknown>[]> =>
      parquetRows(new Uint8Array(await readFile(join(directory, name))).buffer);
    const parts = await Promise.all(
      record.parts.map(async ({ name, table, rows }) => ({
        name,
        table,
        told: rows,
        rows: await rowsOf(name),
      })),
    );
    return {
      record,
      transactions: parts
        .filter(({ table }) => table === 'transactions')
        .flatMap(({ rows }) => rows) as object as TransactionRow[],
      leftovers: names.filter((name) => /journal|\.open|\.tmp|ballast/.test(name)),
      partRows: parts.map(({ name, told, rows }) => [name, rows.length, told]),
    };
  }

  async close(): Promise<void> {
    const programs = [...this.edges.values(), this.hive, this.sequencer];
    await Promise.all(programs.map((program) => program.end('SIGKILL')));
    await rm(this.folder, { recursive: true });
  }
}
