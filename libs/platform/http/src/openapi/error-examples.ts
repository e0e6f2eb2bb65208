import type { ErrorCode } from '#platform/foundation';

export interface ErrorExample {
  readonly message: string;
  readonly details?: Readonly<Record<string, unknown>>;
}

/** An example message by code, each from an actual response. */
export const ERROR_EXAMPLES: Readonly<Record<ErrorCode, ErrorExample>> = {
  INVALID_REQUEST: {
    message: 'limit: expected a whole number from 1 to 10000',
    details: { field: 'limit' },
  },
  NESTED_PROPERTY: {
    message: 'entities[0].properties.a: a nested object; flatten it, or ask for ?flatten=true',
    details: { field: 'entities[0].properties.a' },
  },
  PQL_SYNTAX: { message: "expected a value, got '='", details: { position: 23 } },
  CYPHER_SYNTAX: {
    message: 'the variable `m` is not defined (line 1, column 18)',
    details: {
      code: 'Neo.ClientError.Statement.SyntaxError',
      kind: 'UndefinedVariable',
      position: 17,
      line: 1,
      column: 18,
      length: 1,
    },
  },
  CYPHER_FAILED: {
    message: 'division by zero',
    details: { code: 'Neo.ClientError.Statement.ArithmeticError', kind: 'NumberOutOfRange' },
  },
  MISSING_PARAMETER: { message: 'the query names $x, which params does not have', details: { name: 'x' } },
  POLICY_INVALID: { message: 'rules[0].query: expected a text', details: { field: 'rules[0].query' } },
  SCENARIO_INVALID: { message: 'load.stages: expected at least one stage' },
  FORBIDDEN_ORIGIN: {
    message:
      'the request comes from a page of another site; PLEXUS_ALLOWED_HOSTS lists the host names accepted ' +
      'from browsers; a request with a key is accepted',
  },
  NOT_FOUND: { message: 'no entity has this id' },
  CONFLICT: { message: 'the connector is already running' },
  RULE_FROM_FILE: {
    message: 'rule edr-coverage-001 comes from a rule file: change it there',
    details: { id: 'edr-coverage-001' },
  },
  SYNC_WOULD_DELETE_TOO_MUCH: { message: 'the sync would delete 20 of 20 entities of its source' },
  CURSOR_EXPIRED: { message: 'the cursor has expired: ask the query again' },
  BEYOND_HISTORY: {
    message: 'sequence number 12 is before the history, which begins with 940 at 2026-01-03T09:00:00.000Z',
    details: { first: 940, since: '2026-01-03T09:00:00.000Z' },
  },
  SESSION_EXPIRED: { message: 'the session has expired: open another' },
  PRECONDITION_FAILED: {
    message: 'demo.yaml: it has been changed meanwhile, or is there already',
    details: { etag: '"2c9ef2a0b1c1b1d4e9f3a7c60f7d5f4e"' },
  },
  BODY_TOO_LARGE: { message: 'expected at most 16777216 bytes' },
  UNSUPPORTED_MEDIA_TYPE: { message: 'expected Content-Type: application/json' },
  DANGLING_RELATIONSHIP: { message: 'host web-01 USES x y: an end does not exist' },
  DUPLICATE_KEY: { message: 'x k occurs twice in the request' },
  QUERY_TOO_LARGE: { message: 'the query needs more memory than it may have: narrow it' },
  TOO_BUSY: { message: 'too many queries wait: try again in a second' },
  STORE_UNAVAILABLE: { message: 'the store takes no writes' },
  NOT_CAUGHT_UP: { message: 'expected to be at 1042, is at 1039', details: { asked: 1042, at: 1039 } },
  QUERY_TIMEOUT: { message: 'query stopped after 30000 ms' },
  FORBIDDEN: { message: 'the admin server is read-only' },
  METHOD_NOT_ALLOWED: { message: 'expected GET or HEAD' },
  RUN_ACTIVE: {
    message: 'edges are taken by runs that have not ended: edge-1 (r-20261121-142000-k3v9ax)',
    details: {
      run_id: 'r-20261121-142000-k3v9ax',
      taken: [{ edge_id: 'edge-1', run_id: 'r-20261121-142000-k3v9ax' }],
    },
  },
  RUN_NOT_FINISHED: { message: 'the run is Starting: its report exists after its end' },
  RUN_ENDED: { message: 'the run has ended' },
  RUN_NOT_SENDING: { message: 'expected a run that sends its load, this one is in the phase funding' },
  EDGE_EVICTED: { message: 'a later edge has this id' },
  PLAN_REFUSED: { message: 'the target has chain id 31337, the scenario 412346' },
  INTERNAL_ERROR: { message: 'internal error' },
  REPORT_DATA_MISSING: { message: 'transactions-00001.parquet does not exist' },
  REPORT_DATA_UNREADABLE: { message: 'transactions-00001.parquet cannot be read' },
  NOT_SUPPORTED: { message: 'not supported by this engine' },
  RPC_FAILED: { message: 'the target does not respond' },
  DELIVERY_FAILED: { message: 'the channel did not accept the message: answered 503' },
  WIRE_FORMAT: { message: 'expected a telemetry batch' },
  ENGINE_UNAVAILABLE: { message: 'the runtime socket does not respond' },
  NO_DISK_SPACE: { message: 'expected room on the disk to keep the report' },
  STORE_LOCKED: { message: 'another process holds the data directory' },
  STORE_CORRUPT: { message: 'the store is damaged' },
  STORE_TOO_NEW: { message: 'the store was written by a later version' },
  INVALID_CONFIG: {
    message: 'invalid configuration: PLEXUS_PORT: expected a whole number from 0 to 65535',
  },
  CERTIFICATE_INVALID: { message: 'the certificate has expired' },
};
