/** Errors as a client sees them: the codes of Neo4j, which drivers classify, and the status of GQL. */
import { Forbidden } from '#platform/auth';
import { type DomainError, type ErrorCode, isShown } from '#platform/foundation';
import { MalformedMessage } from '../packstream/unpacker.ts';
import { BoltFault } from './bolt-fault.ts';

export interface Failure {
  readonly code: string;
  readonly message: string;
  readonly isFatal: boolean;
  /** False for a fault of this program, which is logged. */
  readonly isExpected: boolean;
}

const FORBIDDEN = 'Neo.ClientError.Security.Forbidden';
const INTERNAL = 'Neo.DatabaseError.General.UnknownError';
const OUT_OF_MEMORY = 'Neo.ClientError.General.TransactionOutOfMemoryError';
const TIMED_OUT = 'Neo.ClientError.Transaction.TransactionTimedOutClientConfiguration';

/** Where the error has no code of Neo4j in its details. Drivers repeat what is `Transient`. */
const CODES: Partial<Record<ErrorCode, string>> = {
  CYPHER_SYNTAX: 'Neo.ClientError.Statement.SyntaxError',
  CYPHER_FAILED: 'Neo.ClientError.Statement.ArgumentError',
  INVALID_REQUEST: 'Neo.ClientError.Statement.ArgumentError',
  NESTED_PROPERTY: 'Neo.ClientError.Statement.TypeError',
  FORBIDDEN,
  BEYOND_HISTORY: 'Neo.ClientError.Statement.ArgumentError',
  CONFLICT: 'Neo.TransientError.Transaction.Outdated',
  QUERY_TOO_LARGE: OUT_OF_MEMORY,
  BODY_TOO_LARGE: OUT_OF_MEMORY,
  QUERY_TIMEOUT: TIMED_OUT,
  TOO_BUSY: 'Neo.TransientError.Request.NoThreadsAvailable',
  NOT_CAUGHT_UP: 'Neo.TransientError.Transaction.BookmarkTimeout',
  STORE_UNAVAILABLE: 'Neo.TransientError.General.DatabaseUnavailable',
  NOT_SUPPORTED: 'Neo.ClientError.Statement.UnsupportedOperationError',
};

export function failureOf(error: unknown): Failure {
  if (error instanceof BoltFault) {
    const { code, message, isFatal } = error;
    return { code, message, isFatal, isExpected: true };
  }
  if (error instanceof MalformedMessage) {
    const code = 'Neo.ClientError.Request.InvalidFormat';
    return { code, message: error.message, isFatal: true, isExpected: true };
  }
  if (error instanceof Forbidden)
    return { code: FORBIDDEN, message: error.reason, isFatal: false, isExpected: true };
  if (!isShown(error))
    return { code: INTERNAL, message: 'internal error', isFatal: false, isExpected: false };
  return { code: codeOf(error), message: messageOf(error), isFatal: false, isExpected: true };
}

/** A bookmark is a token that REST has in this header. */
const BOOKMARK_FIELD = 'Plexus-Seq';

function codeOf({ code, details }: DomainError): string {
  if (details?.['field'] === BOOKMARK_FIELD) return 'Neo.ClientError.Transaction.InvalidBookmark';
  const own = details?.['code'];
  return typeof own === 'string' && own.startsWith('Neo.') ? own : (CODES[code] ?? INTERNAL);
}

function messageOf({ message, details }: DomainError): string {
  const hint = details?.['hint'];
  return typeof hint === 'string' ? `${message}; ${hint}` : message;
}

export interface GqlStatus {
  readonly status: string;
  readonly description: string;
}

const UNEXPECTED: GqlStatus = {
  status: '50N42',
  description:
    'error: general processing exception - unexpected error. Unexpected error has occurred. See debug log for details.',
};

const SYNTAX: GqlStatus = {
  status: '42001',
  description: 'error: syntax error or access rule violation - invalid syntax',
};
const DATA: GqlStatus = { status: '22000', description: 'error: data exception' };
const PROTOCOL: GqlStatus = {
  status: '08N06',
  description: 'error: connection exception - protocol error. General network protocol error.',
};

const GQL: ReadonlyMap<string, GqlStatus> = new Map([
  ['Neo.ClientError.Statement.SyntaxError', SYNTAX],
  ['Neo.ClientError.Statement.SemanticError', SYNTAX],
  ['Neo.ClientError.Procedure.ProcedureNotFound', SYNTAX],
  ['Neo.ClientError.Statement.ParameterMissing', SYNTAX],
  [
    'Neo.ClientError.Statement.TypeError',
    { status: '22G03', description: 'error: data exception - invalid value type' },
  ],
  ['Neo.ClientError.Statement.ArgumentError', DATA],
  ['Neo.ClientError.Statement.ArithmeticError', DATA],
  ['Neo.ClientError.Statement.EntityNotFound', DATA],
  ['Neo.ClientError.Request.Invalid', PROTOCOL],
  ['Neo.ClientError.Request.InvalidFormat', PROTOCOL],
  [
    'Neo.ClientError.Security.Unauthorized',
    {
      status: '42NFF',
      description:
        'error: syntax error or access rule violation - permission/access denied. Access denied, see the security logs for details.',
    },
  ],
  [
    FORBIDDEN,
    {
      status: '42NFF',
      description:
        'error: syntax error or access rule violation - permission/access denied. Access denied, see the security logs for details.',
    },
  ],
  [
    'Neo.ClientError.Statement.AccessMode',
    {
      status: '42N02',
      description:
        'error: syntax error or access rule violation - writing in read access mode. Writing in read access mode not allowed.',
    },
  ],
  [
    'Neo.ClientError.Transaction.InvalidBookmark',
    {
      status: '08N12',
      description:
        'error: connection exception - failed to parse bookmark. Failed to parse the supplied bookmark. Verify it is correct or check the debug log for more information.',
    },
  ],
  [
    'Neo.TransientError.Transaction.Outdated',
    {
      status: '25N11',
      description:
        'error: invalid transaction state - conflicting transaction state. There was a conflict detected between the transaction state and applied updates. Please retry the transaction.',
    },
  ],
  [TIMED_OUT, { status: '25000', description: 'error: invalid transaction state' }],
]);

/** The closest known status of a code. */
export function gqlStatusOf(code: string): GqlStatus {
  return GQL.get(code) ?? UNEXPECTED;
}

/** `CLIENT_ERROR`, `TRANSIENT_ERROR` or `DATABASE_ERROR`, as the code says. */
export function classificationOf(code: string): string {
  const [, kind = 'DatabaseError'] = code.split('.');
  return kind.replace('Error', '_ERROR').toUpperCase();
}
