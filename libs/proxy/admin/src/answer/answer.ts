import type { FastifyReply } from 'fastify';

/** A complete response of the admin server, independent of how it is sent. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export const CONTENT_TYPE = {
  text: 'text/plain; charset=utf-8',
  json: 'application/json',
} as const;

/** Sent with every response: it must not be cached, nor its type guessed. */
export const COMMON_HEADERS = { 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' } as const;

export function answer(
  status: number,
  type: (typeof CONTENT_TYPE)[keyof typeof CONTENT_TYPE],
  body: string,
): Answer {
  return { status, headers: { 'Content-Type': type, ...COMMON_HEADERS }, body };
}

/** Sends a response unchanged. */
export function sendAnswer(reply: FastifyReply, { status, headers, body }: Answer): void {
  reply.code(status).headers(headers).send(Buffer.from(body));
}
