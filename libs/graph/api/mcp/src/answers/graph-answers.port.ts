import type { Graph, NeighborOptions, Neighbors } from '#graph/engine';
import type { Scope } from '#graph/model';
import type { RatedRule, RuleFindings } from '#graph/policy';
import type { KeptQuery, PlanTree, RecordDiffReply } from '#graph/query';
import type { SearchReply, SearchRequest } from '#graph/search';

/** A PQL query in the form of `POST /v1/query`. */
export interface PqlRequest {
  readonly pql: string;
  readonly params?: Readonly<Record<string, unknown>> | undefined;
  readonly limit?: number | undefined;
  readonly timeout_ms?: number | undefined;
  /** A time, a sequence number, or a Plexus-Seq. */
  readonly as_of?: string | number | undefined;
}

/** Parameters of `GET /v1/diff`. */
export interface DiffAsked {
  readonly from: string | number;
  readonly to?: string | number | undefined;
  readonly type?: string | undefined;
  readonly limit: number;
}

export interface PqlWarning {
  readonly code: string;
  readonly message: string;
  /** Offset in the query text, if any. */
  readonly position?: number;
}

/** The reply to a query. */
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
  readonly warnings: readonly PqlWarning[];
  readonly snapshot_version: number;
  readonly took_ms: number;
}

export type SchemaReply = ReturnType<Graph['schema']>;

/**
 * The read-only operations that the tools need, from the services of this process or from a server over REST.
 * Aborting the signal ends the work; failures are DomainErrors.
 */
export abstract class GraphAnswers {
  /** The same, from the part of the graph that exists in a scope. */
  abstract within(scope: Scope | undefined): GraphAnswers;
  abstract query(request: PqlRequest, signal: AbortSignal): Promise<PqlReply>;
  abstract diff(request: DiffAsked, signal: AbortSignal): Promise<RecordDiffReply>;
  abstract search(request: SearchRequest, signal: AbortSignal): Promise<SearchReply>;
  abstract schema(signal: AbortSignal): Promise<SchemaReply>;
  abstract neighbors(id: string, options: NeighborOptions, signal: AbortSignal): Promise<Neighbors>;
  /** The rules with their last runs, without an evaluation; for a scope, with runs in that scope. */
  abstract rules(signal: AbortSignal): Promise<readonly RatedRule[]>;
  /** The current findings of a rule; nothing is stored. */
  abstract findings(ruleId: string, limit: number, signal: AbortSignal): Promise<RuleFindings>;
  abstract savedQueries(signal: AbortSignal): Promise<readonly KeptQuery[]>;
}
