import type { AskedMoment, Graph } from '#graph/engine';
import { type ExecutionSettings, type QueryScheduler, type ScheduledQuery, SLICE_MS } from '#graph/execution';
import type { Scope } from '#graph/model';
import { type Clock, DomainError, type HangUp, type Steps } from '#platform/foundation';
import { Matches, type Snapshot } from './matches.ts';

/** Maximum length of a text that is searched for. */
export const SEARCH_TEXT_MAX = 256;

/** Matches after which a search ends: who sees as many gives more of the name. */
const MATCHES_MAX = 10_000;
/** About what a kept match takes. */
const MATCH_BYTES = 64;

export interface SearchRequest {
  /** 1 to {@link SEARCH_TEXT_MAX} characters. One or two bytes are found at the start of names only. */
  readonly text: string;
  /** A type, a class or a label; default: every entity. */
  readonly type?: string | undefined;
  /** Maximum number of entities in the reply; the counts are of all. */
  readonly limit: number;
  /** The part of the graph that exists for the caller; default: all of it. */
  readonly scope?: Scope | undefined;
  /** The moment as of which names are searched; default: now. */
  readonly asOf?: AskedMoment | undefined;
}

export interface FoundName {
  readonly id: string;
  readonly type: string;
  readonly class: string;
  readonly key: string;
  readonly display_name: string;
  /** The property `name`, where it is another text. */
  readonly name?: string;
}

export interface SearchReply {
  /** Number of entities with the text in a name; at least so many if not `complete`. */
  readonly count: number;
  /** Whether all were counted, and so the best are among the entities. */
  readonly complete: boolean;
  /** Of the counted ones by type, the most first. */
  readonly counts: readonly { readonly type: string; readonly count: number }[];
  /** The best first. */
  readonly entities: readonly FoundName[];
  readonly snapshot_version: number;
}

/**
 * Finds entities by a part of their key, display name or property `name`, in any case, over all types.
 * Ranked: equal names, those that begin with the text, those with a word that does, the others; the shorter
 * first.
 */
export class SearchService {
  readonly #graph: Pick<Graph, 'snapshotWithin' | 'history'>;
  readonly #scheduler: QueryScheduler;
  readonly #clock: Clock;
  readonly #timeoutMs: number;

  constructor(
    graph: Pick<Graph, 'snapshotWithin' | 'history'>,
    scheduler: QueryScheduler,
    settings: ExecutionSettings,
    clock: Clock,
  ) {
    this.#graph = graph;
    this.#scheduler = scheduler;
    this.#clock = clock;
    this.#timeoutMs = settings.queryTimeout;
  }

  /** Throws TOO_BUSY and QUERY_TIMEOUT like a query, and the errors of a moment. */
  async search(request: SearchRequest, hangUp: HangUp): Promise<SearchReply> {
    const deadlineMs = this.#clock.monotonicMs() + this.#timeoutMs;
    const turns = this.#scheduler.admit({ deadlineMs, signal: hangUp });
    let snapshot: Snapshot | undefined;
    try {
      const wait = turns.begin();
      if (wait !== undefined) await wait;
      snapshot = await this.#snapshotOf(request);
      const matches = new Matches(snapshot, request.limit);
      const keptBytes = request.limit * MATCH_BYTES;
      const isComplete = await this.#run(matchSteps(snapshot, request, matches), turns, keptBytes);
      return reply(snapshot, matches, isComplete);
    } finally {
      snapshot?.release();
      turns.leave();
    }
  }

  async #snapshotOf({ scope, asOf }: SearchRequest): Promise<Snapshot> {
    if (asOf === undefined) return this.#graph.snapshotWithin(scope);
    const { history } = this.#graph;
    return history.snapshotWithin(scope, history.momentOf(asOf));
  }

  /** A search that has to wait keeps what it has found: it is small. */
  async #run<T>(steps: Steps<T>, turns: ScheduledQuery, keptBytes: number): Promise<T> {
    for (;;) {
      if (turns.isInVain(this.#clock.monotonicMs()))
        throw new DomainError('QUERY_TIMEOUT', 'search stopped: its time is over, or its client has gone');
      const sliceEndMs = this.#clock.monotonicMs() + SLICE_MS;
      do {
        const step = steps.next();
        if (step.done === true) return step.value;
      } while (this.#clock.monotonicMs() < sliceEndMs);
      await turns.next(() => undefined, keptBytes);
    }
  }
}

function matchSteps(snapshot: Snapshot, { text, type }: SearchRequest, into: Matches): Steps<boolean> {
  const isWanted = type === undefined ? () => true : snapshot.matcher({ names: [type] });
  const visit = (node: number, score: number): boolean => {
    into.add(node, score);
    return into.count < MATCHES_MAX;
  };
  return snapshot.findNames({ text, isWanted, visit });
}

function reply(snapshot: Snapshot, matches: Matches, isComplete: boolean): SearchReply {
  return {
    count: matches.count,
    complete: isComplete,
    counts: matches.counts(),
    entities: matches.best().map((node) => found(snapshot, node)),
    snapshot_version: snapshot.snapshotVersion,
  };
}

function found(snapshot: Snapshot, node: number): FoundName {
  const { id, type, class: className, key, display_name, properties } = snapshot.entity(node);
  const { name } = properties;
  const isOther = typeof name === 'string' && name !== key && name !== display_name;
  return { id, type, class: className, key, display_name, ...(isOther && { name }) };
}
