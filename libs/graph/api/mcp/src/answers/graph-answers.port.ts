import type { Graph, NeighborOptions, Neighbors } from '#graph/engine';
import type { Scope } from '#graph/model';
import type { FindingsDiff, RatedRule, RuleFindings } from '#graph/policy';
import type { KeptQuery, PlanTree, RecordDiffReply, RowDiffReply } from '#graph/query';
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

/** Two moments; both may be absent with a cursor, which has them. */
export interface SpanAsked {
  readonly from?: string | number | undefined;
  /** Default: now. */
  readonly to?: string | number | undefined;
}

/** Parameters of `GET /v1/diff`. */
export interface DiffAsked extends SpanAsked {
  readonly type?: string | undefined;
  readonly limit: number;
  readonly cursor?: string | undefined;
}

/** Body of `POST /v1/diff`. */
export interface RowDiffAsked extends SpanAsked {
  readonly pql: string;
  readonly params?: Readonly<Record<string, unknown>> | undefined;
  readonly limit: number;
  readonly cursor?: string | undefined;
}

/** Body of `POST /v1/policies/diff`. */
export interface FindingsDiffAsked extends SpanAsked {
  readonly from: string | number;
  readonly rule_ids?: readonly string[] | undefined;
  readonly frameworks?: readonly string[] | undefined;
  /** Most findings of each kind of a rule. */
  readonly limit?: number | undefined;
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
  abstract diffRows(request: RowDiffAsked, signal: AbortSignal): Promise<RowDiffReply>;
  abstract diffFindings(request: FindingsDiffAsked, signal: AbortSignal): Promise<FindingsDiff>;
  abstract search(request: SearchRequest, signal: AbortSignal): Promise<SearchReply>;
  abstract schema(signal: AbortSignal): Promise<SchemaReply>;
  abstract neighbors(id: string, options: NeighborOptions, signal: AbortSignal): Promise<Neighbors>;
  /** The rules with their last runs, without an evaluation; for a scope, with runs in that scope. */
  abstract rules(signal: AbortSignal): Promise<readonly RatedRule[]>;
  /** The current findings of a rule; nothing is stored. */
  abstract findings(ruleId: string, limit: number, signal: AbortSignal): Promise<RuleFindings>;
  abstract savedQueries(signal: AbortSignal): Promise<readonly KeptQuery[]>;
}
