const DAY_MS = 86_400_000;

/** Settings of the graph. */
export class EngineSettings {
  /** Retention of deleted records and stored replies, in milliseconds. */
  readonly retention: number = 30 * DAY_MS;
}
