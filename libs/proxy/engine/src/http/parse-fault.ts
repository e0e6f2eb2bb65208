import { badRequest, type OwnAnswer } from './own-answer.ts';
import type { RequestLine } from './request-line.ts';

/** An error of the parser, or of the socket under it. */
export interface ParseFault extends Error {
  readonly code?: string;
  /** The reason that the parser gives. */
  readonly reason?: string;
}

const HTTP2 = badRequest('HTTP/2 is not supported');
const LONG_TARGET: OwnAnswer = { statusCode: 414, text: 'the request target is too long' };
const LARGE_HEAD: OwnAnswer = { statusCode: 431, text: 'the request head is too large' };
const UNKNOWN_METHOD: OwnAnswer = { statusCode: 501, text: 'an unknown method' };

/** The response to malformed input; undefined when the client has sent nothing wrong. */
export function answerTo(
  fault: ParseFault,
  line: RequestLine | undefined,
  maxHeaderBytes: number,
): OwnAnswer | undefined {
  const answer = unloggedAnswerTo(fault, line, maxHeaderBytes);
  return answer && { ...answer, code: fault.code ?? '' };
}

function unloggedAnswerTo(
  { code = '', reason = '' }: ParseFault,
  line: RequestLine | undefined,
  maxHeaderBytes: number,
): OwnAnswer | undefined {
  // Errors of other codes are those of the socket; the last one is a disconnect within a message.
  if (!code.startsWith('HPE_') || code === 'HPE_INVALID_EOF_STATE') return undefined;
  if (code === 'HPE_HEADER_OVERFLOW') return (line?.bytes ?? 0) < maxHeaderBytes ? LARGE_HEAD : LONG_TARGET;
  if (isUnknownMethod(code, reason, line)) return UNKNOWN_METHOD;
  if (code === 'HPE_PAUSED_H2_UPGRADE') return HTTP2;
  return badRequest(`${PARTS.get(code) ?? 'the head'} is malformed`);
}

/** The method may be one of another protocol that the parser accepts. */
function isUnknownMethod(code: string, reason: string, line: RequestLine | undefined): boolean {
  if (code === 'HPE_INVALID_METHOD') return line?.hasMethod === true;
  return code === 'HPE_INVALID_CONSTANT' && reason.startsWith('Invalid method');
}

/** Input after a request announced as the last. Its response ends the connection anyway. */
export function isAfterLast({ code }: ParseFault): boolean {
  return code === 'HPE_CLOSED_CONNECTION';
}

/** The malformed part of a request, by error code. */
const PARTS: ReadonlyMap<string, string> = new Map([
  ['HPE_INVALID_METHOD', 'the method'],
  ['HPE_INVALID_URL', 'the target'],
  ['HPE_INVALID_VERSION', 'the version'],
  ['HPE_INVALID_HEADER_TOKEN', 'a header'],
  ['HPE_UNEXPECTED_CONTENT_LENGTH', 'the length of the body'],
  ['HPE_INVALID_CONTENT_LENGTH', 'the length of the body'],
  ['HPE_INVALID_TRANSFER_ENCODING', 'the transfer coding'],
  ['HPE_INVALID_CHUNK_SIZE', 'a chunk of the body'],
  ['HPE_CHUNK_EXTENSIONS_OVERFLOW', 'a chunk of the body'],
  ['HPE_STRICT', 'a line end'],
  ['HPE_CR_EXPECTED', 'a line end'],
  ['HPE_LF_EXPECTED', 'a line end'],
]);
