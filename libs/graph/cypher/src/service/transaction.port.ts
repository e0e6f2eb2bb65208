/** What the doors of Cypher share, REST, the command line and Bolt: statements in transactions. */
import type { AskedMoment } from '#graph/engine';
import type { Scope, Warning } from '#graph/model';
import type { HangUp } from '#platform/foundation';
import type { PropertyGraph } from '../graph/property-graph.port.ts';
import type { CypherMap, Value } from '../value/value.ts';
import type { PlanOperator } from './plan-operator.ts';
import type { Counters } from '../overlay/counters.ts';

export interface TransactionOptions {
  /** A statement that writes in a transaction that reads is an error. */
  readonly access: 'read' | 'write';
  /** Shortens the service’s own limit of the whole transaction. */
  readonly timeoutMs?: number | undefined;
  /**
   * `source`: the source of what is written, default `cypher`. `sources`: a list of further sources, or `*`,
   * whose records may be deleted.
   */
  readonly metadata?: CypherMap | undefined;
  /** The graph as it was, which is only read; default: `as_of` of the metadata. */
  readonly asOf?: AskedMoment | undefined;
  /** `Plexus-Seq` tokens: the transaction sees everything up to them. */
  readonly bookmarks?: readonly string[] | undefined;
  /** Its name; default: that which REST and PQL serve. */
  readonly database?: string | undefined;
  /** The database `system`, which tells of databases and of the server, and has no graph. */
  readonly isSystem?: boolean | undefined;
  /** The part of the graph that exists for the caller, who then only reads; default: all of it. */
  readonly scope?: Scope | undefined;
  /** Throws for a kind of statement that the caller may not run; called before each runs. */
  readonly admit?: ((kind: StatementKind) => void) | undefined;
}

export interface StatementText {
  readonly text: string;
  readonly parameters: CypherMap;
}

/** Implemented by `TransactionService`. */
export interface Transactions {
  /**
   * Runs a statement in a transaction of its own, whose changes are durable when this resolves. A conflict
   * with another transaction is repeated within the time limit. `hangUp` stops it at once. The result of a
   * statement that reads holds a snapshot until its last row is taken, or it is closed.
   */
  run(statement: StatementText, options: TransactionOptions, hangUp: HangUp): Promise<StatementResult>;
  begin(options: TransactionOptions, hangUp: HangUp): Promise<Transaction>;
}

/** Those of a server with several databases. */
export interface DatabaseTransactions extends Transactions {
  /** The name by which a database is known; throws CYPHER_FAILED if there is none of that name. */
  nameOf(asked: string | undefined): string;
}

/** An explicit transaction: one snapshot, and its own changes over it. One call at a time. */
export interface Transaction {
  /** False after its end, by commit, rollback, an error of a statement, or its time limit. */
  readonly isOpen: boolean;
  /** An error ends the transaction: nothing of it is kept. */
  run(statement: StatementText, hangUp: HangUp): Promise<StatementResult>;
  /**
   * Resolves with the bookmark, when everything is durable. Throws CONFLICT where another transaction has
   * committed a change of the same records first; the transaction has ended in any case.
   */
  commit(): Promise<string>;
  /** Drops the changes; does nothing after the end. */
  rollback(): void;
}

/** `r` reads, `rw` reads and writes, `w` writes without rows, `s` changes indexes or constraints. */
export type StatementKind = 'r' | 'rw' | 'w' | 's';

/** A hint about a statement that has succeeded. */
export interface Notification {
  /** The code that Neo4j gives such a notification. */
  readonly code: string;
  readonly title: string;
  readonly description: string;
  readonly severity: 'INFORMATION' | 'WARNING';
  /** The same as other interfaces show it. */
  readonly warning?: Warning | undefined;
}

/** A plan; after PROFILE with what each operator did. */
export interface StatementPlan {
  readonly isProfiled: boolean;
  readonly root: PlanOperator;
}

export interface StatementSummary {
  readonly kind: StatementKind;
  readonly counters: Counters;
  readonly notifications: readonly Notification[];
  /** The plan, for a statement after EXPLAIN or PROFILE. */
  readonly plan?: StatementPlan | undefined;
  /** Bookmark of a statement alone; undefined inside an explicit transaction. */
  readonly bookmark: string | undefined;
}

/**
 * Rows. Those of a statement that reads are made as they are taken, so that a result of any length takes no
 * more memory than its operators need; the others were counted against the memory of statements.
 */
export interface StatementResult {
  readonly columns: readonly string[];
  /** What the nodes and relationships in the rows are. Until the transaction runs its next statement. */
  readonly graph: PropertyGraph;
  readonly summary: StatementSummary;
  /** Whether there may be rows that have not been taken. */
  readonly hasMore: boolean;
  /**
   * The next rows, at most `count`; none only at the end. Rejects with the errors of the statement, which end
   * the transaction. The transaction's next statement closes the result.
   */
  take(count: number): Promise<readonly (readonly Value[])[]>;
  /** Drops the remaining rows, and releases what they need. */
  close(): void;
}
