import type { FastifyReply } from 'fastify';
import type { Answer } from '../answer/answer.ts';

/** Sends an answer as it is. */
export function sendAnswer(reply: FastifyReply, { status, headers, body }: Answer): void {
  reply.code(status).headers(headers).send(Buffer.from(body));
}
