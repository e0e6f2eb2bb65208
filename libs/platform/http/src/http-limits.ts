import { JSON_DEPTH_MAX } from '#platform/foundation';

/** Limits of connections and requests; times in milliseconds. */
export const HTTP_LIMITS = {
  /** Time from the first byte to the end of the headers; included in the next limit. */
  headersTimeoutMs: 15_000,
  /** Time from the first byte to the end of the body; streaming routes are exempt. */
  requestTimeoutMs: 60_000,
  /** Interval at which the two limits above are checked. */
  timeoutCheckMs: 5_000,
  /** Maximum pause between two chunks of a streamed body, of a request or a response. */
  streamIdleTimeoutMs: 60_000,
  /** A closing server waits so long for a reader that takes nothing of a streamed response. */
  closingStreamIdleTimeoutMs: 2_000,
  keepAliveTimeoutMs: 72_000,
  jsonDepthMax: JSON_DEPTH_MAX,
  pathParameterLengthMax: 512,
  requestIdLengthMax: 128,
} as const;
