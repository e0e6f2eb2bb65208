import { type Graph, type SeqPoint, seqToken } from '#graph/engine';
import type { ExecutionSettings, QueryScheduler, ScheduledQuery } from '#graph/execution';
import { type Clock, completed, DomainError, type HangUp, inTurns } from '#platform/foundation';
import type { Procedures } from '../graph/procedure.port.ts';
import { pendingChanges } from '../overlay/pending-changes.ts';
import type { Rows } from '../expression/subqueries.ts';
import {
  constraintsOf,
  endStatement,
  mixedFault,
  requirePresent,
  uniqueClaims,
  violatedFault,
  violationQuery,
} from '../schema/constraints.ts';
import type { SchemaCatalogue } from '../schema/schema-catalogue.ts';
import { pausing, single } from '../stage/stage.ts';
import type { SchemaCommand } from '../syntax/schema-rule.ts';
import type { Value } from '../value/value.ts';
import { CollectedResult } from './collected-result.ts';
import { type CompiledText, requireParameters } from './compile-text.ts';
import { type ElementDocuments, WrittenDocuments } from './element-documents.ts';
import type { Expiring, Expiry } from './expiry.ts';
import { RunningCounters, UNCHANGED } from '../overlay/counters.ts';
import { beginGround, durablePoint, type Ground } from './ground.ts';
import { type OpenOptions, pastFault, readingFault } from './past-transaction.ts';
import { planOf } from './plan.ts';
import { StatementProfile } from './statement-profile.ts';
import { resultRow } from './result-row.ts';
import { type RunLimits, StatementRun } from './statement-run.ts';
import type { StatementCache } from './statement-cache.ts';
import { type BegunStream, StreamedResult, type StatementTime } from './streamed-result.ts';
import type { StatementResult, StatementText, Transaction } from './transaction.port.ts';
import { writingSourceOf } from './writing-source.ts';

/** What all transactions share. */
export interface SharedParts extends TransactionParts {
  readonly catalogue: SchemaCatalogue;
  readonly statements: StatementCache;
  readonly expiry: Expiry;
  /** Of a statement, in bytes. */
  readonly memoryMax: number;
}

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

interface Execution {
  readonly turns: ScheduledQuery;
  readonly limits: RunLimits;
  readonly ground: Ground;
  /** Whether nothing has run in the transaction before: its statistics know all there is. */
  readonly isFirst: boolean;
}

/** A plan is shown at the end: such a statement is run to it. */
export function isStreamed({ kind, mode }: CompiledText): boolean {
  return kind === 'r' && mode === 'run';
}

const TIMED_OUT = 'Neo.ClientError.Transaction.TransactionTimedOutClientConfiguration';
const TERMINATED = 'Neo.ClientError.Transaction.TransactionNotFound';

/** Time-out of a transaction whose client asks for no other. */
const TIMEOUT_MS = 60_000;

export class OpenTransaction implements Transaction, Expiring {
  readonly #parts: SharedParts;
  readonly #options: OpenOptions;
  readonly #endsMs: number;
  /** Until it waits for its client, something else ends it. */
  expiresMs = Infinity;
  /** Taken by the first statement, in its turn. */
  #ground: Ground | undefined;
  #streamed: StreamedResult | undefined;
  #isOpen = true;
  /** Its time has ended it, which may come a fraction of a millisecond before the clock says so. */
  #isLate = false;

  constructor(parts: SharedParts, options: OpenOptions) {
    const { timeoutMs = TIMEOUT_MS } = options;
    this.#parts = parts;
    this.#options = options;
    this.#endsMs = parts.clock.monotonicMs() + timeoutMs;
  }

  /** From now on it waits for its client, and ends when its time is over. */
  awaitClient(): void {
    if (this.#isExpiring || !this.#isOpen) return;
    const { clock, expiry } = this.#parts;
    this.expiresMs = performance.now() + this.#endsMs - clock.monotonicMs();
    expiry.add(this);
  }

  expire(): void {
    this.#isLate = true;
    this.rollback();
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Whether a commit has changed anything. */
  get hasWritten(): boolean {
    return this.#ground?.hasWritten === true;
  }

  async run({ text, parameters }: StatementText, hangUp: HangUp): Promise<StatementResult> {
    const compiling = this.#parts.statements.compiled(text, this.#options.isSystem);
    const compiled = compiling instanceof Promise ? await compiling : compiling;
    return this[isStreamed(compiled) ? 'stream' : 'runCompiled'](compiled, { parameters, hangUp });
  }

  /** The rows of a statement that reads, made as they are taken; `onEnd` is called after the last one. */
  stream(compiled: CompiledText, running: Running, onEnd: () => void = () => undefined): StreamedResult {
    this.#requireOpen();
    this.#options.admit?.('r');
    requireParameters(compiled, running.parameters);
    const { columns, slots, query } = compiled;
    this.#streamed?.close();
    this.#streamed = new StreamedResult({
      columns,
      slots,
      endsMs: this.#endsMs,
      clock: this.#parts.clock,
      begin: () => this.#beginStream(compiled, running),
      admit: (limits) => this.#parts.scheduler.admit(limits),
      start: (run) => query.stage(single([]), run),
      requireOpen: () => {
        this.#requireOpen();
      },
      onRest: () => {
        this.awaitClient();
      },
      onEnd: (error) => {
        if (error !== undefined) this.rollback();
        onEnd();
      },
    });
    return this.#streamed;
  }

  #beginStream(compiled: CompiledText, { parameters, hangUp, isAlone }: Running): BegunStream {
    const limits = this.#limitsOf(compiled, hangUp);
    const isFirst = this.#ground === undefined;
    const ground = (this.#ground ??= beginGround(this.#parts, this.#options));
    return {
      graph: ground.graph,
      summary: {
        kind: 'r',
        counters: UNCHANGED,
        notifications: isFirst ? compiled.names.notifications(ground.stored.snapshot) : [],
        bookmark: isAlone && seqToken(ground.stored.point),
      },
      run: new StatementRun(ground, parameters, limits),
      limits,
    };
  }

  async runCompiled(compiled: CompiledText, running: Running): Promise<CollectedResult> {
    this.#requireOpen();
    this.#options.admit?.(compiled.kind);
    this.#requireAccess(compiled);
    this.#requireWhole(compiled);
    requireParameters(compiled, running.parameters);
    this.#streamed?.close();
    const { scheduler } = this.#parts;
    const limits = this.#limitsOf(compiled, running.hangUp);
    const turns = scheduler.admit(limits);
    try {
      await turns.begin();
      const isFirst = this.#ground === undefined;
      const ground = (this.#ground ??= beginGround(this.#parts, this.#options));
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
    this.#endExpiry();
    try {
      return seqToken(
        this.#ground === undefined
          ? durablePoint(this.#parts.graph)
          : await this.#commitChanges(this.#ground),
      );
    } finally {
      this.rollback();
    }
  }

  /** The records of elements in its results, as of its snapshot; after a commit of changes, as of then. */
  get documents(): ElementDocuments {
    const { stored, changes, hasWritten } = this.#ground ?? beginGround(this.#parts, this.#options);
    if (changes === undefined || !hasWritten) return stored.snapshot;
    return new WrittenDocuments(changes, this.#parts.graph.snapshot());
  }

  rollback(): void {
    if (this.#isOpen) {
      // In a transaction in which nothing has run, nothing else holds its moment.
      if (this.#ground === undefined) this.#options.past?.release();
      else this.#ground.stored.end();
    }
    this.#isOpen = false;
    this.#streamed?.end();
    this.#endExpiry();
  }

  get #isExpiring(): boolean {
    return this.expiresMs < Infinity;
  }

  #endExpiry(): void {
    if (this.#isExpiring) this.#parts.expiry.delete(this);
  }

  async #execute(compiled: CompiledText, running: Running, execution: Execution): Promise<CollectedResult> {
    const { query, kind, mode, text, columns, names } = compiled;
    const { stored, graph, changes, schema } = execution.ground;
    const { clock } = this.#parts;
    const profile = mode === 'profile' ? new StatementProfile(() => clock.monotonicMs()) : undefined;
    const run = this.#newRun(compiled, running, { ...execution, profile });
    const warnings = execution.isFirst ? names.notifications(stored.snapshot) : [];
    if (mode === 'explain') {
      const plan = { isProfiled: false, root: planOf(query, { text, run }) };
      const summary = { kind, counters: UNCHANGED, notifications: warnings, plan, bookmark: undefined };
      return new CollectedResult({ columns, rows: [], graph, summary });
    }
    const counters = changes?.beginStatement() ?? new RunningCounters();
    schema.beginStatement(counters);
    const rows = await this.#rowsOf(compiled, run, { ...execution, admitRow: running.admitRow });
    const notes = schema.notes.map((note) => ({ ...note, title: TITLE, severity: 'INFORMATION' as const }));
    const measured = profile && ((step: object) => profile.measured(step));
    const plan = measured && { isProfiled: true, root: planOf(query, { text, run, measured }) };
    const notifications = [...warnings, ...notes];
    const summary = { kind, counters, notifications, plan, bookmark: undefined };
    return new CollectedResult({ columns, rows, graph, summary });
  }

  #newRun(
    { kind }: CompiledText,
    { parameters, isAlone }: Running,
    { limits, ground, profile }: Execution & { readonly profile: StatementProfile | undefined },
  ): StatementRun {
    const { changes, schema } = ground;
    const commit = async (): Promise<void> => {
      if (changes !== undefined) completed(endStatement(changes, schema.rules));
      await this.#commitChanges(ground);
    };
    const writing =
      kind === 'r' || changes === undefined ? undefined : { graph: changes, commit: isAlone && commit };
    return new StatementRun(ground, parameters, { ...limits, profile }, writing);
  }

  /** All rows of a statement, after which its changes have been tested. */
  async #rowsOf(
    { query, kind, slots }: CompiledText,
    run: StatementRun,
    { turns, ground: { changes, schema }, admitRow }: Execution & Pick<Running, 'admitRow'>,
  ): Promise<readonly (readonly Value[])[]> {
    const rows = function* (): Rows {
      yield* query.stage(single([]), run);
      if (kind !== 'r' && changes !== undefined) yield* pausing(endStatement(changes, schema.rules));
    };
    let taken: (readonly Value[])[] = [];
    const take = (row: readonly Value[]): void => {
      if (query.columns === undefined) return;
      admitRow?.(taken.length);
      taken.push(resultRow(row, slots));
      run.keep(taken.at(-1) ?? []);
    };
    await run.takeAll(rows, turns, take, () => (taken = []));
    return taken;
  }

  #limitsOf({ text }: CompiledText, signal: HangUp): RunLimits & StatementTime {
    const { clock, settings, memoryMax } = this.#parts;
    const nowMs = clock.monotonicMs();
    const deadlineMs = Math.min(this.#endsMs, nowMs + settings.queryTimeout);
    const timeoutMs = deadlineMs - nowMs;
    return { clock, deadlineMs, timeoutMs, signal, memoryMax, textLength: text.length };
  }

  async #commitChanges(ground: Ground): Promise<SeqPoint> {
    const { stored, changes: graph, schema, constraintsVersion, schemaVersion: version } = ground;
    if (graph === undefined) return stored.point;
    const { catalogue } = this.#parts;
    const constraints = constraintsOf(schema.rules);
    requirePresent(graph, constraints);
    const source = writingSourceOf(this.#options.metadata);
    const changes = await inTurns(pendingChanges(graph, source, uniqueClaims(graph, constraints)));
    this.#requireOpen();
    if (schema.commands.length > 0) {
      if (changes !== undefined) throw mixedFault();
      await catalogue.apply({ version, commands: schema.commands }, (command) => this.#validate(command));
      return durablePoint(this.#parts.graph);
    }
    if (changes === undefined) return stored.point;
    const isCurrent = (): boolean => catalogue.constraintsVersion === constraintsVersion;
    const point = await stored.commit({ ...changes, isCurrent });
    graph.committed();
    ground.hasWritten = true;
    return point;
  }

  /** Whether the data is as a new constraint says. */
  async #validate(command: SchemaCommand): Promise<void> {
    if (command.action !== 'create' || command.rule.kind !== 'constraint') return;
    const reading = new OpenTransaction(this.#parts, { access: 'read' });
    const text = violationQuery(command.rule);
    try {
      const result = await reading.run({ text, parameters: new Map() }, { aborted: false });
      const [violation] = await result.take(1);
      if (violation !== undefined) throw violatedFault(command.rule.name);
    } finally {
      reading.rollback();
    }
  }

  #requireOpen(): void {
    if (this.#isOpen) return;
    const isLate = this.#isLate || this.#parts.clock.monotonicMs() >= this.#endsMs;
    throw new DomainError(
      isLate ? 'QUERY_TIMEOUT' : 'CONFLICT',
      isLate ? 'the transaction has ended: its time is over' : 'the transaction has ended',
      { details: { code: isLate ? TIMED_OUT : TERMINATED } },
    );
  }

  /** A plan shows sizes of the whole graph. */
  #requireWhole({ mode }: CompiledText): void {
    if (mode === 'run' || this.#options.scope === undefined) return;
    throw new DomainError('FORBIDDEN', 'a plan shows sizes of the whole graph: a key with a scope gets none');
  }

  #requireAccess({ kind }: CompiledText): void {
    if (kind === 'r') return;
    if (this.#options.past !== undefined) throw pastFault();
    if (this.#options.access === 'write') return;
    throw readingFault();
  }
}

/** Title of notifications about indexes and constraints. */
const TITLE = 'Indexes and constraints';
