import { createHash } from 'node:crypto';
import { type AskedMoment, type Difference, type EntityChange, type Graph, seqToken } from '#graph/engine';
import { type QueryScheduler, SLICE_MS } from '#graph/execution';
import { isKnownClass, KNOWN_CLASSES, type Scope, type Warning } from '#graph/model';
import { type Clock, DomainError, type HangUp } from '#platform/foundation';
import { nearestWord } from '../plan/data-warnings.ts';
import type { QueryParameters } from '../value/parameters.ts';
import type { OpenResult, QueryService } from '../service/query-service.ts';
import type { QuerySettings } from '../service/query-settings.ts';
import { type AskedSpan, type DiffSpan, DiffSpans } from './diff-span.ts';
import { type RowChange, rowDiff } from './row-diff.ts';

export interface RecordDiffRequest extends AskedSpan {
  /** A type, a class or a label; default: every record. */
  readonly type?: string | undefined;
  readonly limit: number;
}

export interface RowDiffRequest extends AskedSpan {
  readonly pql: string;
  readonly params?: QueryParameters | undefined;
  readonly limit: number;
  readonly scope?: Scope | undefined;
}

export interface EntityChangesRequest {
  readonly id: string;
  readonly limit: number;
  /** Default: from the latest change on. */
  readonly cursor?: AskedMoment | undefined;
}

export interface EntityChangesReply {
  /** The latest first. */
  readonly changes: readonly EntityChange[];
  /** Set if there are more. */
  readonly cursor?: string;
}

interface DiffReply {
  /** Sequence numbers: the states after these batches. */
  readonly from: number;
  readonly to: number;
  /** Set if there may be more. */
  readonly cursor?: string;
}

export interface RecordDiffReply extends DiffReply {
  readonly changes: readonly Difference[];
  /** Of the first page: nothing has the type, which may be a slip. */
  readonly warnings: readonly Warning[];
}

export interface RowDiffReply extends DiffReply {
  /** Numbers of rows, over all pages. */
  readonly came: number;
  readonly went: number;
  readonly columns?: readonly string[];
  readonly rows: readonly RowChange[];
  /** Those of both moments. */
  readonly warnings: readonly Warning[];
}

/** What changed between two moments: of the graph, record by record, and of a query, row by row. */
export class DiffService {
  readonly #graph: Graph;
  readonly #queries: QueryService;
  readonly #scheduler: QueryScheduler;
  readonly #spans: DiffSpans;
  readonly #clock: Clock;
  readonly #timeoutMs: number;

  constructor(
    graph: Graph,
    queries: QueryService,
    scheduler: QueryScheduler,
    settings: Pick<QuerySettings, 'queryTimeout'>,
    clock: Clock,
  ) {
    this.#graph = graph;
    this.#queries = queries;
    this.#scheduler = scheduler;
    this.#spans = new DiffSpans(graph);
    this.#clock = clock;
    this.#timeoutMs = settings.queryTimeout;
  }

  /** Throws what {@link DiffSpans.resolve} throws, TOO_BUSY and QUERY_TIMEOUT. */
  async records(request: RecordDiffRequest, hangUp: HangUp): Promise<RecordDiffReply> {
    const about = `type ${request.type ?? ''}`;
    const span = await this.#spans.resolve(request, about);
    return this.#inTurns(hangUp, async (pause) => {
      const { type: name, limit } = request;
      const { changes, next } = await this.#graph.diff.page({ ...span, name, limit, pause });
      const isOfNothing = changes.length === 0 && request.cursor === undefined;
      return {
        ...shown(span),
        changes,
        warnings: isOfNothing && name !== undefined ? this.#unknown(name) : [],
        ...(next !== undefined && { cursor: this.#spans.cursor(span, about, next) }),
      };
    });
  }

  /** Throws NOT_FOUND for an unknown entity, and the errors of {@link records}. */
  async ofEntity(request: EntityChangesRequest, hangUp: HangUp): Promise<EntityChangesReply> {
    const { id, limit, cursor } = request;
    const moment = cursor && this.#graph.history.momentOf(cursor);
    const upTo = await this.#graph.diff.seqOf(moment, 'cursor');
    return this.#inTurns(hangUp, async (pause) => {
      const { changes, next } = await this.#graph.diff.timeline.page({
        id,
        upTo,
        limit,
        pause: () => pause(0),
      });
      return {
        changes,
        ...(next !== undefined && { cursor: seqToken({ epoch: this.#graph.epoch, seq: next }) }),
      };
    });
  }

  /** Throws what {@link DiffSpans.resolve} and a query throw. */
  async rows(request: RowDiffRequest, hangUp: HangUp): Promise<RowDiffReply> {
    const { pql, params, limit } = request;
    const about = createHash('sha256')
      .update(JSON.stringify([pql, params]))
      .digest('base64url');
    const span = await this.#spans.resolve(request, about);
    const offset = offsetOf(span);
    const before = await this.#open(request, span.from, hangUp);
    try {
      const after = await this.#open(request, span.to, hangUp);
      try {
        const diff = await rowDiff(before, after, { offset, limit });
        const hasMore = offset + diff.rows.length < diff.came + diff.went;
        return {
          ...shown(span),
          ...diff,
          ...(after.result.columns !== undefined && { columns: after.result.columns }),
          warnings: distinct([...before.result.warnings, ...after.result.warnings]),
          ...(hasMore && { cursor: this.#spans.cursor(span, about, String(offset + limit)) }),
        };
      } finally {
        after.release();
      }
    } finally {
      before.release();
    }
  }

  /** The warning about a name that no entity has, neither now nor as a deleted one. */
  #unknown(name: string): readonly Warning[] {
    const snapshot = this.#graph.snapshot({ includeDeleted: true });
    try {
      if (isKnownClass(name) || snapshot.hasName(name)) return [];
      const nearest = nearestWord(name, snapshot.names(), KNOWN_CLASSES);
      const message = `no class, type or label \`${name}\` is known`;
      if (nearest === undefined) return [{ code: 'UNKNOWN_CLASS', message }];
      return [{ code: 'UNKNOWN_CLASS', message: `${message}; did you mean \`${nearest}\`?`, nearest }];
    } finally {
      snapshot.release();
    }
  }

  /** Admits a work, which awaits `pause` regularly, with the memory it holds. */
  async #inTurns<Reply>(
    hangUp: HangUp,
    work: (pause: (heldBytes: number) => Promise<void>) => Promise<Reply>,
  ): Promise<Reply> {
    const deadlineMs = this.#clock.monotonicMs() + this.#timeoutMs;
    const turns = this.#scheduler.admit({ deadlineMs, signal: hangUp });
    try {
      await turns.begin();
      let sliceEndMs = this.#clock.monotonicMs() + SLICE_MS;
      return await work(async (heldBytes) => {
        if (this.#clock.monotonicMs() < sliceEndMs) return;
        await turns.next(() => undefined, heldBytes);
        if (turns.isInVain(this.#clock.monotonicMs()))
          throw new DomainError('QUERY_TIMEOUT', 'diff stopped: its time is over, or its client has gone');
        sliceEndMs = this.#clock.monotonicMs() + SLICE_MS;
      });
    } finally {
      turns.leave();
    }
  }

  async #open(
    { pql, params, limit, scope }: RowDiffRequest,
    seq: number,
    hangUp: HangUp,
  ): Promise<OpenResult> {
    const rest = { cursor: undefined, timeoutMs: undefined, includesDeleted: false };
    const opened = await this.#queries.open(
      { pql, params, limit, scope, asOf: { moment: { seq } }, ...rest },
      hangUp,
    );
    if (opened.result.kind !== 'plan') return opened;
    opened.release();
    throw new DomainError('INVALID_REQUEST', 'pql: expected a query with rows, got EXPLAIN or PROFILE', {
      details: { field: 'pql' },
    });
  }
}

function shown({ from, to }: DiffSpan): DiffReply {
  return { from, to };
}

function offsetOf({ after = '0' }: DiffSpan): number {
  if (/^\d{1,10}$/.test(after)) return Number(after);
  throw new DomainError('INVALID_REQUEST', 'cursor: expected one that a diff has given', {
    details: { field: 'cursor' },
  });
}

function distinct(warnings: readonly Warning[]): readonly Warning[] {
  return [...new Map(warnings.map((warning) => [JSON.stringify(warning), warning])).values()];
}
