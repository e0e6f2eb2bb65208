import type { OwnAnswer } from './own-answer.ts';
import type { RequestLine } from './request-line.ts';

/** What the parser, or the socket under it, has to say. */
export interface ParseFault extends Error {
  readonly code?: string;
  /** Of the parser. */
  readonly reason?: string;
}

const UNKNOWN_METHOD: OwnAnswer = { statusCode: 501, text: 'a method that this proxy does not know' };

/** What the client sent is no HTTP: how it is answered. Undefined: it has sent nothing wrong. */
export function answerTo(
  { code = '', reason = '' }: ParseFault,
  line: RequestLine | undefined,
  maxHeaderBytes: number,
): OwnAnswer | undefined {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return (line?.bytes ?? 0) >= maxHeaderBytes
        ? { statusCode: 414, text: 'the target of the request is too long' }
        : { statusCode: 431, text: 'the head of the request is too large' };
    case 'HPE_INVALID_METHOD':
      return line?.hasMethod === true ? UNKNOWN_METHOD : bad('the method');
    case 'HPE_INVALID_CONSTANT':
      // Of another protocol that the parser knows.
      return reason.startsWith('Invalid method') ? UNKNOWN_METHOD : bad('the first line');
    case 'HPE_PAUSED_H2_UPGRADE':
      return { statusCode: 400, text: 'bad request: this proxy does not speak HTTP/2' };
    // The client hung up in the middle.
    case 'HPE_INVALID_EOF_STATE':
      return undefined;
    default:
      return code.startsWith('HPE_') ? bad(PARTS.get(code) ?? 'the head') : undefined;
  }
}

/** More came after a request that was announced as the last. Its answer ends the connection anyway. */
export function isAfterLast({ code }: ParseFault): boolean {
  return code === 'HPE_CLOSED_CONNECTION';
}

/** Which part of a request is malformed. */
const PARTS: ReadonlyMap<string, string> = new Map([
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

function bad(part: string): OwnAnswer {
  return { statusCode: 400, text: `bad request: ${part} is malformed` };
}
