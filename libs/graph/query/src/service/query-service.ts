import type { OnModuleDestroy, OnModuleInit } from '@nestjs/common';
import { type AskedMoment, type Graph, type Moment, momentOf, noteSeen, type SeqPoint } from '#graph/engine';
import { type GraphReader, memoryMaxOf, type QueryScheduler, SLICE_MS } from '#graph/execution';
import type { GraphSnapshot, ScopedSnapshot } from '#graph/memory';
import { isKnownClass, isKnownVerb, KNOWN_CLASSES, KNOWN_VERBS, scopeKey } from '#graph/model';
import { type Clock, DomainError, errorBody, type HangUp, type Steps } from '#platform/foundation';
import { startSpan } from '#platform/observability';
import type { PreparedQuery } from '../execute/engine/prepared-query.ts';
import { QueryEngine } from '../execute/engine/query-engine.ts';
import {
  encodeEnd,
  encodeSteps,
  LineEncoder,
  type PageRequest,
  type ReplyFacts,
} from '../result/encode-result.ts';
import type { QueryResult } from '../result/query-result.ts';
import { syntaxFault } from '../syntax/fault.ts';
import { createCursors, type Cursors, type PinnedResult } from './cursors.ts';
import { QueryDurations } from './query-durations.ts';
import type { QueryRequest } from './query-request.ts';
import { CURSOR_SWEEP_MS, type QuerySettings, STREAM_CHUNK_BYTES } from './query-settings.ts';
import { ReplyBytes } from './reply-bytes.ts';

const VOCABULARY = {
  hasClass: isKnownClass,
  hasVerb: isKnownVerb,
  classes: KNOWN_CLASSES,
  verbs: KNOWN_VERBS,
};

/** A result that is held until it is released. */
export interface OpenResult {
  readonly result: QueryResult;
  /** The snapshot to which the result's numbers refer. */
  readonly reader: GraphReader;
  /** The snapshot's. */
  readonly seen: SeqPoint;
  /** A share of the event loop, scheduled among queries; must be awaited every few milliseconds. */
  turn(): Promise<void>;
  /** Releases the snapshot, which must not be read afterwards. */
  release(): void;
}

/** The service with the limits of the settings, for programs without Nest. */
export function createQueryService({
  graph,
  settings,
  scheduler,
  clock,
}: {
  readonly graph: Graph;
  readonly settings: QuerySettings;
  /** Shared with the other languages of the program. */
  readonly scheduler: QueryScheduler;
  readonly clock: Clock;
}): QueryService {
  const cursors = createCursors(clock, settings, graph);
  const durations = new QueryDurations();
  return new QueryService(graph, createQueryEngine(clock), scheduler, cursors, durations, settings, clock);
}

/** PQL with the classes and verbs of the product's data model. */
export function createQueryEngine(clock: Clock): QueryEngine {
  return new QueryEngine({ vocabulary: VOCABULARY, clock });
}

/** Runs queries and encodes their replies: pages, or a stream of lines. */
export class QueryService implements OnModuleInit, OnModuleDestroy {
  readonly #graph: Graph;
  readonly #engine: QueryEngine;
  readonly #scheduler: QueryScheduler;
  readonly #cursors: Cursors;
  readonly #durations: QueryDurations;
  readonly #clock: Clock;
  /** Longest run of a query. */
  readonly #timeoutMs: number;
  /** Most bytes that one query may hold while it runs. */
  readonly #memoryMax: number;
  #sweeper: NodeJS.Timeout | undefined;

  constructor(
    graph: Graph,
    engine: QueryEngine,
    scheduler: QueryScheduler,
    cursors: Cursors,
    durations: QueryDurations,
    settings: QuerySettings,
    clock: Clock,
  ) {
    this.#graph = graph;
    this.#engine = engine;
    this.#scheduler = scheduler;
    this.#cursors = cursors;
    this.#durations = durations;
    this.#clock = clock;
    this.#timeoutMs = settings.queryTimeout;
    this.#memoryMax = memoryMaxOf(settings);
  }

  /** One page as JSON, with a cursor if there are further pages. */
  async page(request: QueryRequest, hangUp: HangUp): Promise<Buffer> {
    const reply = await this.reply(request, hangUp);
    return reply.drain();
  }

  /** One page, like {@link page}, in memory that can be reused after it has been sent. */
  async reply(request: QueryRequest, hangUp: HangUp): Promise<ReplyBytes> {
    const cursors = this.#cursors;
    const startMs = this.#clock.monotonicMs();
    const { cursor } = request;
    const found = cursor === undefined ? undefined : this.#resume({ ...request, cursor });
    const pin = found?.pin ?? (await this.#run(request, hangUp));
    const offset = found?.offset ?? 0;
    const hasMore = offset + request.limit < pin.result.length;
    const name = found?.name ?? (hasMore ? cursors.pin(pin) : undefined);
    try {
      return await this.#encoded(pin, {
        offset,
        limit: request.limit,
        tookMs: () => toMicroseconds(this.#clock.monotonicMs() - startMs),
        ...(hasMore && name !== undefined && { cursor: cursors.token(name, offset + request.limit) }),
      });
    } finally {
      if (name === undefined) pin.snapshot.release();
    }
  }

  /** The whole result as lines, in chunks that are encoded on demand. */
  async stream(request: QueryRequest, hangUp: HangUp): Promise<AsyncGenerator<Buffer>> {
    if (request.cursor !== undefined) {
      throw new DomainError('INVALID_REQUEST', 'cursor: a stream has no pages', {
        details: { field: 'cursor' },
      });
    }
    return this.#chunksOf(await this.#run(request, hangUp, refuseReservedColumns));
  }

  /** The whole result, for callers with an encoding of their own; they must release it. */
  async open(request: QueryRequest, hangUp: HangUp): Promise<OpenResult> {
    const { result, snapshot, seen } = await this.#run(request, hangUp);
    return {
      result,
      seen,
      reader: snapshot,
      turn: () => this.#scheduler.turn(),
      release: () => {
        snapshot.release();
      },
    };
  }

  /** Releases idle cursors even when no further cursor is requested. */
  onModuleInit(): void {
    const sweep = (): void => this.#cursors.sweep();
    this.#sweeper = setInterval(sweep, CURSOR_SWEEP_MS).unref();
  }

  onModuleDestroy(): void {
    clearInterval(this.#sweeper);
    this.close();
  }

  /** Releases all cursors. */
  close(): void {
    this.#cursors.clear();
  }

  #resume({ cursor, pql, scope }: QueryRequest & { readonly cursor: string }): ReturnType<Cursors['find']> {
    const found = this.#cursors.find(cursor);
    const asked: GraphReader = found.pin.snapshot;
    if (asked.scopeKey !== (scope && scopeKey(scope)))
      throw new DomainError('CURSOR_EXPIRED', 'the cursor is of another key: run the query again');
    noteSeen(found.pin.seen.epoch, found.pin.seen.seq);
    if (pql === undefined || pql === found.pin.pql) return found;
    throw new DomainError('INVALID_REQUEST', 'pql: expected the query that the cursor is of', {
      details: { field: 'pql' },
    });
  }

  async #run(
    { pql = '', params, timeoutMs, includesDeleted, asOf, scope }: QueryRequest,
    hangUp: HangUp,
    check?: (query: PreparedQuery) => void,
  ): Promise<PinnedResult> {
    const sinceMs = this.#clock.monotonicMs();
    const limits = { timeoutMs: Math.min(timeoutMs ?? Infinity, this.#timeoutMs), signal: hangUp };
    const turns = this.#scheduler.admit({ deadlineMs: sinceMs + limits.timeoutMs, signal: hangUp });
    let kind: string = 'error';
    let snapshot: GraphSnapshot | ScopedSnapshot | undefined;
    try {
      const wait = turns.begin();
      if (wait !== undefined) await wait;
      const prepared = this.#engine.parsed(pql);
      check?.(prepared);
      if (scope !== undefined) refusePlan(prepared);
      const moment = this.#momentOf(prepared, asOf);
      snapshot =
        moment === undefined
          ? this.#graph.snapshotWithin(scope, { includeDeleted: includesDeleted })
          : await this.#graph.history.snapshotWithin(scope, moment, { includeDeleted: includesDeleted });
      const seq = moment === undefined ? snapshot.snapshotVersion : this.#graph.durableVersion;
      const seen = { epoch: this.#graph.epoch, seq };
      const memoryMax = this.#memoryMax;
      const options = { ...limits, sinceMs, turns, memoryMax, ...(params && { params }) };
      const result = await this.#engine.run(snapshot, prepared, options);
      kind = result.kind;
      return { pql, result, snapshot, seen };
    } catch (error) {
      snapshot?.release();
      throw error;
    } finally {
      turns.leave();
      this.#durations.tally(kind, (this.#clock.monotonicMs() - sinceMs) / 1_000);
    }
  }

  /** Throws CONFLICT for a moment of another history. */
  #momentOf({ bound, text }: PreparedQuery, asked: AskedMoment | undefined): Moment | undefined {
    const { asOf } = bound;
    if (asOf !== undefined && asked !== undefined) {
      throw syntaxFault(
        text,
        asOf.span,
        'the request gives the moment, and so does AS OF: expected one of them',
      );
    }
    const chosen = asked ?? (asOf && momentOf(asOf.value));
    return chosen && this.#graph.history.momentOf(chosen);
  }

  async #encoded({ result, snapshot }: PinnedResult, page: PageRequest & ReplyFacts): Promise<ReplyBytes> {
    const span = startSpan('query.encode');
    const bytes = new ReplyBytes();
    try {
      const rest = this.#written(encodeSteps(result, snapshot, bytes, page), bytes);
      if (rest !== undefined) await rest;
      // The caller continues after other replies have been written to the same scratch buffer.
      bytes.settle();
    } finally {
      span?.end();
    }
    return bytes;
  }

  /** Encodes the rest, yielding after each slice; undefined if the first slice was enough. */
  #written(steps: Steps<void>, bytes: ReplyBytes): Promise<void> | undefined {
    return this.#slice(steps) ? undefined : this.#inTurns(steps, bytes);
  }

  async #inTurns(steps: Steps<void>, bytes: ReplyBytes): Promise<void> {
    do {
      bytes.setAside();
      await this.#scheduler.turn();
    } while (!this.#slice(steps));
  }

  /** Whether the steps are complete. */
  #slice(steps: Steps<void>): boolean {
    const clock = this.#clock;
    const sliceEndMs = clock.monotonicMs() + SLICE_MS;
    while (steps.next().done !== true) if (clock.monotonicMs() >= sliceEndMs) return false;
    return true;
  }

  /** Yields after each slice. The last line reports that the result is complete, or the error. */
  async *#chunksOf({ result, snapshot }: PinnedResult): AsyncGenerator<Buffer> {
    const clock = this.#clock;
    const span = startSpan('query.encode');
    try {
      const lines = new LineEncoder(result, snapshot);
      for (let sliceEndMs = 0; !lines.isDone;) {
        if (clock.monotonicMs() >= sliceEndMs) {
          await this.#scheduler.turn();
          sliceEndMs = clock.monotonicMs() + SLICE_MS;
        }
        const bytes = new ReplyBytes();
        lines.write(bytes, () => bytes.length >= STREAM_CHUNK_BYTES || clock.monotonicMs() >= sliceEndMs);
        yield bytes.drain();
      }
      const end = new ReplyBytes();
      encodeEnd(result, end);
      yield end.drain();
    } catch (error) {
      yield Buffer.from(`${JSON.stringify(errorBody(error))}\n`);
    } finally {
      span?.end();
      snapshot.release();
    }
  }
}

/** The names that tell the last lines of a stream, and the plan, from its other lines. */
const LINE_NAMES: ReadonlySet<string> = new Set(['end', 'error', 'plan']);

/** Refuses columns of whose values a row could look like the last line of a stream. */
function refuseReservedColumns({ bound, text }: PreparedQuery): void {
  const { body } = bound;
  if (body.kind !== 'find' || body.returns === undefined || body.returns.kind === 'count') return;
  const column = body.returns.columns.find(({ name }) => LINE_NAMES.has(name));
  if (column === undefined) return;
  const message = `a stream cannot have a column \`${column.name}\`: that name marks a line that is not a row`;
  throw syntaxFault(text, column.span, message, { hint: 'write AS and another name' });
}

/** A plan shows sizes of the whole graph. */
function refusePlan({ bound }: PreparedQuery): void {
  if (bound.mode === 'run') return;
  throw new DomainError(
    'FORBIDDEN',
    'EXPLAIN and PROFILE show sizes of the whole graph: a key with a scope gets no plan',
  );
}

/** Milliseconds with three decimals: the rest is noise. */
function toMicroseconds(ms: number): number {
  return Math.round(ms * 1_000) / 1_000;
}
