import type { Outcome } from '../cluster/target/endpoint-counters.ts';
import type { RetryConfig } from '../config/proxy-config.ts';

/** What may be done twice with the same effect as once (RFC 9110, 9.2.2). */
const IDEMPOTENT = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE', 'PUT', 'DELETE']);

export function isIdempotent(method: string): boolean {
  return IDEMPOTENT.has(method);
}

/** Whether the configuration wants another try after this failure, of this method. */
export function wantsRetry(config: RetryConfig | undefined, outcome: Outcome, method: string): boolean {
  if (config === undefined) return false;
  // Nothing was sent: any method can be tried again.
  if (outcome === 'connect_failure') return config.on.connectFailure;
  return outcome === 'reset' && config.on.resetBeforeHeaders && isRepeatable(config, method);
}

/** Whether an answer with this status is as good as none. */
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
