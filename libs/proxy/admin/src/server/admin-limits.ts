/** Bounds of the admin server; times in milliseconds. */
export interface AdminLimits {
  readonly connectionsMax: number;
  readonly headerBytesMax: number;
  /** From the first byte, or from the accept, to the end of the head. */
  readonly headersTimeoutMs: number;
  /** To the end of the body. */
  readonly requestTimeoutMs: number;
  /** How often the two above are looked at. */
  readonly timeoutCheckMs: number;
  readonly keepAliveTimeoutMs: number;
  /** Of a connection on which nothing moves, an answer that is not read among them. */
  readonly idleTimeoutMs: number;
  readonly bodyBytesMax: number;
  /** For answers under way when the server closes. */
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
