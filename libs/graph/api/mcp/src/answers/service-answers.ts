import { type Graph, type NeighborOptions, type Neighbors, parseMoment } from '#graph/engine';
import type { Scope } from '#graph/model';
import type { Policies, RatedRule, RuleFindings } from '#graph/policy';
import {
  type DiffService,
  type KeptQuery,
  parseQueryRequest,
  type QueryService,
  type RecordDiffReply,
  type SavedQueries,
} from '#graph/query';
import type { SearchReply, SearchRequest, SearchService } from '#graph/search';
import { inTurns } from '#platform/foundation';
import type { DiffAsked, GraphAnswers, PqlReply, PqlRequest, SchemaReply } from './graph-answers.port.ts';

/** Answers from the services of this process, which REST uses as well. */
export class ServiceAnswers implements GraphAnswers {
  readonly #graph: Pick<Graph, 'schema' | 'schemaWithin' | 'neighbors'>;
  readonly #queries: Pick<QueryService, 'page'>;
  readonly #search: Pick<SearchService, 'search'>;
  readonly #policies: Pick<Policies, 'rules' | 'within'>;
  readonly #saved: Pick<SavedQueries, 'list'>;
  readonly #diffs: Pick<DiffService, 'records'>;
  readonly #scope: Scope | undefined;

  constructor(
    graph: Pick<Graph, 'schema' | 'schemaWithin' | 'neighbors'>,
    queries: Pick<QueryService, 'page'>,
    search: Pick<SearchService, 'search'>,
    policies: Pick<Policies, 'rules' | 'within'>,
    saved: Pick<SavedQueries, 'list'>,
    diffs: Pick<DiffService, 'records'>,
    scope?: Scope,
  ) {
    this.#graph = graph;
    this.#queries = queries;
    this.#search = search;
    this.#policies = policies;
    this.#saved = saved;
    this.#diffs = diffs;
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
      this.#diffs,
      scope,
    );
  }

  async query(request: PqlRequest, signal: AbortSignal): Promise<PqlReply> {
    const bytes = await this.#queries.page({ ...parseQueryRequest(request), scope: this.#scope }, signal);
    return JSON.parse(bytes.toString('utf8')) as PqlReply;
  }

  async diff({ from, to, type, limit }: DiffAsked, signal: AbortSignal): Promise<RecordDiffReply> {
    const span = {
      from: parseMoment(from, 'from'),
      to: to === undefined ? undefined : parseMoment(to, 'to'),
    };
    return this.#diffs.records({ ...span, type, limit }, signal);
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
