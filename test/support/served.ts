import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

export type Body = Readonly<Record<string, unknown>>;

/** A client of an HTTP server. Throws for an error status. */
export class Served {
  readonly url: string;

  constructor(url: string) {
    this.url = url;
  }

  async bytes(path: string): Promise<ArrayBuffer> {
    const reply = await fetch(this.url + path);
    if (!reply.ok) throw new Error(`${path} answers ${reply.status}: ${await reply.text()}`);
    return reply.arrayBuffer();
  }

  async text(path: string): Promise<string> {
    return Buffer.from(await this.bytes(path)).toString('utf8');
  }

  async json<Reply = Body>(path: string): Promise<Reply> {
    return JSON.parse(await this.text(path)) as Reply;
  }

  async post<Reply = Body>(path: string, body: Body): Promise<Reply> {
    const headers = { 'Content-Type': 'application/json' };
    const reply = await fetch(this.url + path, { method: 'POST', headers, body: JSON.stringify(body) });
    const text = await reply.text();
    if (!reply.ok) throw new Error(`${path} answers ${reply.status}: ${text}`);
    return JSON.parse(text) as Reply;
  }

  /** The sizes of the assets that a page loads at its start: scripts, styles, images. */
  async assetsOf(path: string): Promise<readonly number[]> {
    const page = await this.text(path);
    const paths = Array.from(page.matchAll(/(?:src|href)="(\/[^"]+)"/g), ([, asset = '']) => asset);
    return Promise.all(paths.map(async (asset) => (await this.bytes(asset)).byteLength));
  }

  /** Runs a connector to its end. */
  async connectorRun(id: string): Promise<Body> {
    const { run_id: runId } = await this.post(`/v1/connectors/${id}/run`, {});
    for (;;) {
      const run = await this.json(`/v1/connectors/runs/${String(runId)}`);
      if (run['ended_at'] !== null) return run;
    }
  }

  /** The view of a model: the names of tools, and the reference of PQL. */
  async seenByModels(): Promise<{ readonly tools: readonly string[]; readonly reference: string }> {
    const client = new Client({ name: 'test', version: '1' });
    await client.connect(new StreamableHTTPClientTransport(new URL(`${this.url}/mcp`)));
    const { tools } = await client.listTools();
    const { contents } = await client.readResource({ uri: 'plexus://pql' });
    await client.close();
    return { tools: tools.map(({ name }) => name), reference: JSON.stringify(contents) };
  }
}
