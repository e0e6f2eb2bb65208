/** A step of a plan, as replies have it. */
export interface PlanOperator {
  readonly operator: string;
  /** Variables of the result; empty below the root. */
  readonly identifiers: readonly string[];
  /** Places of the statement, and what else there is to say. */
  readonly details: string;
  /** Estimated number of rows, if the planner knows it. */
  readonly estimated_rows?: number;
  /** After PROFILE only, as the next two: rows that came out. */
  readonly rows?: number;
  /** Reads of the graph; absent where a search of whole sets counts none. */
  readonly hits?: number;
  /** Milliseconds of its own. */
  readonly time_ms?: number;
  readonly children: readonly PlanOperator[];
}
