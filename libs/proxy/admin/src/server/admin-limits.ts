/** Limits of the admin server; times in milliseconds. */
export interface AdminLimits {
  readonly connectionsMax: number;
  readonly headerBytesMax: number;
  /** Time from the accept, or the first byte of a request, to the end of the head. */
  readonly headersTimeoutMs: number;
  /** Time from the first byte of a request to the end of its body. */
  readonly requestTimeoutMs: number;
  /** Interval at which the two limits above are checked. */
  readonly timeoutCheckMs: number;
  readonly keepAliveTimeoutMs: number;
  /**
   * Idle time of a connection, including one whose response is not read; not while its response is being
   * prepared.
   */
  readonly idleTimeoutMs: number;
  readonly bodyBytesMax: number;
  /** Grace period of responses in progress when the server closes. */
  readonly closeGraceMs: number;
}

export const ADMIN_LIMITS: AdminLimits = {
  connectionsMax: 64,
  headerBytesMax: 16_384,
  headersTimeoutMs: 5_000,
  requestTimeoutMs: 10_000,
  timeoutCheckMs: 1_000,
  keepAliveTimeoutMs: 5_000,
  idleTimeoutMs: 30_000,
  bodyBytesMax: 4_096,
  closeGraceMs: 1_000,
};
