/** A step of a plan, as replies have it. */
export interface PlanOperator {
  readonly operator: string;
  /** Variables of the result; empty below the root. */
  readonly identifiers: readonly string[];
  /** Places of the statement, and what else there is to say. */
  readonly details: string;
  /** Estimated number of rows, if the planner knows it. */
  readonly estimated_rows?: number;
  /** These after PROFILE only: rows that came out, reads of the graph, milliseconds of its own. */
  readonly rows?: number;
  readonly hits?: number;
  readonly time_ms?: number;
  readonly children: readonly PlanOperator[];
}
