import type { Graph, NeighborOptions, Neighbors } from '#graph/engine';
import type { Policies, RatedRule, RuleFindings } from '#graph/policy';
import { type KeptQuery, parseQueryRequest, type QueryService, type SavedQueries } from '#graph/query';
import type { GraphAnswers, PqlReply, PqlRequest, SchemaReply } from './graph-answers.port.ts';

export interface ServiceAnswersParts {
  readonly graph: Pick<Graph, 'schema' | 'neighbors'>;
  readonly queries: Pick<QueryService, 'page'>;
  readonly policies: Pick<Policies, 'rules' | 'rated' | 'findings'>;
  readonly saved: Pick<SavedQueries, 'list'>;
}

/** Answers from the services of this process, which REST uses as well. */
export class ServiceAnswers implements GraphAnswers {
  readonly #parts: ServiceAnswersParts;

  constructor(parts: ServiceAnswersParts) {
    this.#parts = parts;
  }

  async query(request: PqlRequest, signal: AbortSignal): Promise<PqlReply> {
    const bytes = await this.#parts.queries.page(parseQueryRequest(request), signal);
    return JSON.parse(bytes.toString('utf8')) as PqlReply;
  }

  async schema(): Promise<SchemaReply> {
    return this.#parts.graph.schema();
  }

  async neighbors(id: string, options: NeighborOptions): Promise<Neighbors> {
    return this.#parts.graph.neighbors(id, options);
  }

  async rules(): Promise<readonly RatedRule[]> {
    const { policies } = this.#parts;
    return policies.rules.list().map(({ rule }) => policies.rated(rule));
  }

  findings(ruleId: string, limit: number): Promise<RuleFindings> {
    return this.#parts.policies.findings(ruleId, limit);
  }

  async savedQueries(): Promise<readonly KeptQuery[]> {
    return this.#parts.saved.list();
  }
}
