import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { ErrorCode, isJSONRPCRequest, type JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { isUtf8 } from 'node:buffer';
import { once } from 'node:events';
import { Readable, type Writable } from 'node:stream';
import { pause, readLines } from '#platform/foundation';

/** How long requests are still answered after the client has closed its end. */
const FINISH_MS = 2_000;
/** How long a client may leave answers unread. */
const STALL_MS = 60_000;
/** Size of one message; the protocol's lines are short. */
const LINE_BYTES_MAX = 4 * 1024 * 1024;
const LINE_END = Buffer.from('\n');
/** The answer to a line that is not UTF-8, whose id cannot be trusted either. */
const NOT_UTF8 = `${JSON.stringify({
  jsonrpc: '2.0',
  id: null,
  error: { code: ErrorCode.ParseError, message: 'Parse error: expected UTF-8' },
})}\n`;

export interface StdioSessionOptions {
  readonly server: McpServer;
  readonly input: Readable;
  readonly output: Writable;
  readonly finishMs?: number;
  readonly stallMs?: number;
}

/** Why a session ended. */
export type StdioEnd = 'gone' | 'stopped' | 'stalled';

/** One client over standard input and output. */
export class StdioSession {
  readonly #options: StdioSessionOptions;
  readonly #unanswered = new Set<string | number>();
  readonly #ended = Promise.withResolvers<StdioEnd>();
  #onAnswered: (() => void) | undefined;

  constructor(options: StdioSessionOptions) {
    this.#options = options;
  }

  /** Runs until the client disconnects or `stopped` resolves, then cancels pending requests. */
  async run(stopped: Promise<unknown>): Promise<StdioEnd> {
    const { server, input, output } = this.#options;
    const isGone = (): void => this.#ended.resolve('gone');
    const lines = Readable.from(this.#paced(), { objectMode: false });
    lines.once('end', () => void this.#finish()).once('error', isGone);
    output.once('close', isGone).once('error', isGone);
    const transport = new StdioServerTransport(lines, output, { maxBufferSize: LINE_BYTES_MAX + 1 });
    server.server.onclose = isGone;
    await server.connect(this.#watched(transport));
    const end = await Promise.race([this.#ended.promise, stopped.then((): StdioEnd => 'stopped')]);
    await server.close();
    input.destroy();
    lines.destroy();
    return end;
  }

  /** The client's messages; reading pauses while answers are unread. */
  async *#paced(): AsyncGenerator<Buffer> {
    const { input, output, stallMs = STALL_MS } = this.#options;
    for await (const lines of readLines(input, LINE_BYTES_MAX)) {
      if (output.writableNeedDrain) {
        const drained = new AbortController();
        const isDrained = once(output, 'drain').then(() => drained.abort());
        await Promise.race([isDrained, pause(stallMs, drained.signal)]);
        if (!drained.signal.aborted) this.#ended.resolve('stalled');
      }
      for (const line of lines) {
        if (isUtf8(line)) yield Buffer.concat([line, LINE_END]);
        else output.write(NOT_UTF8);
      }
    }
  }

  /** Tracks the unanswered requests. */
  #watched(transport: StdioServerTransport): StdioServerTransport {
    const send = transport.send.bind(transport);
    transport.send = (message: JSONRPCMessage): Promise<void> => {
      if ('id' in message && !('method' in message) && message.id !== undefined) {
        this.#unanswered.delete(message.id);
        if (this.#unanswered.size === 0) this.#onAnswered?.();
      }
      return send(message);
    };
    // Runs before the server's own handler.
    transport.onmessage = (message) => {
      if (isJSONRPCRequest(message)) this.#unanswered.add(message.id);
    };
    return transport;
  }

  async #finish(): Promise<void> {
    const answered = new AbortController();
    this.#onAnswered = () => answered.abort();
    if (this.#unanswered.size > 0) await pause(this.#options.finishMs ?? FINISH_MS, answered.signal);
    this.#ended.resolve('gone');
  }
}
