interface ErrorFacts {
  readonly httpStatus: number;
  /** Set for a code of status 500 whose message is shown to the client. */
  readonly isMessageShown?: true;
}

/** Every expected failure by its code, with the HTTP status that reports it. */
export const ERROR_CATALOGUE = {
  INVALID_REQUEST: { httpStatus: 400 },
  NESTED_PROPERTY: { httpStatus: 400 },
  PQL_SYNTAX: { httpStatus: 400 },
  CYPHER_SYNTAX: { httpStatus: 400 },
  CYPHER_FAILED: { httpStatus: 400 },
  MISSING_PARAMETER: { httpStatus: 400 },
  POLICY_INVALID: { httpStatus: 400 },
  SCENARIO_INVALID: { httpStatus: 400 },
  FORBIDDEN: { httpStatus: 403 },
  FORBIDDEN_ORIGIN: { httpStatus: 403 },
  NOT_FOUND: { httpStatus: 404 },
  METHOD_NOT_ALLOWED: { httpStatus: 405 },
  CONFLICT: { httpStatus: 409 },
  RULE_FROM_FILE: { httpStatus: 409 },
  RUN_ACTIVE: { httpStatus: 409 },
  RUN_NOT_FINISHED: { httpStatus: 409 },
  RUN_ENDED: { httpStatus: 409 },
  RUN_NOT_SENDING: { httpStatus: 409 },
  EDGE_EVICTED: { httpStatus: 409 },
  SYNC_WOULD_DELETE_TOO_MUCH: { httpStatus: 409 },
  CURSOR_EXPIRED: { httpStatus: 410 },
  BEYOND_HISTORY: { httpStatus: 410 },
  SESSION_EXPIRED: { httpStatus: 410 },
  PRECONDITION_FAILED: { httpStatus: 412 },
  BODY_TOO_LARGE: { httpStatus: 413 },
  UNSUPPORTED_MEDIA_TYPE: { httpStatus: 415 },
  DANGLING_RELATIONSHIP: { httpStatus: 422 },
  DUPLICATE_KEY: { httpStatus: 422 },
  PLAN_REFUSED: { httpStatus: 422 },
  QUERY_TOO_LARGE: { httpStatus: 422 },
  TOO_BUSY: { httpStatus: 429 },
  INTERNAL_ERROR: { httpStatus: 500 },
  REPORT_DATA_MISSING: { httpStatus: 500, isMessageShown: true },
  REPORT_DATA_UNREADABLE: { httpStatus: 500, isMessageShown: true },
  NOT_SUPPORTED: { httpStatus: 501 },
  RPC_FAILED: { httpStatus: 502 },
  WIRE_FORMAT: { httpStatus: 502 },
  DELIVERY_FAILED: { httpStatus: 502 },
  STORE_UNAVAILABLE: { httpStatus: 503 },
  NOT_CAUGHT_UP: { httpStatus: 503 },
  ENGINE_UNAVAILABLE: { httpStatus: 503 },
  QUERY_TIMEOUT: { httpStatus: 504 },
  NO_DISK_SPACE: { httpStatus: 507 },
  STORE_LOCKED: { httpStatus: 500 },
  STORE_CORRUPT: { httpStatus: 500 },
  STORE_TOO_NEW: { httpStatus: 500 },
  INVALID_CONFIG: { httpStatus: 500 },
  CERTIFICATE_INVALID: { httpStatus: 500 },
} as const satisfies Record<string, ErrorFacts>;

export type ErrorCode = keyof typeof ERROR_CATALOGUE;
