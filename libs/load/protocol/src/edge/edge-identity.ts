/** Who an edge says it is when it registers. */
export interface EdgeIdentity {
  readonly edgeId: string;
  /** New for each start of the edge's process. */
  readonly instanceId: string;
  readonly version: string;
  readonly hostname: string;
  readonly labels: Readonly<Record<string, string>>;
  /** Threads that sign, and cores of the machine. */
  readonly workers: number;
  readonly cores: number;
}
