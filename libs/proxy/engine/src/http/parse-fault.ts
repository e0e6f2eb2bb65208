import { badRequest, type OwnAnswer } from './own-answer.ts';
import type { RequestLine } from './request-line.ts';

/** What the parser, or the socket under it, has to say. */
export interface ParseFault extends Error {
  readonly code?: string;
  /** Of the parser. */
  readonly reason?: string;
}

const HTTP2 = badRequest('this proxy does not speak HTTP/2');
const LONG_TARGET: OwnAnswer = { statusCode: 414, text: 'the target of the request is too long' };
const LARGE_HEAD: OwnAnswer = { statusCode: 431, text: 'the head of the request is too large' };
const UNKNOWN_METHOD: OwnAnswer = { statusCode: 501, text: 'a method that this proxy does not know' };

/** What the client sent is no HTTP: how it is answered. Undefined: it has sent nothing wrong. */
export function answerTo(
  { code = '', reason = '' }: ParseFault,
  line: RequestLine | undefined,
  maxHeaderBytes: number,
): OwnAnswer | undefined {
  // Without the parser's word, the socket has failed; or the client hung up in the middle.
  if (!code.startsWith('HPE_') || code === 'HPE_INVALID_EOF_STATE') return undefined;
  if (code === 'HPE_HEADER_OVERFLOW') return (line?.bytes ?? 0) < maxHeaderBytes ? LARGE_HEAD : LONG_TARGET;
  if (isUnknownMethod(code, reason, line)) return UNKNOWN_METHOD;
  if (code === 'HPE_PAUSED_H2_UPGRADE') return HTTP2;
  return badRequest(`${PARTS.get(code) ?? 'the head'} is malformed`);
}

/** It may be one of another protocol that the parser knows. */
function isUnknownMethod(code: string, reason: string, line: RequestLine | undefined): boolean {
  if (code === 'HPE_INVALID_METHOD') return line?.hasMethod === true;
  return code === 'HPE_INVALID_CONSTANT' && reason.startsWith('Invalid method');
}

/** More came after a request that was announced as the last. Its answer ends the connection anyway. */
export function isAfterLast({ code }: ParseFault): boolean {
  return code === 'HPE_CLOSED_CONNECTION';
}

/** Which part of a request is malformed. */
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
