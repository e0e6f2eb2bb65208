import type { Graph, NeighborOptions, Neighbors } from '#graph/engine';
import type { Policies, RatedRule, RuleFindings } from '#graph/policy';
import { type KeptQuery, parseQueryRequest, type QueryService, type SavedQueries } from '#graph/query';
import type { SearchReply, SearchRequest, SearchService } from '#graph/search';
import type { GraphAnswers, PqlReply, PqlRequest, SchemaReply } from './graph-answers.port.ts';

/** Answers from the services of this process, which REST uses as well. */
export class ServiceAnswers implements GraphAnswers {
  readonly #graph: Pick<Graph, 'schema' | 'neighbors'>;
  readonly #queries: Pick<QueryService, 'page'>;
  readonly #search: Pick<SearchService, 'search'>;
  readonly #policies: Pick<Policies, 'rules' | 'rated' | 'findings'>;
  readonly #saved: Pick<SavedQueries, 'list'>;

  constructor(
    graph: Pick<Graph, 'schema' | 'neighbors'>,
    queries: Pick<QueryService, 'page'>,
    search: Pick<SearchService, 'search'>,
    policies: Pick<Policies, 'rules' | 'rated' | 'findings'>,
    saved: Pick<SavedQueries, 'list'>,
  ) {
    this.#graph = graph;
    this.#queries = queries;
    this.#search = search;
    this.#policies = policies;
    this.#saved = saved;
  }

  async query(request: PqlRequest, signal: AbortSignal): Promise<PqlReply> {
    const bytes = await this.#queries.page(parseQueryRequest(request), signal);
    return JSON.parse(bytes.toString('utf8')) as PqlReply;
  }

  search(request: SearchRequest, signal: AbortSignal): Promise<SearchReply> {
    return this.#search.search(request, signal);
  }

  async schema(): Promise<SchemaReply> {
    return this.#graph.schema();
  }

  async neighbors(id: string, options: NeighborOptions): Promise<Neighbors> {
    return this.#graph.neighbors(id, options);
  }

  async rules(): Promise<readonly RatedRule[]> {
    return this.#policies.rules.list().map(({ rule }) => this.#policies.rated(rule));
  }

  findings(ruleId: string, limit: number): Promise<RuleFindings> {
    return this.#policies.findings(ruleId, limit);
  }

  async savedQueries(): Promise<readonly KeptQuery[]> {
    return this.#saved.list();
  }
}
