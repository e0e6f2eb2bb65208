import { type ApiError, dataOf } from '../../kit/session/api-error.ts';
import { faultOf } from '../../kit/session/loaded.svelte.ts';
import { diffQuery } from '../api/generated/sdk.gen.ts';
import type { RowDiffReplyDto } from '../api/generated/types.gen.ts';
import { type GraphData, graphOf } from '../graph/graph-data.ts';
import { readEdges } from '../graph/read-graph.ts';
import { QueryRun, rowCount } from '../results/query-run.svelte.ts';
import { type ComparedGraph, compareGraphs } from '../graph/compare-graphs.ts';

/** Rows of either moment that are compared as a graph. */
const ROWS_MAX = 20_000;
const PAGE_ROWS = 1_000;

export interface ComparedQuery {
  readonly text: string;
  readonly params: Readonly<Record<string, unknown>>;
  /** RFC 3339: the earlier moment. */
  readonly since: string;
  /** The later one; undefined: now. */
  readonly asOf: string | undefined;
}

/** The result of a query at two moments: the rows that came and went, and what differs in the graph. */
export class Comparison {
  #state = $state<'idle' | 'running' | 'done' | 'failed'>('idle');
  #asked = $state.raw<ComparedQuery | undefined>();
  #fault = $state.raw<ApiError | undefined>();
  #pages = $state.raw<readonly RowDiffReplyDto[]>([]);
  #graph = $state.raw<ComparedGraph | undefined>();
  #isLoadingMore = $state(false);
  #abort: AbortController | undefined;

  get state(): 'idle' | 'running' | 'done' | 'failed' {
    return this.#state;
  }

  get asked(): ComparedQuery | undefined {
    return this.#asked;
  }

  get fault(): ApiError | undefined {
    return this.#fault;
  }

  /** The rows that came and went. */
  get pages(): readonly RowDiffReplyDto[] {
    return this.#pages;
  }

  /** Undefined where it is not known: one of the results is too large, or was not read whole. */
  get graph(): ComparedGraph | undefined {
    return this.#graph;
  }

  get hasMore(): boolean {
    return this.#pages.at(-1)?.cursor !== undefined;
  }

  clear(): void {
    this.#abort?.abort();
    this.#abort = undefined;
    this.#state = 'idle';
    this.#asked = undefined;
    this.#pages = [];
    this.#graph = undefined;
    this.#fault = undefined;
  }

  /** Compares the result of now, or of the later moment, with that of the earlier one. */
  async start(asked: ComparedQuery, after: QueryRun): Promise<void> {
    this.clear();
    const abort = new AbortController();
    this.#abort = abort;
    this.#asked = asked;
    this.#state = 'running';
    try {
      const [page, graph] = await Promise.all([
        this.#readRows(undefined, abort.signal),
        readComparedGraph(asked, after, abort.signal),
      ]);
      if (this.#abort !== abort) return;
      this.#pages = [page];
      this.#graph = graph;
      this.#state = 'done';
    } catch (error) {
      if (this.#abort !== abort) return;
      this.#fault = faultOf(error);
      this.#state = 'failed';
    }
  }

  async loadMore(): Promise<void> {
    const cursor = this.#pages.at(-1)?.cursor;
    const abort = this.#abort;
    if (cursor === undefined || abort === undefined || this.#isLoadingMore) return;
    this.#isLoadingMore = true;
    try {
      const page = await this.#readRows(cursor, abort.signal);
      if (this.#abort === abort) this.#pages = [...this.#pages, page];
    } catch (error) {
      if (this.#abort === abort) this.#fault = faultOf(error);
    } finally {
      this.#isLoadingMore = false;
    }
  }

  #readRows(cursor: string | undefined, signal: AbortSignal): Promise<RowDiffReplyDto> {
    const { text: pql, params, since: from, asOf: to } = this.#asked ?? NOTHING;
    const span = cursor === undefined ? { from, ...(to !== undefined && { to }) } : { cursor };
    const body = { pql, params: { ...params }, ...span, limit: PAGE_ROWS };
    return dataOf(diffQuery({ body, signal }));
  }
}

const NOTHING: ComparedQuery = { text: '', params: {}, since: '', asOf: undefined };

async function readComparedGraph(
  { text, params, since, asOf }: ComparedQuery,
  after: QueryRun,
  signal: AbortSignal,
): Promise<ComparedGraph | undefined> {
  const before = new QueryRun();
  signal.addEventListener('abort', () => before.stop());
  await before.start({ language: 'pql', text, params, mode: 'run', asOf: since });
  if (before.fault !== undefined) throw before.fault;
  await Promise.all([loadWhole(before), loadWhole(after)]);
  if (before.hasMore || after.hasMore || before.state !== 'done' || after.state !== 'done') return undefined;
  const [was, is] = [graphOf(before.pages), graphOf(after.pages)];
  if (was.edges.length + is.edges.length > 0) return compareGraphs(was, is);
  const [old, now] = await Promise.all([
    withEdges(was, { asOf: since, signal }),
    withEdges(is, { asOf, signal }),
  ]);
  return old === undefined || now === undefined ? undefined : compareGraphs(old, now);
}

async function loadWhole(run: QueryRun): Promise<void> {
  const count = run.pages[0]?.count ?? 0;
  if (count <= ROWS_MAX && rowCount(run.pages) < count) await run.loadUntil(ROWS_MAX);
}

/** Undefined if there are too many. */
async function withEdges(
  { nodes }: GraphData,
  reading: { readonly asOf: string | undefined; readonly signal: AbortSignal },
): Promise<GraphData | undefined> {
  const ids = nodes.map(({ id }) => id);
  const { edges, isCut } = await readEdges(ids, reading);
  return isCut ? undefined : { nodes, edges };
}
