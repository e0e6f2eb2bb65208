import type { Graph, NeighborOptions, Neighbors } from '#graph/engine';
import type { RatedRule, RuleFindings } from '#graph/policy';
import type { KeptQuery, PlanTree } from '#graph/query';

/** A question in PQL, as `POST /v1/query` takes it. */
export interface PqlRequest {
  readonly pql: string;
  readonly params?: Readonly<Record<string, unknown>> | undefined;
  readonly limit?: number | undefined;
  readonly timeout_ms?: number | undefined;
}

/** What is answered to it. */
export interface PqlReply {
  readonly count: number;
  readonly entities: readonly unknown[];
  readonly columns?: readonly string[];
  readonly rows?: readonly unknown[];
  readonly groups?: readonly unknown[];
  readonly paths?: readonly unknown[];
  readonly impacted?: readonly unknown[];
  readonly impacted_by_class?: Readonly<Record<string, number>>;
  readonly plan?: PlanTree;
  readonly warnings: readonly { readonly code: string; readonly message: string }[];
  readonly snapshot_version: number;
  readonly took_ms: number;
}

export type SchemaReply = ReturnType<Graph['schema']>;

/**
 * All that the tools ask of a graph: of the services of this process, or of a server over REST. Nothing of
 * it writes. A signal that is aborted ends the work; failures are DomainErrors.
 */
export abstract class GraphAnswers {
  abstract query(request: PqlRequest, signal: AbortSignal): Promise<PqlReply>;
  abstract schema(signal: AbortSignal): Promise<SchemaReply>;
  abstract neighbors(id: string, options: NeighborOptions, signal: AbortSignal): Promise<Neighbors>;
  /** With their last runs; none is evaluated. */
  abstract rules(signal: AbortSignal): Promise<readonly RatedRule[]>;
  /** What a rule finds now; nothing of it is kept. */
  abstract findings(ruleId: string, limit: number, signal: AbortSignal): Promise<RuleFindings>;
  abstract savedQueries(signal: AbortSignal): Promise<readonly KeptQuery[]>;
}
