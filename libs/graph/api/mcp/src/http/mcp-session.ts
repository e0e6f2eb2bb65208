import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { isJSONRPCRequest, type RequestId } from '@modelcontextprotocol/sdk/types.js';
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';

/** The library keeps state of a cancelled request until the end of its session. */
const CANCELLED_MAX = 1_000;

/** The session of one HTTP client, from its `initialize` on. */
export class McpSession {
  readonly #server: McpServer;
  readonly #transport: StreamableHTTPServerTransport;
  #open = 0;
  #cancelled = 0;

  /** `onOpen` is called with the session's id, `onClose` at its end. */
  static async connect(
    server: McpServer,
    { onOpen, onClose }: { readonly onOpen: (id: string) => void; readonly onClose: () => void },
  ): Promise<McpSession> {
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: onOpen,
    });
    server.server.onclose = onClose;
    await server.connect(transport);
    return new McpSession(server, transport);
  }

  private constructor(server: McpServer, transport: StreamableHTTPServerTransport) {
    this.#server = server;
    this.#transport = transport;
  }

  /** Pending requests. */
  get open(): number {
    return this.#open;
  }

  get isInitialized(): boolean {
    return this.#transport.sessionId !== undefined;
  }

  /** Answers one HTTP request; cancels it if the client disconnects. */
  async answer(request: IncomingMessage, response: ServerResponse, body: unknown): Promise<void> {
    // The close event has already been emitted.
    if (response.destroyed) return;
    this.#open++;
    const closed = new Promise<void>((resolve) => {
      response.once('close', () => {
        this.#open--;
        if (!response.writableFinished) this.#cancel(body);
        resolve();
      });
    });
    this.#count(cancelledBy(body));
    await this.#transport.handleRequest(request, response, body);
    await closed;
  }

  async close(): Promise<void> {
    await this.#server.close();
  }

  /** Sends the protocol's cancellation message. */
  #cancel(body: unknown): void {
    const ids = requestIdsOf(body);
    for (const requestId of ids) {
      const params = { requestId, reason: 'the client went away' };
      this.#transport.onmessage?.({ jsonrpc: '2.0', method: 'notifications/cancelled', params });
    }
    this.#count(ids.length);
  }

  #count(cancelled: number): void {
    this.#cancelled += cancelled;
    if (this.#cancelled > CANCELLED_MAX) void this.close();
  }
}

function messagesOf(body: unknown): readonly unknown[] {
  return Array.isArray(body) ? body : [body];
}

function requestIdsOf(body: unknown): readonly RequestId[] {
  return messagesOf(body)
    .filter(isJSONRPCRequest)
    .map(({ id }) => id);
}

function cancelledBy(body: unknown): number {
  return messagesOf(body).filter(
    (message) =>
      typeof message === 'object' &&
      message !== null &&
      'method' in message &&
      message.method === 'notifications/cancelled',
  ).length;
}
