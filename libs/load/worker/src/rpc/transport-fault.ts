import type { RpcFault } from './rpc-reply.ts';

/** The last two: we have stopped waiting. */
const TIMED_OUT = new Set([
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
  'ETIMEDOUT',
  'UND_ERR_DESTROYED',
  'UND_ERR_CLOSED',
]);
const PARSER_ERROR = 'HTTPParserError';
const NO_ANSWER = new Set(['UND_ERR_RES_EXCEEDED_MAX_SIZE', 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH']);

/** The `code` of an error of undici or of a socket; undefined for others. Not by class: realms differ. */
export function transportCodeOf(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  if ('code' in error && typeof error.code === 'string') return error.code;
  return 'name' in error && error.name === PARSER_ERROR ? PARSER_ERROR : undefined;
}

/**
 * What a {@link transportCodeOf} says. With `hasStarted` bytes may have left; without, nothing was sent. HTTP
 * that the parser refuses has a code that begins with HPE_, or none.
 */
export function transportFault(code: string, hasStarted: boolean): RpcFault {
  const fault = (failure: RpcFault['failure'], message: string): RpcFault => ({
    isFine: false,
    failure,
    code: null,
    message: `${message} (${code})`,
  });
  if (!hasStarted) return fault('rpc_unreachable', 'no connection');
  if (TIMED_OUT.has(code)) return fault('rpc_timeout', 'no answer in time');
  if (NO_ANSWER.has(code) || code.startsWith('HPE_') || code === PARSER_ERROR)
    return fault('rpc_garbage', 'no valid HTTP, or too much');
  return fault('rpc_transport', 'the connection broke');
}
