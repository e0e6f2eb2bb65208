import type { OnModuleDestroy, OnModuleInit } from '@nestjs/common';
import type { Registry } from 'prom-client';
import { type Clock, DomainError } from '#foundation';
import type { Graph, GraphSnapshot } from '#graph';
import { isKnownClass, isKnownVerb, KNOWN_CLASSES, KNOWN_VERBS } from '#model';
import { encodeEnd, encodeResult, LineEncoder, QueryEngine } from '#query';
import { errorReply, type HangUp } from '#web';
import { QueryMetrics } from '../../metrics/query-metrics.ts';
import type { GraphSettings } from '../../settings.ts';
import { ReplyBytes } from '../reply-bytes.ts';
import { Cursors, cursorToken, type PinnedResult } from './cursors.ts';
import { CURSOR_SWEEP_MS, STREAM_CHUNK_BYTES } from './query-limits.ts';
import type { QueryRequest } from './query-request.ts';
import { QueryScheduler, SLICE_MS } from './query-scheduler.ts';

const VOCABULARY = {
  hasClass: isKnownClass,
  hasVerb: isKnownVerb,
  classes: KNOWN_CLASSES,
  verbs: KNOWN_VERBS,
};

export interface QueryServiceParts {
  readonly graph: Graph;
  readonly clock: Clock;
  readonly scheduler: QueryScheduler;
  readonly cursors: Cursors;
  readonly metrics: QueryMetrics;
  /** Longest run of a query. */
  readonly timeoutMs: number;
}

/** The service with the bounds that the settings name. */
export function createQueryService(parts: {
  readonly graph: Graph;
  readonly settings: GraphSettings;
  readonly registry: Registry;
  readonly clock: Clock;
}): QueryService {
  const { graph, settings, registry, clock } = parts;
  const { queriesMax, queryQueue, cursorsMax, cursorsMemory, queryTimeout } = settings;
  const scheduler = new QueryScheduler(clock, { runningMax: queriesMax, waitingMax: queryQueue });
  const cursors = new Cursors(clock, { pinsMax: cursorsMax, bytesMax: cursorsMemory });
  const metrics = new QueryMetrics(registry, scheduler, cursors);
  return new QueryService({ graph, clock, scheduler, cursors, metrics, timeoutMs: queryTimeout });
}

/** Runs queries, and makes the bytes of their replies: whole pages, or a stream of lines. */
export class QueryService implements OnModuleInit, OnModuleDestroy {
  readonly #parts: QueryServiceParts;
  readonly #engine: QueryEngine;
  #sweeper: NodeJS.Timeout | undefined;

  constructor(parts: QueryServiceParts) {
    this.#parts = parts;
    this.#engine = new QueryEngine({ vocabulary: VOCABULARY, clock: parts.clock });
  }

  /** One page as JSON, with a cursor to the next when there is more. */
  async page(request: QueryRequest, hangUp: HangUp): Promise<Buffer> {
    const reply = await this.reply(request, hangUp);
    return reply.take();
  }

  /** The same, in memory that may be given back when it has been sent. */
  async reply(request: QueryRequest, hangUp: HangUp): Promise<ReplyBytes> {
    const { clock, cursors } = this.#parts;
    const startMs = clock.monotonicMs();
    const found = request.cursor === undefined ? undefined : this.#resume(request.cursor, request.pql);
    const pin = found?.pin ?? (await this.#run(request, hangUp));
    const { result, snapshot } = pin;
    const offset = found?.offset ?? 0;
    const hasMore = offset + request.limit < result.count;
    const name = found?.name ?? (hasMore ? cursors.pin(pin) : undefined);
    try {
      const bytes = new ReplyBytes();
      encodeResult(result, snapshot, bytes, {
        offset,
        limit: request.limit,
        tookMs: toMicroseconds(clock.monotonicMs() - startMs),
        ...(hasMore && name !== undefined && { cursor: cursorToken(name, offset + request.limit) }),
      });
      return bytes;
    } finally {
      if (name === undefined) snapshot.release();
    }
  }

  /** The whole result as lines, in chunks that are made when they are asked for. */
  async stream(request: QueryRequest, hangUp: HangUp): Promise<AsyncGenerator<Buffer>> {
    if (request.cursor !== undefined) {
      throw new DomainError('INVALID_REQUEST', 'cursor: a stream has no pages', {
        details: { field: 'cursor' },
      });
    }
    return this.#chunksOf(await this.#run(request, hangUp));
  }

  /** Idle cursors go even when nobody asks for another. */
  onModuleInit(): void {
    const sweep = (): void => this.#parts.cursors.sweep();
    this.#sweeper = setInterval(sweep, CURSOR_SWEEP_MS).unref();
  }

  onModuleDestroy(): void {
    clearInterval(this.#sweeper);
    this.close();
  }

  /** Lets go of all cursors. */
  close(): void {
    this.#parts.cursors.clear();
  }

  #resume(cursor: string, pql: string | undefined): ReturnType<Cursors['find']> {
    const found = this.#parts.cursors.find(cursor);
    if (pql === undefined || pql === found.pin.pql) return found;
    throw new DomainError('INVALID_REQUEST', 'pql: expected the query that the cursor is of', {
      details: { field: 'pql' },
    });
  }

  async #run(
    { pql = '', params, timeoutMs, includesDeleted }: QueryRequest,
    hangUp: HangUp,
  ): Promise<PinnedResult> {
    const { graph, clock, scheduler, metrics } = this.#parts;
    const sinceMs = clock.monotonicMs();
    const limits = { timeoutMs: Math.min(timeoutMs ?? Infinity, this.#parts.timeoutMs), signal: hangUp };
    const turns = scheduler.admit({ deadlineMs: sinceMs + limits.timeoutMs, signal: hangUp });
    let kind: string = 'error';
    let snapshot: GraphSnapshot | undefined;
    try {
      const wait = turns.begin();
      if (wait !== undefined) await wait;
      snapshot = graph.snapshot({ includeDeleted: includesDeleted });
      const options = { ...limits, sinceMs, turns, ...(params && { params }) };
      const result = await this.#engine.run(snapshot, pql, options);
      kind = result.kind;
      return { pql, result, snapshot };
    } catch (error) {
      snapshot?.release();
      throw error;
    } finally {
      turns.leave();
      metrics.observe(kind, clock.monotonicMs() - sinceMs);
    }
  }

  /** Gives way after each slice. The last line says that all has come, or why not. */
  async *#chunksOf({ result, snapshot }: PinnedResult): AsyncGenerator<Buffer> {
    const { clock, scheduler } = this.#parts;
    try {
      const lines = new LineEncoder(result, snapshot);
      for (let sliceEndMs = 0; !lines.isDone;) {
        if (clock.monotonicMs() >= sliceEndMs) {
          await scheduler.turn();
          sliceEndMs = clock.monotonicMs() + SLICE_MS;
        }
        const bytes = new ReplyBytes();
        lines.write(bytes, () => bytes.length >= STREAM_CHUNK_BYTES || clock.monotonicMs() >= sliceEndMs);
        yield bytes.take();
      }
      const end = new ReplyBytes();
      encodeEnd(result, end);
      yield end.take();
    } catch (error) {
      yield Buffer.from(`${JSON.stringify(errorReply(error, undefined).body)}\n`);
    } finally {
      snapshot.release();
    }
  }
}

/** Milliseconds, to the microsecond: what lies beyond is noise. */
function toMicroseconds(ms: number): number {
  return Math.round(ms * 1_000) / 1_000;
}
