import type { Graph, NeighborOptions, Neighbors } from '#graph/engine';
import type { Scope } from '#graph/model';
import type { FindingsDiff, Policies, RatedRule, RuleFindings } from '#graph/policy';
import {
  type KeptQuery,
  parseQueryRequest,
  type QueryService,
  type RecordDiffReply,
  type RowDiffReply,
  type SavedQueries,
} from '#graph/query';
import type { SearchReply, SearchRequest, SearchService } from '#graph/search';
import { inTurns } from '#platform/foundation';
import type {
  DiffAsked,
  FindingsDiffAsked,
  GraphAnswers,
  PqlReply,
  PqlRequest,
  RowDiffAsked,
  SchemaReply,
} from './graph-answers.port.ts';
import type { HistoryAnswers } from './history-answers.ts';

/** Answers from the services of this process, which REST uses as well. */
export class ServiceAnswers implements GraphAnswers {
  readonly #graph: Pick<Graph, 'schema' | 'schemaWithin' | 'neighbors'>;
  readonly #queries: Pick<QueryService, 'page'>;
  readonly #search: Pick<SearchService, 'search'>;
  readonly #policies: Pick<Policies, 'rules' | 'within'>;
  readonly #saved: Pick<SavedQueries, 'list'>;
  readonly #history: HistoryAnswers;
  readonly #scope: Scope | undefined;

  constructor(
    graph: Pick<Graph, 'schema' | 'schemaWithin' | 'neighbors'>,
    queries: Pick<QueryService, 'page'>,
    search: Pick<SearchService, 'search'>,
    policies: Pick<Policies, 'rules' | 'within'>,
    saved: Pick<SavedQueries, 'list'>,
    history: HistoryAnswers,
    scope?: Scope,
  ) {
    this.#graph = graph;
    this.#queries = queries;
    this.#search = search;
    this.#policies = policies;
    this.#saved = saved;
    this.#history = history;
    this.#scope = scope;
  }

  within(scope: Scope | undefined): GraphAnswers {
    if (scope === undefined) return this;
    return new ServiceAnswers(
      this.#graph,
      this.#queries,
      this.#search,
      this.#policies,
      this.#saved,
      this.#history,
      scope,
    );
  }

  async query(request: PqlRequest, signal: AbortSignal): Promise<PqlReply> {
    const bytes = await this.#queries.page({ ...parseQueryRequest(request), scope: this.#scope }, signal);
    return JSON.parse(bytes.toString('utf8')) as PqlReply;
  }

  diff(request: DiffAsked, signal: AbortSignal): Promise<RecordDiffReply> {
    return this.#history.records(request, signal);
  }

  diffRows(request: RowDiffAsked, signal: AbortSignal): Promise<RowDiffReply> {
    return this.#history.rows(request, this.#scope, signal);
  }

  diffFindings(request: FindingsDiffAsked): Promise<FindingsDiff> {
    return this.#history.findings(request);
  }

  search(request: SearchRequest, signal: AbortSignal): Promise<SearchReply> {
    return this.#search.search({ ...request, scope: this.#scope }, signal);
  }

  async schema(): Promise<SchemaReply> {
    return this.#scope === undefined ? this.#graph.schema() : inTurns(this.#graph.schemaWithin(this.#scope));
  }

  async neighbors(id: string, options: NeighborOptions): Promise<Neighbors> {
    return this.#graph.neighbors(id, { ...options, scope: this.#scope });
  }

  async rules(): Promise<readonly RatedRule[]> {
    const rules = this.#policies.rules.list().map(({ rule }) => rule);
    return this.#policies.within(this.#scope).rated(rules);
  }

  findings(ruleId: string, limit: number): Promise<RuleFindings> {
    return this.#policies.within(this.#scope).findings(ruleId, limit);
  }

  async savedQueries(): Promise<readonly KeptQuery[]> {
    return this.#saved.list();
  }
}
