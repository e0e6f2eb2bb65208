import { JSON_DEPTH_MAX } from '#platform/foundation';

/** Bounds of a connection and of a request; times in milliseconds. */
export const HTTP_LIMITS = {
  /** From the first byte to the end of the headers; a part of the next. */
  headersTimeoutMs: 15_000,
  /** From the first byte to the end of the body; streaming routes are exempt. */
  requestTimeoutMs: 60_000,
  /** How often the two above are looked at. */
  timeoutCheckMs: 5_000,
  /** The longest pause between two chunks of a streamed body, of a request or a reply. */
  streamIdleTimeoutMs: 60_000,
  keepAliveTimeoutMs: 72_000,
  jsonDepthMax: JSON_DEPTH_MAX,
  pathParameterLengthMax: 512,
  requestIdLengthMax: 128,
} as const;
