/**
 * The reason why the upstream did not serve a request or connection: a closed list, used as a metric label,
 * in the access log and in events.
 *
 *     connection_refused          refused, or the host is unreachable
 *     connect_timeout             no connection within the cluster's `connect_timeout`
 *     dns                         no endpoint has an address
 *     certificate_expired         or not yet valid
 *     certificate_wrong_name
 *     certificate_unknown_issuer  or one without the right to issue, or a revoked certificate
 *     protocol                    no HTTP, no TLS, or a response that cannot be forwarded
 *     reset                       the connection broke before the end of the response
 *     timeout                     no response, or no more of it, within the route's time-out
 *     no_free_place               a limit of the cluster, no available endpoint, or the proxy's own resources
 */

export const FAILURE_REASONS = [
  'connection_refused',
  'connect_timeout',
  'dns',
  'certificate_expired',
  'certificate_wrong_name',
  'certificate_unknown_issuer',
  'protocol',
  'reset',
  'timeout',
  'no_free_place',
] as const;
export type FailureReason = (typeof FAILURE_REASONS)[number];

/**
 * Why a request or a connection ended early, other than by a failure at the upstream: in the access log only.
 *
 *     client_gone      the client disconnected, or broke the connection
 *     idle_timeout     the listener's `idle_timeout`
 *     request_timeout  the body was slower than `body_min_rate` and `request_timeout` allow
 *     malformed        the client violated the protocol after the head
 *     drain_cut        cut at `drain.timeout`
 */
export type EarlyEnd = 'client_gone' | 'idle_timeout' | 'request_timeout' | 'malformed' | 'drain_cut';
export type EndReason = FailureReason | EarlyEnd;

const REASON_BY_CODE: ReadonlyMap<string, FailureReason> = new Map<string, FailureReason>([
  ...pairs('connection_refused', ['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'EHOSTDOWN', 'ENETDOWN']),
  ...pairs('connection_refused', ['EACCES', 'EPERM', 'EINVAL', 'EAFNOSUPPORT']),
  ...pairs('connect_timeout', ['ETIMEDOUT', 'UND_ERR_CONNECT_TIMEOUT', 'ERR_SOCKET_CONNECTION_TIMEOUT']),
  ...pairs('dns', ['ENOTFOUND', 'ENODATA', 'ESERVFAIL', 'EAI_AGAIN', 'EAI_FAIL', 'EAI_NODATA', 'EAI_NONAME']),
  ...pairs('certificate_expired', ['CERT_HAS_EXPIRED', 'CERT_NOT_YET_VALID']),
  ...pairs('certificate_wrong_name', ['ERR_TLS_CERT_ALTNAME_INVALID', 'HOSTNAME_MISMATCH']),
  ...pairs('certificate_unknown_issuer', [
    'UNABLE_TO_GET_ISSUER_CERT',
    'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
    'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    'DEPTH_ZERO_SELF_SIGNED_CERT',
    'SELF_SIGNED_CERT_IN_CHAIN',
    'CERT_CHAIN_TOO_LONG',
    'CERT_REVOKED',
    'CERT_UNTRUSTED',
    'CERT_REJECTED',
    'CERT_SIGNATURE_FAILURE',
    'INVALID_CA',
    'INVALID_PURPOSE',
    'PATH_LENGTH_EXCEEDED',
  ]),
  ...pairs('protocol', ['EPROTO', 'UND_ERR_HEADERS_OVERFLOW', 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH']),
  ...pairs('no_free_place', ['EMFILE', 'ENFILE', 'ENOBUFS', 'ENOMEM', 'EADDRNOTAVAIL']),
]);
/** The name of undici's parser errors, whose code the version in use omits. */
const UNREADABLE = 'HTTPParserError';
const PROTOCOL = /^(?:HPE_|ERR_SSL_|ERR_TLS_|ERR_HTTP_|HTTPParserError$)/;
/** The system reports these codes for established connections as well as for connection attempts. */
const OF_CONNECTING: ReadonlySet<FailureReason> = new Set<FailureReason>([
  'connection_refused',
  'connect_timeout',
  'dns',
]);

/**
 * What is reported once in ten seconds: a reason. A place may be missing for several, each with its own code:
 * a limit must not hide that nothing is healthy.
 */
export function kindOf(reason: FailureReason, code: string | undefined): string {
  return reason === 'no_free_place' ? `${reason} ${code ?? ''}` : reason;
}

function pairs(reason: FailureReason, codes: readonly string[]): (readonly [string, FailureReason])[] {
  return codes.map((code) => [code, reason]);
}

/** The reason why an established connection broke. */
export function breakReasonOf(error: unknown): FailureReason {
  const reason = failureReasonOf(error);
  return OF_CONNECTING.has(reason) ? 'reset' : reason;
}

/** The reason why a connection or a response broke; unknown errors count as a reset. */
export function failureReasonOf(error: unknown): FailureReason {
  const code = failureCodeOf(error);
  return REASON_BY_CODE.get(code) ?? (PROTOCOL.test(code) ? 'protocol' : 'reset');
}

/** The most specific code: of the first of several errors, or of the cause. */
export function failureCodeOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return failureCodeOf(error.errors[0]);
  const code = isUnreadable(error) ? UNREADABLE : faultCodeOf(error);
  const isKnown = REASON_BY_CODE.has(code) || PROTOCOL.test(code);
  const hasCause = error instanceof Error && error.cause instanceof Error;
  return hasCause && !isKnown ? failureCodeOf(error.cause) : code;
}

function isUnreadable(error: unknown): boolean {
  return (
    error instanceof Error && error.name === UNREADABLE && !('code' in error && error.code !== undefined)
  );
}

/** The code of an error of the system or of TLS, or else its message. */
export function faultCodeOf(error: unknown): string {
  if (typeof error !== 'object' || error === null) return String(error);
  if ('code' in error && typeof error.code === 'string') return error.code;
  return 'message' in error ? String(error.message) : 'unknown';
}
