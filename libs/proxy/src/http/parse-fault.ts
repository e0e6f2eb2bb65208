import type { OwnAnswer } from './own-answer.ts';

/** What the parser, or the socket under it, has to say. */
export interface ParseFault extends Error {
  readonly code?: string;
  /** Of the parser. */
  readonly reason?: string;
}

/** What the client sent is no HTTP: how it is answered. Undefined: it has sent nothing wrong. */
export function answerTo({ code = '', reason = '' }: ParseFault): OwnAnswer | undefined {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return { statusCode: 431, text: 'the head of the request is too large' };
    case 'HPE_PAUSED_H2_UPGRADE':
      return { statusCode: 400, text: 'bad request: this proxy does not speak HTTP/2' };
    // The client hung up in the middle.
    case 'HPE_INVALID_EOF_STATE':
      return undefined;
    default:
      return code.startsWith('HPE_') ? { statusCode: 400, text: `bad request: ${reason}` } : undefined;
  }
}

/** More came after a request that was announced as the last. Its answer ends the connection anyway. */
export function isAfterLast({ code }: ParseFault): boolean {
  return code === 'HPE_CLOSED_CONNECTION';
}
