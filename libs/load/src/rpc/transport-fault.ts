import type { RpcFault } from './rpc-reply.ts';

/** The last two: we have stopped waiting. */
const TIMED_OUT = new Set([
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
  'ETIMEDOUT',
  'UND_ERR_DESTROYED',
  'UND_ERR_CLOSED',
]);
const NO_ANSWER = new Set(['UND_ERR_RES_EXCEEDED_MAX_SIZE', 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH']);

/**
 * What an error of undici or of the socket says. With `hasStarted` bytes may have left; without, nothing was
 * sent. HTTP that its parser refuses has a code that begins with HPE_.
 */
export function transportFault(error: Error, hasStarted: boolean): RpcFault {
  const code = 'code' in error && typeof error.code === 'string' ? error.code : error.name;
  const fault = (failure: RpcFault['failure'], message: string): RpcFault => ({
    isFine: false,
    failure,
    code: null,
    message: `${message} (${code})`,
  });
  if (!hasStarted) return fault('rpc_unreachable', 'no connection');
  if (TIMED_OUT.has(code)) return fault('rpc_timeout', 'no answer in time');
  if (NO_ANSWER.has(code) || code.startsWith('HPE_'))
    return fault('rpc_garbage', 'no valid HTTP, or too much');
  return fault('rpc_transport', 'the connection broke');
}
