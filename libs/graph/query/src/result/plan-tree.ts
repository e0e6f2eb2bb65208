/** A plan as a person reads it: what is done, to what, and how much of it is expected. */
export interface PlanTree {
  /** `Select`, `Hop`, `Keep`, `Absent`, `Rows`, `Group`, `Order`, … */
  readonly operator: string;
  /** What it works on, in the words of PQL. */
  readonly detail: string;
  readonly estimated_rows?: number;
  /** PROFILE only, as `ms`. */
  readonly actual_rows?: number;
  /** With what it works on. */
  readonly ms?: number;
  readonly children: readonly PlanTree[];
}
