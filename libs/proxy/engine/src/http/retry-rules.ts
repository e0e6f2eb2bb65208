import type { Outcome } from '../cluster/target/endpoint-counters.ts';
import type { RetryConfig } from '../config/proxy-config.ts';

/** Idempotent methods (RFC 9110, 9.2.2). */
const IDEMPOTENT = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE', 'PUT', 'DELETE']);

export function isIdempotent(method: string): boolean {
  return IDEMPOTENT.has(method);
}

/** Whether the configuration allows a retry after this failure, for this method. */
export function wantsRetry(config: RetryConfig | undefined, outcome: Outcome, method: string): boolean {
  if (config === undefined) return false;
  // Nothing was sent: any method can be retried.
  if (outcome === 'connect_failure') return config.on.connectFailure;
  return outcome === 'reset' && config.on.resetBeforeHeaders && isRepeatable(config, method);
}

/** Whether a response with this status is retried. */
export function wantsRetryOfStatus(
  config: RetryConfig | undefined,
  statusCode: number,
  method: string,
): boolean {
  return config !== undefined && config.on.statusCodes.includes(statusCode) && isRepeatable(config, method);
}

function isRepeatable(config: RetryConfig, method: string): boolean {
  return config.methods === 'all' || isIdempotent(method);
}
