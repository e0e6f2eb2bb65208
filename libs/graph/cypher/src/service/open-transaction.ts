import { type Graph, type SeqPoint, seqToken } from '#graph/engine';
import { type ExecutionSettings, memoryMaxOf, type QueryScheduler } from '#graph/execution';
import type { GraphSnapshot } from '#graph/memory';
import { type Clock, DomainError, type HangUp } from '#platform/foundation';
import { SnapshotGraph } from '../graph/snapshot-graph.ts';
import { single } from '../stage/stage.ts';
import type { Value } from '../value/value.ts';
import { CollectedResult } from './collected-result.ts';
import { compileText, type CompiledText } from './compile-text.ts';
import { NOTHING_CHANGED } from './counters.ts';
import { StatementRun } from './statement-run.ts';
import type { StatementText, Transaction, TransactionOptions } from './transaction.port.ts';

export interface TransactionParts {
  readonly graph: Graph;
  readonly scheduler: QueryScheduler;
  readonly settings: ExecutionSettings;
  readonly clock: Clock;
}

export interface Running {
  readonly parameters: StatementText['parameters'];
  readonly hangUp: HangUp;
  /** Throws where a door accepts no further row; called before each. */
  readonly admitRow?: ((rowsSoFar: number) => void) | undefined;
}

interface Pinned {
  readonly point: SeqPoint;
  readonly snapshot: GraphSnapshot;
}

export class OpenTransaction implements Transaction {
  readonly #parts: TransactionParts;
  readonly #timeoutMs: number;
  readonly #deadlineMs: number;
  /** Taken by the first statement, in its turn. */
  #pinned: Pinned | undefined;
  #isOpen = true;

  constructor(parts: TransactionParts, { timeoutMs = Infinity }: TransactionOptions) {
    const { clock, settings } = parts;
    this.#parts = parts;
    this.#timeoutMs = Math.min(timeoutMs, settings.queryTimeout);
    this.#deadlineMs = clock.monotonicMs() + this.#timeoutMs;
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  async run({ text, parameters }: StatementText, hangUp: HangUp): Promise<CollectedResult> {
    return this.runCompiled(compileText(text), { parameters, hangUp });
  }

  async runCompiled(compiled: CompiledText, running: Running): Promise<CollectedResult> {
    this.#requireOpen();
    try {
      return await this.#execute(compiled, running);
    } catch (error) {
      this.rollback();
      throw error;
    }
  }

  commit(): Promise<string> {
    this.#requireOpen();
    const point = this.#pinned?.point ?? this.#now();
    this.rollback();
    return Promise.resolve(seqToken(point));
  }

  rollback(): void {
    this.#pinned?.snapshot.release();
    this.#isOpen = false;
  }

  async #execute({ query }: CompiledText, running: Running): Promise<CollectedResult> {
    const { scheduler, settings, clock } = this.#parts;
    const { parameters, hangUp: signal } = running;
    const turns = scheduler.admit({ deadlineMs: this.#deadlineMs, signal });
    try {
      await turns.begin();
      const { snapshot } = (this.#pinned ??= this.#pin());
      const limits = { clock, deadlineMs: this.#deadlineMs, timeoutMs: this.#timeoutMs, signal };
      const graph = new SnapshotGraph(snapshot);
      const run = new StatementRun(graph, parameters, { ...limits, memoryMax: memoryMaxOf(settings) });
      const { columns = [] } = query;
      const slots = columns.map(({ slot }) => slot);
      let rows: (readonly Value[])[] = [];
      const take = (row: readonly Value[]): void => {
        running.admitRow?.(rows.length);
        run.hold(slots.length);
        rows.push(slots.map((slot) => row[slot] ?? null));
      };
      await run.takeAll(
        () => query.stage(single([]), run),
        turns,
        take,
        () => (rows = []),
      );
      const summary = {
        kind: 'r',
        counters: NOTHING_CHANGED,
        notifications: [],
        bookmark: undefined,
      } as const;
      return new CollectedResult({
        columns: columns.map(({ name }) => name),
        rows,
        graph,
        reader: snapshot,
        summary,
      });
    } finally {
      turns.leave();
    }
  }

  #pin(): Pinned {
    const snapshot = this.#parts.graph.snapshot();
    return { snapshot, point: { epoch: this.#parts.graph.epoch, seq: snapshot.snapshotVersion } };
  }

  #now(): SeqPoint {
    const { epoch, durableVersion } = this.#parts.graph;
    return { epoch, seq: durableVersion };
  }

  #requireOpen(): void {
    if (!this.#isOpen) throw new DomainError('CONFLICT', 'the transaction has ended');
  }
}
