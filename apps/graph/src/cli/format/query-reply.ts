import type { Entity, Relationship, Warning } from '#graph/model';
import type { PlanTree } from '#graph/query';

/** One path of a reply. */
export interface ReplyPath {
  readonly hops: number;
  readonly nodes: readonly Entity[];
  readonly relationships: readonly Relationship[];
}

/** The body of a query's reply. */
export interface QueryReply {
  readonly count: number;
  readonly entities: readonly Entity[];
  readonly groups?: readonly Readonly<Record<string, unknown>>[];
  readonly columns?: readonly string[];
  readonly rows?: readonly (readonly unknown[])[];
  readonly paths?: readonly ReplyPath[];
  readonly impacted?: readonly Readonly<Record<string, unknown>>[];
  readonly plan?: PlanTree;
  readonly warnings: readonly Warning[];
  readonly cursor?: string;
}
