import { type Graph, type GraphTransaction, type SeqPoint, seqToken } from '#graph/engine';
import {
  type ExecutionSettings,
  memoryMaxOf,
  type QueryScheduler,
  type ScheduledQuery,
} from '#graph/execution';
import type { GraphSnapshot } from '#graph/memory';
import type { Entity, Relationship } from '#graph/model';
import { type Clock, DomainError, type HangUp } from '#platform/foundation';
import type { Procedures } from '../graph/procedure.port.ts';
import { SnapshotGraph } from '../graph/snapshot-graph.ts';
import { pendingChanges } from '../overlay/pending-changes.ts';
import { TransactionGraph } from '../overlay/transaction-graph.ts';
import { single } from '../stage/stage.ts';
import { runtimeFault } from '../syntax/fault.ts';
import type { Value } from '../value/value.ts';
import { CollectedResult } from './collected-result.ts';
import { compileText, type CompiledText } from './compile-text.ts';
import type { ElementDocuments } from './json-value.ts';
import { RunningCounters } from '../overlay/counters.ts';
import { planOf } from './plan.ts';
import { StatementProfile } from './statement-profile.ts';
import { type RunLimits, StatementRun } from './statement-run.ts';
import type { StatementText, Transaction, TransactionOptions } from './transaction.port.ts';
import { writingSourceOf } from './writing-source.ts';

export interface TransactionParts {
  readonly graph: Graph;
  readonly scheduler: QueryScheduler;
  readonly settings: ExecutionSettings;
  readonly clock: Clock;
  /** Default: all of the product. */
  readonly procedures?: Procedures | undefined;
}

export interface Running {
  readonly parameters: StatementText['parameters'];
  readonly hangUp: HangUp;
  /** Whether the statement is a transaction of its own, so that it may commit in parts. */
  readonly isAlone?: true | undefined;
  /** Throws where a door accepts no further row; called before each. */
  readonly admitRow?: ((rowsSoFar: number) => void) | undefined;
}

/** What a transaction reads and writes. */
interface Ground {
  readonly stored: GraphTransaction;
  readonly graph: TransactionGraph;
  hasWritten: boolean;
}

interface Execution {
  readonly turns: ScheduledQuery;
  readonly limits: RunLimits;
  readonly ground: Ground;
  /** Whether nothing has run in the transaction before. */
  readonly isFirst: boolean;
}

/** The records after the commit: numbers of nodes are those of the snapshot before it. */
class WrittenDocuments implements ElementDocuments {
  readonly snapshotVersion: number;
  readonly #graph: TransactionGraph;
  readonly #after: GraphSnapshot;

  constructor(graph: TransactionGraph, after: GraphSnapshot) {
    this.#graph = graph;
    this.#after = after;
    this.snapshotVersion = after.snapshotVersion;
    after.release();
  }

  entity(node: number): Entity | null {
    const found = this.#after.nodeById(this.#graph.nodeElementId(node));
    return found < 0 ? null : this.#after.entity(found);
  }

  relationship(link: number): Relationship | null {
    const found = this.#after.linkById(this.#graph.linkElementId(link));
    return found < 0 ? null : this.#after.relationship(found);
  }
}

const TIMED_OUT = 'Neo.ClientError.Transaction.TransactionTimedOutClientConfiguration';
const TERMINATED = 'Neo.ClientError.Transaction.TransactionNotFound';

/** Of a transaction whose client asks for no other. */
const TIMEOUT_MS = 60_000;

export class OpenTransaction implements Transaction {
  readonly #parts: TransactionParts;
  readonly #options: TransactionOptions;
  readonly #endsMs: number;
  /** Ends one that nobody ends. */
  readonly #timer: NodeJS.Timeout;
  /** Taken by the first statement, in its turn. */
  #ground: Ground | undefined;
  #isOpen = true;

  constructor(parts: TransactionParts, options: TransactionOptions) {
    const { timeoutMs = TIMEOUT_MS } = options;
    this.#parts = parts;
    this.#options = options;
    this.#endsMs = parts.clock.monotonicMs() + timeoutMs;
    this.#timer = setTimeout(() => {
      this.rollback();
    }, timeoutMs).unref();
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Whether a commit has changed anything. */
  get hasWritten(): boolean {
    return this.#ground?.hasWritten === true;
  }

  async run({ text, parameters }: StatementText, hangUp: HangUp): Promise<CollectedResult> {
    return this.runCompiled(compileText(text, this.#parts.procedures), { parameters, hangUp });
  }

  async runCompiled(compiled: CompiledText, running: Running): Promise<CollectedResult> {
    this.#requireOpen();
    this.#requireAccess(compiled);
    const { clock, scheduler, settings } = this.#parts;
    const { hangUp: signal } = running;
    const nowMs = clock.monotonicMs();
    const deadlineMs = Math.min(this.#endsMs, nowMs + settings.queryTimeout);
    const limits = {
      clock,
      deadlineMs,
      timeoutMs: deadlineMs - nowMs,
      signal,
      memoryMax: memoryMaxOf(settings),
    };
    const turns = scheduler.admit(limits);
    try {
      await turns.begin();
      const isFirst = this.#ground === undefined;
      const ground = (this.#ground ??= this.#begin());
      return await this.#execute(compiled, running, { turns, limits, ground, isFirst });
    } catch (error) {
      this.rollback();
      throw error;
    } finally {
      turns.leave();
    }
  }

  async commit(): Promise<string> {
    this.#requireOpen();
    clearTimeout(this.#timer);
    try {
      return seqToken(this.#ground === undefined ? this.#now() : await this.#commitChanges(this.#ground));
    } finally {
      this.rollback();
    }
  }

  /** The records of elements in its results, as of its snapshot; after a commit of changes, as of then. */
  get documents(): ElementDocuments {
    const { stored, graph, hasWritten } = this.#ground ?? this.#begin();
    return hasWritten ? new WrittenDocuments(graph, this.#parts.graph.snapshot()) : stored.snapshot;
  }

  rollback(): void {
    if (this.#isOpen) this.#ground?.stored.end();
    this.#isOpen = false;
    clearTimeout(this.#timer);
  }

  async #execute(compiled: CompiledText, running: Running, execution: Execution): Promise<CollectedResult> {
    const { query, kind, mode } = compiled;
    const { graph, stored } = execution.ground;
    // What the transaction has written itself is unknown to the statistics of its snapshot.
    const notifications = execution.isFirst ? compiled.names.notifications(stored.snapshot) : [];
    const { clock } = this.#parts;
    const profile = mode === 'profile' ? new StatementProfile(() => clock.monotonicMs()) : undefined;
    const run = this.#newRun(compiled, running, { ...execution, profile });
    const columns = query.columns?.map(({ name }) => name) ?? [];
    if (mode === 'explain') {
      const plan = { isProfiled: false, root: planOf(query, { text: compiled.text, run }) };
      const summary = { kind, counters: new RunningCounters(), notifications, plan, bookmark: undefined };
      return new CollectedResult({ columns, rows: [], graph, summary });
    }
    graph.beginStatement();
    const rows = await this.#rowsOf(compiled, run, { turns: execution.turns, admitRow: running.admitRow });
    graph.endStatement();
    const measured = profile && ((step: object) => profile.measured(step));
    const plan = measured && {
      isProfiled: true,
      root: planOf(query, { text: compiled.text, run, measured }),
    };
    const summary = { kind, counters: graph.counters, notifications, plan, bookmark: undefined };
    return new CollectedResult({ columns, rows, graph, summary });
  }

  #newRun(
    { kind }: CompiledText,
    { parameters, isAlone }: Running,
    { limits, ground, profile }: Execution & { readonly profile: StatementProfile | undefined },
  ): StatementRun {
    const { graph } = ground;
    const commit = async (): Promise<void> => {
      graph.endStatement();
      await this.#commitChanges(ground);
    };
    const writing = kind === 'r' ? undefined : { graph, commit: isAlone && commit };
    return new StatementRun(graph, parameters, { ...limits, profile }, writing);
  }

  async #rowsOf(
    { query }: CompiledText,
    run: StatementRun,
    { turns, admitRow }: Pick<Execution, 'turns'> & Pick<Running, 'admitRow'>,
  ): Promise<readonly (readonly Value[])[]> {
    const slots = query.columns?.map(({ slot }) => slot);
    let rows: (readonly Value[])[] = [];
    const take = (row: readonly Value[]): void => {
      if (slots === undefined) return;
      admitRow?.(rows.length);
      run.hold(slots.length);
      rows.push(slots.map((slot) => row[slot] ?? null));
    };
    await run.takeAll(
      () => query.stage(single([]), run),
      turns,
      take,
      () => (rows = []),
    );
    return rows;
  }

  async #commitChanges(ground: Ground): Promise<SeqPoint> {
    const { stored, graph } = ground;
    const changes = pendingChanges(graph, writingSourceOf(this.#options.metadata));
    if (changes === undefined) return stored.point;
    const point = await stored.commit(changes);
    graph.committed();
    ground.hasWritten = true;
    return point;
  }

  #begin(): Ground {
    const stored = this.#parts.graph.transaction();
    return { stored, graph: new TransactionGraph(new SnapshotGraph(stored.snapshot)), hasWritten: false };
  }

  #now(): SeqPoint {
    const { epoch, durableVersion } = this.#parts.graph;
    return { epoch, seq: durableVersion };
  }

  #requireOpen(): void {
    if (this.#isOpen) return;
    const isLate = this.#parts.clock.monotonicMs() >= this.#endsMs;
    throw new DomainError(
      isLate ? 'QUERY_TIMEOUT' : 'CONFLICT',
      isLate ? 'the transaction has ended: its time is over' : 'the transaction has ended',
      { details: { code: isLate ? TIMED_OUT : TERMINATED } },
    );
  }

  #requireAccess({ kind }: CompiledText): void {
    if (kind === 'r' || this.#options.access === 'write') return;
    throw runtimeFault(
      'NotSupported',
      'Neo.ClientError.Statement.AccessMode',
      'the statement writes, and the transaction was begun for reading',
    );
  }
}
