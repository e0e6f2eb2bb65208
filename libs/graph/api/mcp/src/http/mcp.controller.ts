import { Body, Controller, Delete, Headers, Inject, Post, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Admission, callerOf, Requires } from '#platform/auth';
import { DomainError } from '#platform/foundation';
import { endWhenStalled } from '#platform/http';
import { Log } from '#platform/observability';
import type { McpSession } from './mcp-session.ts';
import { McpSessions } from './mcp-sessions.ts';

const SESSION_HEADER = 'mcp-session-id';

/**
 * The Model Context Protocol over streamable HTTP. There is no GET: the server sends no unsolicited messages.
 * Beside the key, the Host header must be a name of this server.
 */
@ApiExcludeController()
@Controller('mcp')
export class McpController {
  readonly #sessions: McpSessions;
  readonly #admission: Admission;
  readonly #log: Log;

  constructor(
    @Inject(McpSessions) sessions: McpSessions,
    @Inject(Admission) admission: Admission,
    @Inject(Log) log: Log,
  ) {
    this.#sessions = sessions;
    this.#admission = admission;
    this.#log = log;
  }

  @Post()
  @Requires('read', { keepsScope: true })
  async post(
    @Headers(SESSION_HEADER) id: string | undefined,
    @Body() body: unknown,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    this.#check(request);
    if (typeof body !== 'object' || body === null)
      throw new DomainError('INVALID_REQUEST', 'body: expected a message of JSON-RPC');
    const session = await this.#sessions.sessionOf(id, body, callerOf(request));
    await this.#answer(session, request, reply, body);
  }

  @Delete()
  @Requires('read', { keepsScope: true })
  async end(
    @Headers(SESSION_HEADER) id: string | undefined,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    this.#check(request);
    const session = await this.#sessions.sessionOf(id, undefined, callerOf(request));
    await this.#answer(session, request, reply, undefined);
  }

  #check(request: FastifyRequest): void {
    const fault = this.#admission.rebindingFaultOf(request);
    if (fault !== undefined) throw fault;
  }

  /** Hands the request to the library, which writes the reply. */
  async #answer(
    session: McpSession,
    request: FastifyRequest,
    reply: FastifyReply,
    body: unknown,
  ): Promise<void> {
    reply.hijack();
    reply.raw.setHeader('X-Request-Id', request.id);
    endWhenStalled(reply);
    try {
      await session.answer(request.raw, reply.raw, body);
    } catch (err) {
      this.#log.error({ event: 'mcp.defect', err, request_id: request.id }, 'request failed');
      reply.raw.destroy();
    }
    if (!session.isInitialized) await session.close();
  }
}
