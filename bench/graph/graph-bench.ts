import type { Opened, TargetProtocol } from './measured-target.ts';
import type { ReferenceAnswers } from './answers.ts';
import {
  ACKNOWLEDGEMENTS_A_SYNC,
  BYTES_AN_ENTITY,
  DISK_REACH,
  INGEST_REACH,
  LOOKUP_P99_MS,
  NOT_DURABLE,
  OPEN_MS,
  WORKLOADS,
  WRITERS_REACH,
  type Workload,
} from './workloads.ts';
import type { Questions } from '../data/questions.ts';
import { RemoteProcess } from '../harness/child-process.ts';
import { syncsPerSecond } from '../harness/machine.ts';
import type { BenchOptions } from '../harness/options.ts';
import type { Line } from '../harness/table.ts';
import type { TargetName } from '../targets/registry.ts';
import type { OperationName } from '../targets/target.ts';

export interface GraphBenchSetup {
  readonly options: BenchOptions;
  readonly questions: Questions;
  readonly reference: ReferenceAnswers;
}

interface Runner {
  readonly name: TargetName;
  readonly directory: string;
  /** Ended and recreated when memory and opening are measured. */
  process: RemoteProcess<TargetProtocol>;
  readonly operations: ReadonlySet<OperationName>;
  readonly takesSingleWrites: boolean;
}

const PROGRAM = new URL('./measured-target.ts', import.meta.url);
const WRITERS = 64;
const CHECKED_ANSWERS = 3;
const TAIL_CALLS = 50_000;
const SERVERS: readonly string[] = ['postgres'];
const UNSTORED: readonly string[] = ['graphology'];

/** Opens, loads, checks and times the targets; one that fails is dropped, with the reason in `faults`. */
export class GraphBench {
  readonly faults: string[] = [];
  readonly #setup: GraphBenchSetup;
  readonly #expected = new Map<string, string>();
  #runners: Runner[] = [];
  #versions: string[] = [];
  #measured: string[] = [];

  constructor(setup: GraphBenchSetup) {
    this.#setup = setup;
  }

  /** Names of the targets that took part, identified by their loading. */
  measured(): readonly string[] {
    return this.#measured;
  }

  versions(): readonly string[] {
    return this.#versions;
  }

  async run(names: readonly TargetName[], directoryOf: (name: TargetName) => string): Promise<Line[]> {
    for (const name of names) await this.#start(name, directoryOf(name));
    const lines = await this.#load();
    for (const workload of WORKLOADS) lines.push(await this.#timeWorkload(workload));
    lines.push(await this.#tail(), await this.#libraryMemory(), ...(await this.#reopen()));
    lines.push(...(await this.#writers()));
    return lines.filter((line) => line.figures.size > 0);
  }

  async #start(name: TargetName, directory: string): Promise<void> {
    const process = new RemoteProcess<TargetProtocol>(PROGRAM);
    try {
      const opened = await this.#open(process, name, directory);
      const operations = new Set(opened.operations);
      this.#runners.push({ name, directory, process, ...opened, operations });
      this.#versions.push(`${name} ${opened.version}`);
      this.#measured.push(name);
    } catch (error) {
      await this.#drop(name, process, error);
    }
  }

  async #open(process: RemoteProcess<TargetProtocol>, name: TargetName, directory: string): Promise<Opened> {
    await this.#prepare(process, name, directory);
    return process.call('open', undefined);
  }

  async #prepare(process: RemoteProcess<TargetProtocol>, name: TargetName, directory: string): Promise<void> {
    const { entities, seed } = this.#setup.options;
    await process.call('prepare', { name, directory, entities, seed, questions: this.#setup.questions });
  }

  /** Each round loads the next part of the data into every target. */
  async #load(): Promise<Line[]> {
    const { entities, relationships } = this.#setup.questions;
    const lines = [
      await this.#loadRows('entities', entities, 'durable ingest, entities in batches of 1,000'),
      await this.#loadRows('relationships', relationships, 'the same, relationships'),
    ];
    await this.#eachRunner('settle', ({ process }) => process.call('settle', undefined));
    return lines;
  }

  async #loadRows(rows: 'entities' | 'relationships', total: number, title: string): Promise<Line> {
    const { rounds } = this.#setup.options;
    const figures = new Figures();
    for (let round = 0; round < rounds; round++) {
      const start = Math.floor((total * round) / rounds);
      const end = Math.floor((total * (round + 1)) / rounds);
      await this.#eachRunner(`load ${rows}`, async ({ name, process }) => {
        const ms = await process.call('load', { rows, start, end });
        if (!NOT_DURABLE.includes(name)) figures.add(name, ((end - start) * 1_000) / ms);
      });
    }
    return { title, unit: '/s', figures: figures.byTarget, reach: rows === 'entities' ? INGEST_REACH : [] };
  }

  async #timeWorkload({ operation, unit, ...described }: Workload): Promise<Line> {
    const { rounds, roundMs } = this.#setup.options;
    const figures = new Figures();
    const able = new Set<string>();
    await this.#eachRunner(operation, async (runner) => {
      if (!runner.operations.has(operation)) return;
      if (!(await this.#answersRightly(runner, operation))) return;
      able.add(runner.name);
      await runner.process.call('round', { operation, leastMs: roundMs, from: 0 });
    });
    for (let round = 0; round < rounds; round++) {
      await this.#eachRunner(operation, async ({ name, process }) => {
        if (!able.has(name)) return;
        const { msPerCall } = await process.call('round', { operation, leastMs: roundMs, from: round });
        figures.add(name, unit === '/s' ? 1_000 / msPerCall : msPerCall);
      });
    }
    return { ...described, unit, figures: figures.byTarget };
  }

  async #answersRightly({ name, process }: Runner, operation: OperationName): Promise<boolean> {
    for (let at = 0; at < CHECKED_ANSWERS; at++) {
      const answer = await process.call('answer', { operation, at });
      const expected = this.#expectedAnswer(operation, at);
      if (answer === expected) continue;
      this.faults.push(`${name}: ${operation} ${at}: expected ${expected}, got ${answer}; not timed`);
      return false;
    }
    return true;
  }

  #expectedAnswer(operation: OperationName, at: number): string {
    const question = `${operation} ${at}`;
    const expected = this.#expected.get(question) ?? this.#setup.reference.digestOf(operation, at);
    this.#expected.set(question, expected);
    return expected;
  }

  async #tail(): Promise<Line> {
    const figures = new Figures();
    await this.#eachRunner('lookup p99', async ({ name, process, operations }) => {
      if (!operations.has('lookup')) return;
      const calls = SERVERS.includes(name) ? TAIL_CALLS / 10 : TAIL_CALLS;
      figures.add(name, await process.call('tail', { operation: 'lookup', calls }));
    });
    return {
      title: 'lookup by id, p99',
      unit: 'ms',
      figures: figures.byTarget,
      reach: [],
      bound: LOOKUP_P99_MS,
    };
  }

  /** The heap of a library without a store. */
  async #libraryMemory(): Promise<Line> {
    const figures = new Figures();
    await this.#eachRunner('memory', async ({ name, process }) => {
      if (!UNSTORED.includes(name)) return;
      figures.add(name, (await process.call('memory', undefined)) / this.#setup.options.entities);
    });
    return { title: 'heap an entity, loaded', unit: 'B', figures: figures.byTarget, reach: [] };
  }

  /**
   * Closes all, measures the size on disk, and opens each in a fresh process, where memory can be attributed.
   */
  async #reopen(): Promise<Line[]> {
    const [disk, open, memory] = [new Figures(), new Figures(), new Figures()];
    await this.#eachRunner('close', async ({ name, process }) => {
      await process.call('close', undefined);
      if (!UNSTORED.includes(name)) disk.add(name, (await process.call('diskBytes', undefined)) / 1e6);
      await process.end();
    });
    for (let round = 0; round < this.#setup.options.rounds; round++) {
      await this.#eachRunner('reopen', async ({ name, directory }) => {
        if (UNSTORED.includes(name) || SERVERS.includes(name) || name === 'lmdb') return;
        const { ms, bytes } = await this.#firstAnswer(name, directory);
        open.add(name, ms);
        memory.add(name, bytes / this.#setup.options.entities);
      });
    }
    return [
      { title: 'open to first query, warm', unit: 'ms', figures: open.byTarget, reach: [], bound: OPEN_MS },
      { title: 'disk', unit: 'MB', figures: disk.byTarget, reach: DISK_REACH },
      {
        title: 'memory that opening adds, an entity',
        unit: 'B',
        figures: memory.byTarget,
        reach: [],
        bound: BYTES_AN_ENTITY,
      },
    ];
  }

  async #firstAnswer(name: TargetName, directory: string): Promise<{ ms: number; bytes: number }> {
    const process = new RemoteProcess<TargetProtocol>(PROGRAM);
    try {
      await this.#prepare(process, name, directory);
      const first = await process.call('firstAnswer', undefined);
      await process.call('close', undefined);
      return first;
    } finally {
      await process.end();
    }
  }

  /** Writes to the loaded stores, opened again; the disk's sync rate is measured just before each round. */
  async #writers(): Promise<Line[]> {
    const { rounds, roundMs } = this.#setup.options;
    this.#runners = this.#runners.filter(({ takesSingleWrites }) => takesSingleWrites);
    await this.#eachRunner('reopen', async (runner) => {
      runner.process = new RemoteProcess(PROGRAM);
      await this.#prepare(runner.process, runner.name, runner.directory);
      await runner.process.call('reopen', undefined);
    });
    const [figures, perSync] = [new Figures(), new Figures()];
    for (let round = 0; round < rounds; round++) {
      await this.#eachRunner('writers', async ({ name, process }) => {
        const syncs = syncsPerSecond(this.#setup.options.directory);
        const rate = await process.call('writers', { writers: WRITERS, leastMs: roundMs * 4 });
        figures.add(name, rate);
        perSync.add(name, rate / syncs);
      });
    }
    await this.#eachRunner('close', async ({ process }) => {
      await process.call('close', undefined);
      await process.end();
    });
    return [
      {
        title: `${WRITERS} concurrent single writers, each acknowledged after its sync`,
        unit: '/s',
        figures: figures.byTarget,
        reach: WRITERS_REACH,
      },
      {
        title: 'acknowledgements a possible sync',
        unit: 'count',
        figures: perSync.byTarget,
        reach: [],
        bound: ACKNOWLEDGEMENTS_A_SYNC,
      },
    ];
  }

  /** One after another; a target that fails is dropped. */
  async #eachRunner(what: string, act: (runner: Runner) => Promise<unknown>): Promise<void> {
    for (const runner of [...this.#runners]) {
      try {
        await act(runner);
      } catch (error) {
        await this.#drop(`${runner.name}: ${what}`, runner.process, error);
        this.#runners = this.#runners.filter((other) => other !== runner);
      }
    }
  }

  async #drop(what: string, process: RemoteProcess<TargetProtocol>, error: unknown): Promise<void> {
    this.faults.push(`${what}: ${error instanceof Error ? error.message : String(error)}`);
    await process.end();
  }
}

/** The results of each target, by round. */
class Figures {
  readonly byTarget = new Map<string, number[]>();

  add(name: string, figure: number): void {
    const rounds = this.byTarget.get(name) ?? [];
    rounds.push(figure);
    this.byTarget.set(name, rounds);
  }
}
