import type { OnModuleDestroy, OnModuleInit } from '@nestjs/common';
import type { Registry } from 'prom-client';
import { type Graph, noteSeen, type SeqPoint } from '#graph/engine';
import {
  createScheduler,
  type GraphReader,
  memoryMaxOf,
  type QueryScheduler,
  SLICE_MS,
} from '#graph/execution';
import type { GraphSnapshot } from '#graph/memory';
import { isKnownClass, isKnownVerb, KNOWN_CLASSES, KNOWN_VERBS } from '#graph/model';
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
import { Cursors, type PinnedResult } from './cursors.ts';
import { QueryMetrics } from './query-metrics.ts';
import type { QueryRequest } from './query-request.ts';
import { CURSOR_SWEEP_MS, type QuerySettings, STREAM_CHUNK_BYTES } from './query-settings.ts';
import { ReplyBytes } from './reply-bytes.ts';

const VOCABULARY = {
  hasClass: isKnownClass,
  hasVerb: isKnownVerb,
  classes: KNOWN_CLASSES,
  verbs: KNOWN_VERBS,
};

export interface QueryServiceParts {
  readonly graph: Graph;
  readonly clock: Clock;
  readonly engine: QueryEngine;
  readonly scheduler: QueryScheduler;
  readonly cursors: Cursors;
  readonly metrics: QueryMetrics;
  /** Longest run of a query. */
  readonly timeoutMs: number;
  /** Most bytes that one query may hold while it runs. */
  readonly memoryMax: number;
}

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

/** The service with the limits of the settings. */
export function createQueryService(parts: {
  readonly graph: Graph;
  readonly settings: QuerySettings;
  readonly registry: Registry;
  readonly clock: Clock;
  readonly engine?: QueryEngine;
  /** Default: one of its own. */
  readonly scheduler?: QueryScheduler;
}): QueryService {
  const { graph, settings, registry, clock, engine = createQueryEngine(clock) } = parts;
  const { cursorsMax, cursorsMemory, queryTimeout } = settings;
  const scheduler = parts.scheduler ?? createScheduler(settings, clock);
  const cursors = new Cursors(
    clock,
    { pinsMax: cursorsMax, bytesMax: cursorsMemory },
    parts.graph.position()?.node,
  );
  const metrics = new QueryMetrics(registry, scheduler, cursors);
  const bounds = { timeoutMs: queryTimeout, memoryMax: memoryMaxOf(settings) };
  return new QueryService({ graph, clock, engine, scheduler, cursors, metrics, ...bounds });
}

/** PQL with the classes and verbs of the product's data model. */
export function createQueryEngine(clock: Clock): QueryEngine {
  return new QueryEngine({ vocabulary: VOCABULARY, clock });
}

/** Runs queries and encodes their replies: pages, or a stream of lines. */
export class QueryService implements OnModuleInit, OnModuleDestroy {
  readonly #parts: QueryServiceParts;
  #sweeper: NodeJS.Timeout | undefined;

  constructor(parts: QueryServiceParts) {
    this.#parts = parts;
  }

  /** One page as JSON, with a cursor if there are further pages. */
  async page(request: QueryRequest, hangUp: HangUp): Promise<Buffer> {
    const reply = await this.reply(request, hangUp);
    return reply.drain();
  }

  /** One page, like {@link page}, in memory that can be reused after it has been sent. */
  async reply(request: QueryRequest, hangUp: HangUp): Promise<ReplyBytes> {
    const { clock, cursors } = this.#parts;
    const startMs = clock.monotonicMs();
    const found = request.cursor === undefined ? undefined : this.#resume(request.cursor, request.pql);
    const pin = found?.pin ?? (await this.#run(request, hangUp));
    const offset = found?.offset ?? 0;
    const hasMore = offset + request.limit < pin.result.length;
    const name = found?.name ?? (hasMore ? cursors.pin(pin) : undefined);
    try {
      return await this.#encoded(pin, {
        offset,
        limit: request.limit,
        tookMs: () => toMicroseconds(clock.monotonicMs() - startMs),
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
      turn: () => this.#parts.scheduler.turn(),
      release: () => {
        snapshot.release();
      },
    };
  }

  /** Releases idle cursors even when no further cursor is requested. */
  onModuleInit(): void {
    const sweep = (): void => this.#parts.cursors.sweep();
    this.#sweeper = setInterval(sweep, CURSOR_SWEEP_MS).unref();
  }

  onModuleDestroy(): void {
    clearInterval(this.#sweeper);
    this.close();
  }

  /** Releases all cursors. */
  close(): void {
    this.#parts.cursors.clear();
  }

  #resume(cursor: string, pql: string | undefined): ReturnType<Cursors['find']> {
    const found = this.#parts.cursors.find(cursor);
    noteSeen(found.pin.seen.epoch, found.pin.seen.seq);
    if (pql === undefined || pql === found.pin.pql) return found;
    throw new DomainError('INVALID_REQUEST', 'pql: expected the query that the cursor is of', {
      details: { field: 'pql' },
    });
  }

  async #run(
    { pql = '', params, timeoutMs, includesDeleted }: QueryRequest,
    hangUp: HangUp,
    check?: (query: PreparedQuery) => void,
  ): Promise<PinnedResult> {
    const { graph, clock, engine, scheduler, metrics } = this.#parts;
    const sinceMs = clock.monotonicMs();
    const limits = { timeoutMs: Math.min(timeoutMs ?? Infinity, this.#parts.timeoutMs), signal: hangUp };
    const turns = scheduler.admit({ deadlineMs: sinceMs + limits.timeoutMs, signal: hangUp });
    let kind: string = 'error';
    let snapshot: GraphSnapshot | undefined;
    try {
      const wait = turns.begin();
      if (wait !== undefined) await wait;
      check?.(engine.prepare(pql));
      snapshot = graph.snapshot({ includeDeleted: includesDeleted });
      const seen = { epoch: graph.epoch, seq: snapshot.snapshotVersion };
      const { memoryMax } = this.#parts;
      const options = { ...limits, sinceMs, turns, memoryMax, ...(params && { params }) };
      const result = await engine.run(snapshot, pql, options);
      kind = result.kind;
      return { pql, result, snapshot, seen };
    } catch (error) {
      snapshot?.release();
      throw error;
    } finally {
      turns.leave();
      metrics.observe(kind, clock.monotonicMs() - sinceMs);
    }
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
      await this.#parts.scheduler.turn();
    } while (!this.#slice(steps));
  }

  /** Whether the steps are complete. */
  #slice(steps: Steps<void>): boolean {
    const { clock } = this.#parts;
    const sliceEndMs = clock.monotonicMs() + SLICE_MS;
    while (steps.next().done !== true) if (clock.monotonicMs() >= sliceEndMs) return false;
    return true;
  }

  /** Yields after each slice. The last line reports that the result is complete, or the error. */
  async *#chunksOf({ result, snapshot }: PinnedResult): AsyncGenerator<Buffer> {
    const { clock, scheduler } = this.#parts;
    const span = startSpan('query.encode');
    try {
      const lines = new LineEncoder(result, snapshot);
      for (let sliceEndMs = 0; !lines.isDone;) {
        if (clock.monotonicMs() >= sliceEndMs) {
          await scheduler.turn();
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

/** Milliseconds with three decimals: the rest is noise. */
function toMicroseconds(ms: number): number {
  return Math.round(ms * 1_000) / 1_000;
}
