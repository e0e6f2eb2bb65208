import type { NeighborOptions, Neighbors } from '#graph/engine';
import type {
  DiffAsked,
  FindingsDiffAsked,
  GraphAnswers,
  PqlReply,
  PqlRequest,
  RowDiffAsked,
  SchemaReply,
} from '#graph/api/mcp';
import type { FindingsDiff, RatedRule, RuleFindings } from '#graph/policy';
import type { KeptQuery, RecordDiffReply, RowDiffReply } from '#graph/query';
import type { SearchReply, SearchRequest } from '#graph/search';
import type { HttpTarget } from '../target/http-target.ts';

/** Answers from a server over REST. */
export class HttpAnswers implements GraphAnswers {
  /** The server answers its key's scope. */
  within(): GraphAnswers {
    return this;
  }

  readonly #target: Pick<HttpTarget, 'get' | 'post'>;

  constructor(target: Pick<HttpTarget, 'get' | 'post'>) {
    this.#target = target;
  }

  query(request: PqlRequest, signal: AbortSignal): Promise<PqlReply> {
    return this.#target.post('/v1/query', request, signal);
  }

  diff(request: DiffAsked, signal: AbortSignal): Promise<RecordDiffReply> {
    return this.#target.get(`/v1/diff?${queryOf({ ...request })}`, signal);
  }

  diffRows(request: RowDiffAsked, signal: AbortSignal): Promise<RowDiffReply> {
    return this.#target.post('/v1/diff', request, signal);
  }

  diffFindings(request: FindingsDiffAsked, signal?: AbortSignal): Promise<FindingsDiff> {
    return this.#target.post('/v1/policies/diff', request, signal);
  }

  search({ text, ...options }: SearchRequest, signal: AbortSignal): Promise<SearchReply> {
    return this.#target.get(`/v1/search?${queryOf({ q: text, ...options })}`, signal);
  }

  schema(signal: AbortSignal): Promise<SchemaReply> {
    return this.#target.get('/v1/schema', signal);
  }

  neighbors(id: string, options: NeighborOptions, signal: AbortSignal): Promise<Neighbors> {
    return this.#target.get(
      `/v1/entities/${encodeURIComponent(id)}/neighbors?${queryOf({ ...options })}`,
      signal,
    );
  }

  async rules(signal: AbortSignal): Promise<readonly RatedRule[]> {
    const { rules } = await this.#target.get<{ rules: readonly RatedRule[] }>('/v1/policies', signal);
    return rules;
  }

  findings(ruleId: string, limit: number, signal: AbortSignal): Promise<RuleFindings> {
    return this.#target.get(`/v1/policies/${encodeURIComponent(ruleId)}/findings?limit=${limit}`, signal);
  }

  async savedQueries(signal: AbortSignal): Promise<readonly KeptQuery[]> {
    const { queries } = await this.#target.get<{ queries: readonly KeptQuery[] }>('/v1/queries', signal);
    return queries;
  }
}

function queryOf(parameters: Readonly<Record<string, unknown>>): string {
  const given = Object.entries(parameters).filter(([, value]) => value !== undefined);
  return String(new URLSearchParams(given.map(([name, value]): [string, string] => [name, String(value)])));
}
