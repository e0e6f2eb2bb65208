import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Report } from '../../libs/load/report/src/index.ts';
import { HiveRuns } from './hive-runs.ts';
import { type Program, startEdge, startHive, startSequencer } from './program.ts';

/** A run's report, and the processor use of the programs in its measured stage. */
export interface LoadMeasure {
  readonly report: Report;
  /** Cores, by program. */
  readonly cores: Readonly<Record<keyof Programs, number>>;
}

export interface Programs {
  readonly sequencer: Program;
  readonly hive: Program;
  readonly edge: Program;
}

const STEADY = { name: 'steady', phase: 'steady' } as const;
const WARM = { name: 'warm', duration: '3s', exclude: true } as const;
const BUFFER_EVENTS = 262_144;

interface StandOptions {
  /** Shared with other stands, and not ended with this one. */
  readonly sequencer?: Program;
  /** The checkout of hive and edge; this one by default. */
  readonly root?: string | undefined;
}

/** Simulated sequencer, hive and one edge, each in its own process, for all rounds. */
export class LoadStand {
  readonly programs: Programs;
  readonly #runs: HiveRuns;
  readonly #own: readonly Program[];

  private constructor(programs: Programs, own: readonly Program[]) {
    this.programs = programs;
    this.#own = own;
    this.#runs = new HiveRuns(programs.hive.found[0] ?? '');
  }

  /** `directory` is emptied. */
  static async start(directory: string, { sequencer: shared, root }: StandOptions = {}): Promise<LoadStand> {
    rmSync(directory, { recursive: true, force: true });
    mkdirSync(directory, { recursive: true });
    const sequencer = shared ?? (await startSequencer());
    const hive = await startHive(join(directory, 'data'), 0, root);
    const config = join(directory, 'edge.toml');
    const address = hive.found[1] ?? '';
    writeFileSync(
      config,
      `edge_id = "edge-1"\n[hive]\naddress = "${address}"\n[telemetry]\nbuffer_size = ${BUFFER_EVENTS}\n`,
    );
    const edge = await startEdge(config, root);
    const own = [edge, hive, ...(shared === undefined ? [sequencer] : [])];
    return new LoadStand({ sequencer, hive, edge }, own);
  }

  get rpcUrl(): string {
    return this.programs.sequencer.found[0] ?? '';
  }

  /**
   * Closed loop: each user sends the next transaction once the last is answered and in the feed. `more`:
   * further keys of the scenario.
   */
  closed(users: number, seconds: number, more: object = {}): Promise<LoadMeasure> {
    const stages = [WARM, { name: STEADY.name, duration: `${seconds}s` }];
    return this.#measure({ model: 'closed', users, stages, max_inflight: users }, users * 2, more);
  }

  /** Open loop: a fixed rate, independent of the answers. */
  open(rate: number, accounts: number, seconds: number, more: object = {}): Promise<LoadMeasure> {
    const stages = [
      { ...WARM, rate },
      { name: STEADY.name, duration: `${seconds}s`, rate },
    ];
    return this.#measure({ model: 'open', stages, max_inflight: accounts }, accounts, more);
  }

  async end(): Promise<void> {
    for (const program of this.#own) await program.end();
  }

  async #measure(load: object, accounts: number, more: object): Promise<LoadMeasure> {
    const { sequencer, hive, edge } = this.programs;
    const runId = await this.#runs.create({
      name: 'bench',
      target: { chain_id: 412_346, rpc_urls: [this.rpcUrl], feed_url: sequencer.found[1] },
      accounts: { count: accounts, reclaim: false, fund_wei: '1000000000000000000' },
      load,
      ...more,
    });
    await this.#runs.until(runId, ({ phase }) => phase === STEADY.phase);
    const before = { sequencer: sequencer.cpuMs, hive: hive.cpuMs, edge: edge.cpuMs };
    const startMs = performance.now();
    await this.#runs.until(runId, ({ phase }) => phase !== STEADY.phase);
    const elapsedMs = performance.now() - startMs;
    const cores = {
      sequencer: (sequencer.cpuMs - before.sequencer) / elapsedMs,
      hive: (hive.cpuMs - before.hive) / elapsedMs,
      edge: (edge.cpuMs - before.edge) / elapsedMs,
    };
    return { report: await this.#runs.report(runId), cores };
  }
}
