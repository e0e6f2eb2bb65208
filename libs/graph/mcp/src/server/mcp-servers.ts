import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { createMcpServer, type McpServerParts } from './create-mcp-server.ts';

/** Makes a server for each client. */
export class McpServers {
  readonly #parts: McpServerParts;

  constructor(parts: McpServerParts) {
    this.#parts = parts;
  }

  create(): McpServer {
    return createMcpServer(this.#parts);
  }
}
