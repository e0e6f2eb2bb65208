import { DomainError, withoutSecrets } from '#platform/foundation';
import { classOfRpcError, type FailureClass } from './failure-class.ts';

/** The outcome of a JSON-RPC request. */
export type RpcReply = { readonly isFine: true; readonly result: unknown } | RpcReplyFault;

export interface RpcReplyFault {
  readonly isFine: false;
  readonly failure: FailureClass;
  /** The JSON-RPC error code, if any. */
  readonly code: number | null;
  /** Bounded, in one line. It may contain the server's text, but none of our secrets. */
  readonly message: string;
  /** What a failed execution returned, in hexadecimal. */
  readonly data?: string | undefined;
  /** The HTTP status, if it is not 200. */
  readonly status?: number;
  /** The time after which the server wants to be asked again. */
  readonly retryAfterMs?: number | undefined;
}

/** A failed RPC request. */
export class RpcFailure extends DomainError {
  readonly failure: FailureClass;
  /** The HTTP status, if it is not 200. */
  readonly status: number | undefined;
  /** What a failed execution returned, in hexadecimal; undefined if the server did not tell. */
  readonly data: string | undefined;

  constructor(method: string, { failure, code, message, status, data }: RpcReplyFault) {
    super('RPC_FAILED', `${method}: ${failure}: ${message}`, { details: { method, failure, code } });
    this.failure = failure;
    this.status = status;
    this.data = data;
  }
}

/** Failures that say nothing about the method. */
const UNSPECIFIC: ReadonlySet<FailureClass> = new Set([
  'rate_limited',
  'queue_timeout',
  'sequencer_unavailable',
  'rpc_internal',
  'rpc_unreachable',
  'rpc_transport',
  'rpc_timeout',
  'rpc_garbage',
]);

/** Whether the failure is a refusal of this method, such as HTTP 403, and no state of the server. */
export function isOfMethod({ failure, status }: RpcFailure): boolean {
  if (failure === 'rpc_http_status') return status !== undefined && status < HTTP_INTERNAL;
  return !UNSPECIFIC.has(failure);
}

const HTTP_OK = 200;
const HTTP_INTERNAL = 500;
const HTTP_TOO_MANY_REQUESTS = 429;
const MESSAGE_CHARACTERS_MAX = 256;
/** An error with longer data is shown without them. */
const DATA = /^0x(?:[0-9a-fA-F]{2}){0,8192}$/;

type Members = Readonly<Partial<Record<string, unknown>>>;

/** Parses any answer. `id` is the request's. */
export function readReply(status: number, body: Uint8Array, id: number): RpcReply {
  const answer = membersOf(parseJson(body));
  if (answer === undefined) return status === HTTP_OK ? garbage('no JSON object') : statusFault(status);
  const error = membersOf(answer['error']);
  if (error !== undefined) return errorFault(status, error);
  if (status !== HTTP_OK) return statusFault(status);
  if (answer['id'] !== id) return garbage('the id of another request');
  return 'result' in answer
    ? { isFine: true, result: answer['result'] }
    : garbage('neither result nor error');
}

/**
 * Reads the answers to a batch, in the order of the ids; answers may come in any order. A single fault if the
 * batch was rejected as a whole.
 */
export function readReplies(
  status: number,
  body: Uint8Array,
  ids: readonly number[],
): readonly RpcReply[] | RpcReplyFault {
  const answers = parseJson(body);
  if (!Array.isArray(answers)) {
    const whole = readReply(status, body, NaN);
    return whole.isFine ? garbage('no list') : whole;
  }
  const byId = new Map(answers.map((answer: unknown) => [membersOf(answer)?.['id'], answer]));
  return ids.map((id) => {
    const answer = membersOf(byId.get(id));
    if (answer === undefined) return garbage('an answer is missing');
    const error = membersOf(answer['error']);
    if (error !== undefined) return errorFault(status, error);
    return { isFine: true, result: answer['result'] };
  });
}

/** The server's message in a form for logs and reports. */
export function cleanMessage(text: string): string {
  const line = text.slice(0, MESSAGE_CHARACTERS_MAX).replace(/[\0-\x1f\x7f-\x9f]+/g, ' ');
  return line.isWellFormed() ? line : line.toWellFormed();
}

/** Removes the secrets of the address, which a server may repeat. */
export function withoutSecretsOf(secrets: readonly string[], reply: RpcReply): RpcReply {
  if (reply.isFine || secrets.length === 0) return reply;
  return { ...reply, message: withoutSecrets(reply.message, secrets) };
}

function errorFault(status: number, error: Members): RpcReplyFault {
  const code =
    typeof error['code'] === 'number' && Number.isSafeInteger(error['code']) ? error['code'] : null;
  const message = typeof error['message'] === 'string' ? error['message'] : '';
  const failure =
    status === HTTP_TOO_MANY_REQUESTS ? 'rate_limited' : classOfRpcError(code ?? undefined, message);
  const data = dataOf(error['data']);
  return { isFine: false, failure, code, message: cleanMessage(message), data, ...statusOf(status) };
}

/** Hardhat and ganache put the data into an object. */
function dataOf(data: unknown): string | undefined {
  const text = membersOf(data)?.['data'] ?? membersOf(data)?.['result'] ?? data;
  return typeof text === 'string' && DATA.test(text) ? text : undefined;
}

function statusFault(status: number): RpcReplyFault {
  const failure = status === HTTP_TOO_MANY_REQUESTS ? 'rate_limited' : 'rpc_http_status';
  return { isFine: false, failure, code: null, message: `HTTP status ${status}`, ...statusOf(status) };
}

function statusOf(status: number): { readonly status?: number } {
  return status === HTTP_OK ? {} : { status };
}

function garbage(what: string): RpcReplyFault {
  return {
    isFine: false,
    failure: 'rpc_garbage',
    code: null,
    message: `expected a JSON-RPC answer, got ${what}`,
  };
}

/** What is nested deeper cannot be copied or shown by functions that call themselves. */
const NESTING_MAX = 1_024;
const [QUOTE, BACKSLASH, OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [34, 92, 91, 93, 123, 125];

/** Undefined for what is no JSON, or nested too deeply. */
function parseJson(body: Uint8Array): unknown {
  if (isNestedTooDeeply(body)) return undefined;
  try {
    return JSON.parse(Buffer.from(body.buffer, body.byteOffset, body.length).toString('utf8'));
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function isNestedTooDeeply(body: Uint8Array): boolean {
  if (body.length <= 2 * NESTING_MAX) return false;
  let depth = 0;
  for (let at = 0; at < body.length; at++) {
    const byte = body[at];
    if (byte === QUOTE) at = endOfString(body, at);
    else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) depth--;
    else if ((byte === OPEN_LIST || byte === OPEN_OBJECT) && ++depth > NESTING_MAX) return true;
  }
  return false;
}

/** The place of the quote that ends the string; the end of the body if there is none. */
function endOfString(body: Uint8Array, start: number): number {
  for (let at = start + 1; at < body.length; at++) {
    const end = body.indexOf(QUOTE, at);
    if (end < 0) break;
    let first = end;
    while (body[first - 1] === BACKSLASH) first--;
    if ((end - first) % 2 === 0) return end;
    at = end;
  }
  return body.length;
}

function membersOf(value: unknown): Members | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Members)
    : undefined;
}

/** The code of an exchange that took too long as a whole. */
export const TIME_OUT = 'ETIMEDOUT';
/** The reason with which such an exchange is ended. */
export function timeOut(code = TIME_OUT): Error {
  return Object.assign(new Error('no complete answer in time'), { code });
}

const TIMED_OUT = new Set(['UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT', TIME_OUT]);
/** The client has stopped waiting. */
const ENDED = new Set(['UND_ERR_DESTROYED', 'UND_ERR_CLOSED']);
const PARSER_ERROR = 'HTTPParserError';
const NO_ANSWER = new Set(['UND_ERR_RES_EXCEEDED_MAX_SIZE', 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH']);

/** Whether the whole time-out has passed, for a {@link transportCodeOf}. */
export function isTimeOut(code: string): boolean {
  return TIMED_OUT.has(code);
}

/** The `code` of an error of undici or of a socket; undefined for others. Not by class: realms differ. */
export function transportCodeOf(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  if ('code' in error && typeof error.code === 'string') return error.code;
  return 'name' in error && error.name === PARSER_ERROR ? PARSER_ERROR : undefined;
}

/**
 * The failure for a {@link transportCodeOf}. With `hasStarted`, bytes may have been sent; otherwise nothing
 * was. HTTP that the parser rejects has a code with the prefix HPE_, or none.
 */
export function transportFault(code: string, hasStarted: boolean): RpcReplyFault {
  const fault = (failure: RpcReplyFault['failure'], message: string): RpcReplyFault => ({
    isFine: false,
    failure,
    code: null,
    message: `${message} (${code})`,
  });
  if (!hasStarted) return fault('rpc_unreachable', 'no connection');
  if (TIMED_OUT.has(code) || ENDED.has(code)) return fault('rpc_timeout', 'no answer in time');
  if (NO_ANSWER.has(code) || code.startsWith('HPE_') || code === PARSER_ERROR)
    return fault('rpc_garbage', 'no valid HTTP, or too much');
  return fault('rpc_transport', 'the connection broke');
}
