/**
 * Why a request or connection did not get its answer from the upstream: a closed list, for the label of a
 * metric, the access log and events.
 *
 *     connection_refused          refused, or there is no way to the host
 *     connect_timeout             no connection within the cluster's `connect_timeout`
 *     dns                         no endpoint has an address
 *     certificate_expired         or not yet valid
 *     certificate_wrong_name
 *     certificate_unknown_issuer  or one that may not issue, or has withdrawn it
 *     protocol                    no HTTP, no TLS, or an answer that cannot be passed on
 *     reset                       the connection broke before the end of the answer
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
  'no_free_place',
] as const;
export type FailureReason = (typeof FAILURE_REASONS)[number];

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
/** What undici's parser throws; its code is left out by the version in use. */
const UNREADABLE = 'HTTPParserError';
const PROTOCOL = /^(?:HPE_|ERR_SSL_|ERR_TLS_|ERR_HTTP_|HTTPParserError$)/;
/** What the system says of a connection that stood as well as of one that never came about. */
const OF_CONNECTING: ReadonlySet<FailureReason> = new Set<FailureReason>([
  'connection_refused',
  'connect_timeout',
  'dns',
]);

function pairs(reason: FailureReason, codes: readonly string[]): (readonly [string, FailureReason])[] {
  return codes.map((code) => [code, reason]);
}

/** Of a connection that stood before. */
export function breakReasonOf(error: unknown): FailureReason {
  const reason = failureReasonOf(error);
  return OF_CONNECTING.has(reason) ? 'reset' : reason;
}

/** Of a connection, or an answer, that broke; what is known of no other kind is a reset. */
export function failureReasonOf(error: unknown): FailureReason {
  const code = failureCodeOf(error);
  return REASON_BY_CODE.get(code) ?? (PROTOCOL.test(code) ? 'protocol' : 'reset');
}

/** The code that says most: of the first of several errors, or of the cause. */
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

/** What names a failure of the system or of TLS: its code, or else what it says. */
export function faultCodeOf(error: unknown): string {
  if (typeof error !== 'object' || error === null) return String(error);
  if ('code' in error && typeof error.code === 'string') return error.code;
  return 'message' in error ? String(error.message) : 'unknown';
}
