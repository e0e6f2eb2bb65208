import {
  type ExecutionTurns,
  type GraphReader,
  BoundedMap,
  ReaderStatistics,
  ExecutionContext,
  MarkPool,
  Pace,
  Profile,
} from '#graph/execution';
import type { Warning } from '#graph/model';
import { systemClock, type Clock } from '#platform/foundation';
import { startSpan, traced } from '#platform/observability';
import type { Vocabulary } from '../../plan/data-warnings.ts';
import { missingWords } from '../../plan/missing-words.ts';
import type { QueryResult } from '../../result/query-result.ts';
import type { QueryParameters } from '../../value/parameters.ts';
import { TextWork } from '../../value/text-work.ts';
import { QueryExecution } from './execution.ts';
import { PreparedQuery } from './prepared-query.ts';
import { runPlan } from './run-plan.ts';

const TIMEOUT_MS = 30_000;
const SLICE_MS = 5;
const CACHED_QUERIES_MAX = 512;
/** Longer texts are not cached, so that the cache stays small. */
const CACHED_TEXT_MAX = 4_096;
/** 160 MB of slots: 40 M rows of one element, 10 M rows of four. */
const INTERMEDIATE_SLOTS_MAX = 40_000_000;
/** Equals a few seconds of following trails one by one. */
const TRAIL_LINKS_MAX = 200_000_000;

export interface QueryEngineOptions {
  readonly vocabulary: Vocabulary;
  readonly clock?: Clock;
}

export interface RunOptions {
  readonly params?: QueryParameters;
  /** Default 30 s. */
  readonly timeoutMs?: number;
  /** Start of the time-out, in the clock's monotonic time: waiting before the run counts. Default now. */
  readonly sinceMs?: number;
  /** Default: yields to the event loop after each slice. */
  readonly turns?: ExecutionTurns;
  /** Stops the query when the client disconnects. */
  readonly signal?: Pick<AbortSignal, 'aborted'>;
  /** If off, patterns are walked from left to right: for tests. */
  readonly planner?: 'on' | 'off';
  /** Maximum number of values in intermediate rows. */
  readonly slotsMax?: number;
  /** Approximate memory limit of a run, in bytes. */
  readonly memoryMax?: number;
  /** Maximum number of links read while following trails one by one. */
  readonly trailLinksMax?: number;
}

const EVENT_LOOP: ExecutionTurns = { next: () => new Promise((resolve) => setImmediate(resolve)) };

/**
 * Runs PQL over snapshots of **one** graph: its caches, keyed by query text and snapshot version, would mix
 * up two graphs.
 *
 * Errors are `DomainError`s: PQL_SYNTAX, MISSING_PARAMETER and INVALID_REQUEST before the run;
 * QUERY_TIMEOUT and QUERY_TOO_LARGE during the run. There are no partial results.
 */
export class QueryEngine {
  readonly #vocabulary: Vocabulary;
  readonly #clock: Clock;
  readonly #marks = new MarkPool();
  readonly #prepared = new BoundedMap<PreparedQuery>(CACHED_QUERIES_MAX);

  constructor({ vocabulary, clock = systemClock }: QueryEngineOptions) {
    this.#vocabulary = vocabulary;
    this.#clock = clock;
  }

  /** Cheap queries complete before this returns; others yield to the event loop every few milliseconds. */
  async run(
    reader: GraphReader,
    query: string | PreparedQuery,
    options: RunOptions = {},
  ): Promise<QueryResult> {
    const execution = this.#start(reader, query, options);
    const { turns = EVENT_LOOP } = options;
    const span = startSpan('query.execute');
    try {
      for (;;) {
        const result = execution.advance(SLICE_MS);
        span?.set({ 'query.kind': result?.kind, 'query.rows': result?.count });
        if (result !== undefined) return result;
        await turns.next(() => execution.setAside(), execution.heldBytes);
      }
    } finally {
      span?.end();
    }
  }

  /** Blocks until the query is complete: for workers and command lines. */
  runSync(reader: GraphReader, pql: string, options: RunOptions = {}): QueryResult {
    const execution = this.#start(reader, pql, options);
    for (;;) {
      const result = execution.advance(SLICE_MS);
      if (result !== undefined) return result;
    }
  }

  /** Parses and binds like a run. Throws PQL_SYNTAX. */
  prepare(pql: string): PreparedQuery {
    const known = this.#prepared.get(pql);
    if (known !== undefined) return known;
    const prepared = new PreparedQuery(pql);
    if (pql.length <= CACHED_TEXT_MAX) this.#prepared.set(pql, prepared);
    return prepared;
  }

  /** Prepares in a span of its own. */
  parsed(pql: string): PreparedQuery {
    return traced('query.parse', () => this.prepare(pql));
  }

  /**
   * Warnings for words missing from the data, each of which alone makes the result empty; words in
   * `mayBeAbsent` are not reported. Throws PQL_SYNTAX.
   */
  missingWords(reader: GraphReader, pql: string, mayBeAbsent: readonly string[] = []): readonly Warning[] {
    return missingWords(this.prepare(pql).bound, reader, mayBeAbsent);
  }

  #start(reader: GraphReader, query: string | PreparedQuery, options: RunOptions): QueryExecution {
    const clock = this.#clock;
    const prepared = typeof query === 'string' ? this.parsed(query) : query;
    const { text, bound } = prepared;
    const statistics = new ReaderStatistics(reader);
    const textWork = new TextWork();
    const request = {
      reader,
      statistics,
      vocabulary: this.#vocabulary,
      parameters: options.params,
      nowMs: clock.nowMs(),
      isPlannerOff: options.planner === 'off',
      text: textWork,
    };
    const planned = traced('query.plan', () => prepared.plan(request));
    const context = new ExecutionContext({
      reader,
      statistics,
      pace: new Pace(clock, textWork),
      marks: this.#marks,
      slotsMax: options.slotsMax ?? INTERMEDIATE_SLOTS_MAX,
      trailLinksMax: options.trailLinksMax ?? TRAIL_LINKS_MAX,
      memoryMax: options.memoryMax ?? Infinity,
      ...(bound.mode === 'profile' ? { profile: new Profile(clock) } : {}),
    });
    const { timeoutMs = TIMEOUT_MS, sinceMs = clock.monotonicMs(), signal } = options;
    const limits = { clock, timeoutMs, sinceMs, ...(signal === undefined ? {} : { signal }) };
    const attempt = (): Generator<void, QueryResult> => runPlan(context, { text, bound, ...planned });
    return new QueryExecution(context, () => textWork.settled(attempt), limits);
  }
}
