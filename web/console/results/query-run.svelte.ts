import type { Diagnostic } from '@codemirror/lint';
import { ApiError, dataOf } from '../../kit/session/api-error.ts';
import { cypher, formatQuery, query } from '../api/generated/sdk.gen.ts';
import type { CypherDto, QueryReplyDto } from '../api/generated/types.gen.ts';
import { changesOf, pageOfCypher } from './cypher-page.ts';

export type QueryLanguage = 'pql' | 'cypher';
export type QueryMode = 'run' | 'explain' | 'profile';
export type RunState = 'idle' | 'running' | 'done' | 'failed' | 'stopped';

export interface AskedQuery {
  readonly language: QueryLanguage;
  readonly text: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly mode: QueryMode;
  /** RFC 3339; default: now. */
  readonly asOf?: string | undefined;
}

const PREFIXES = { run: '', explain: 'EXPLAIN ', profile: 'PROFILE ' } as const;
const PAGE_ROWS = 1_000;
const LARGE_PAGE_ROWS = 10_000;
/** Maximum number of rows in a table. */
export const ROWS_MAX = 100_000;

/** Runs one query at a time: its state, and the pages of its reply. */
export class QueryRun {
  #state = $state<RunState>('idle');
  #asked = $state.raw<AskedQuery | undefined>();
  #answered = $state.raw<AskedQuery | undefined>();
  #pages = $state.raw<readonly QueryReplyDto[]>([]);
  #fault = $state.raw<ApiError | undefined>();
  #changes = $state.raw<readonly string[]>([]);
  #isLoadingMore = $state(false);
  #moreFault = $state.raw<ApiError | undefined>();
  #abort: AbortController | undefined;

  get state(): RunState {
    return this.#state;
  }

  get asked(): AskedQuery | undefined {
    return this.#asked;
  }

  /** What the pages answer: not what runs, has failed or was stopped since. */
  get answered(): AskedQuery | undefined {
    return this.#answered;
  }

  get pages(): readonly QueryReplyDto[] {
    return this.#pages;
  }

  /** What the last statement has changed. */
  get changes(): readonly string[] {
    return this.#changes;
  }

  get fault(): ApiError | undefined {
    return this.#fault;
  }

  /** Whether a further page is loading. */
  get isLoadingMore(): boolean {
    return this.#isLoadingMore;
  }

  /** Why the last further page could not be loaded; the pages before it stay. */
  get moreFault(): ApiError | undefined {
    return this.#moreFault;
  }

  /** Whether the service has more rows. */
  get hasMore(): boolean {
    return this.#pages.at(-1)?.cursor !== undefined;
  }

  /** Stops the current query. The service stops it too, when the connection closes. */
  stop(): void {
    this.#abort?.abort();
  }

  async start(asked: AskedQuery): Promise<void> {
    this.stop();
    this.#asked = asked;
    this.#state = 'running';
    this.#fault = undefined;
    this.#moreFault = undefined;
    const text = PREFIXES[asked.mode] + withoutMode(asked.text);
    const given = { params: { ...asked.params }, ...(asked.asOf !== undefined && { as_of: asked.asOf }) };
    const page =
      asked.language === 'cypher'
        ? await this.#askCypher({ cypher: text, ...given })
        : await this.#ask({ pql: text, ...given, limit: PAGE_ROWS });
    if (page === undefined) return;
    this.#answered = asked;
    if (asked.language === 'pql') this.#changes = [];
    this.#pages = [page];
    this.#state = 'done';
  }

  /** The formatted query; undefined for an invalid one, which is reported like a failed run. */
  async format(pql: string): Promise<string | undefined> {
    try {
      return (await dataOf(formatQuery({ body: { pql } }))).pql;
    } catch (error) {
      this.#asked = { language: 'pql', text: pql, params: {}, mode: 'run' };
      this.#fail(error, false);
      return undefined;
    }
  }

  /** Loads pages until `rows` are present, at most {@link ROWS_MAX}; concurrent calls return at once. */
  async loadUntil(rows: number): Promise<void> {
    if (this.#isLoadingMore || this.#state === 'running') return;
    this.#isLoadingMore = true;
    this.#moreFault = undefined;
    const target = Math.min(rows, ROWS_MAX);
    while (this.hasMore && rowCount(this.#pages) < target) {
      const missing = target - rowCount(this.#pages);
      const limit = missing > PAGE_ROWS ? LARGE_PAGE_ROWS : PAGE_ROWS;
      const cursor = this.#pages.at(-1)?.cursor ?? '';
      const page = await this.#ask({ cursor, limit });
      if (page === undefined) break;
      this.#pages = [...this.#pages, page];
    }
    this.#isLoadingMore = false;
  }

  /** The whole result; more rows than a page can have are refused by the service. */
  async #askCypher(asked: CypherDto): Promise<QueryReplyDto | undefined> {
    const abort = new AbortController();
    this.#abort = abort;
    const startMs = performance.now();
    try {
      const body = { ...asked, limit: LARGE_PAGE_ROWS };
      const reply = await dataOf(cypher({ body, signal: abort.signal }));
      if (this.#abort !== abort || typeof reply === 'string') return undefined;
      this.#changes = changesOf(reply);
      return pageOfCypher(reply, performance.now() - startMs);
    } catch (error) {
      if (this.#abort === abort) this.#fail(error, abort.signal.aborted);
      return undefined;
    }
  }

  /** Undefined when it failed, or another query has started meanwhile. */
  async #ask(
    body: NonNullable<NonNullable<Parameters<typeof query>[0]>['body']>,
  ): Promise<QueryReplyDto | undefined> {
    const abort = new AbortController();
    this.#abort = abort;
    try {
      const reply = await dataOf(query({ body, signal: abort.signal }));
      if (this.#abort !== abort) return undefined;
      return typeof reply === 'string' ? undefined : reply;
    } catch (error) {
      if (this.#abort !== abort) return undefined;
      if (!('cursor' in body)) this.#fail(error, abort.signal.aborted);
      else if (!abort.signal.aborted) this.#moreFault = asApiError(error);
      return undefined;
    }
  }

  #fail(error: unknown, isStopped: boolean): void {
    this.#state = isStopped ? 'stopped' : 'failed';
    this.#fault = isStopped ? undefined : asApiError(error);
  }
}

function asApiError(error: unknown): ApiError {
  return error instanceof ApiError ? error : new ApiError('NO_ANSWER', String(error));
}

/** The number of rows, groups, paths or entities in the pages. */
export function rowCount(pages: readonly QueryReplyDto[]): number {
  return pages.reduce((sum, page) => sum + itemsOf(page).length, 0);
}

function itemsOf({ rows, groups, paths, impacted, entities }: QueryReplyDto): readonly unknown[] {
  return rows ?? groups ?? paths ?? impacted ?? entities;
}

/** The position of the last fault, while its text is unchanged. */
export function diagnosticOf({ fault: error, asked }: QueryRun, text: string): Diagnostic | undefined {
  const position = error?.details['position'];
  if (error === undefined || typeof position !== 'number' || asked?.text !== text) return undefined;
  const { length, hint } = error.details;
  const from = Math.max(0, position - shiftOf(asked));
  const to = from + Math.max(1, typeof length === 'number' ? length : 1);
  const message = typeof hint === 'string' ? `${error.message}\nHint: ${hint}` : error.message;
  return { from, to, severity: 'error', message };
}

/** The number of characters before the text in what was sent, which places of faults count. */
function shiftOf({ mode, text }: AskedQuery): number {
  return PREFIXES[mode].length + withoutMode(text).length - text.length;
}

function withoutMode(pql: string): string {
  return pql.replace(/^\s*(?:EXPLAIN|PROFILE)\b/i, '');
}
