import { describe, expect, it } from '@jest/globals';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { PassThrough, Writable } from 'node:stream';
import { StdioSession } from './stdio-session.ts';

const PING = `${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' })}\n`;
const server = (): McpServer => new McpServer({ name: 'test', version: '1' });
const NEVER = new Promise<never>(() => undefined);

/** Accepts no data, like a pipe without a reader. */
function stuck(): Writable {
  return new Writable({ highWaterMark: 1, write: () => undefined });
}

describe('StdioSession', () => {
  it('ends when the client does not read its answers, and stops reading requests meanwhile', async () => {
    const input = new PassThrough({ highWaterMark: 64 });
    const session = new StdioSession({ server: server(), input, output: stuck(), stallMs: 1 });
    const ended = session.run(NEVER);
    let sent = 0;
    const offer = (): void => {
      while (!input.destroyed && sent < 100_000 && input.write(PING)) sent++;
    };
    input.on('drain', offer);
    offer();

    expect(await ended).toBe('stalled');
    expect(sent).toBeLessThan(1_000);
  });

  it('answers all requests before it ends after the client has closed its end', async () => {
    const input = new PassThrough();
    const output = new PassThrough();
    const ended = new StdioSession({ server: server(), input, output }).run(NEVER);

    input.end(PING);

    expect(await ended).toBe('gone');
    expect(String(output.read())).toBe(`${JSON.stringify({ result: {}, jsonrpc: '2.0', id: 1 })}\n`);
  });

  it('refuses a line that is not UTF-8, and answers the next', async () => {
    const input = new PassThrough();
    const output = new PassThrough();
    const ended = new StdioSession({ server: server(), input, output }).run(NEVER);

    input.write(Buffer.from(PING.replace('"ping"', '"p\xff"'), 'latin1'));
    input.end(PING);

    await ended;
    const answers = String(output.read()).trim().split('\n');
    expect(answers.map((answer) => JSON.parse(answer) as object)).toEqual([
      { jsonrpc: '2.0', id: null, error: { code: -32_700, message: 'Parse error: expected UTF-8' } },
      { jsonrpc: '2.0', id: 1, result: {} },
    ]);
  });

  it('ends when it is stopped, and when a line exceeds the limit', async () => {
    const open = { server: server(), input: new PassThrough(), output: new PassThrough() };
    const endless = { server: server(), input: new PassThrough(), output: new PassThrough() };
    const ended = new StdioSession(endless).run(NEVER);

    endless.input.write('x'.repeat(5 * 1024 * 1024));

    expect(await new StdioSession(open).run(Promise.resolve())).toBe('stopped');
    expect(await ended).toBe('gone');
  });
});
