export interface RpcReply {
  readonly status: number;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: string };
}

/** JSON-RPC over fetch. */
export class RpcClient {
  readonly url: string;

  constructor(port: number) {
    this.url = `http://127.0.0.1:${port}`;
  }

  async post(body: string): Promise<{ readonly status: number; readonly text: string }> {
    const headers = { 'content-type': 'application/json' };
    const reply = await fetch(this.url, { method: 'POST', headers, body });
    return { status: reply.status, text: await reply.text() };
  }

  async reply(method: string, ...params: readonly unknown[]): Promise<RpcReply> {
    const { status, text } = await this.post(JSON.stringify({ jsonrpc: '2.0', id: 7, method, params }));
    return { ...(JSON.parse(text) as object), status };
  }

  /** The result of a call that must succeed. */
  async call<T>(method: string, ...params: readonly unknown[]): Promise<T> {
    const { result, error } = await this.reply(method, ...params);
    if (error !== undefined) throw new Error(`${method}: ${error.code} ${error.message}`);
    return result as T;
  }

  async count(method: string, ...params: readonly unknown[]): Promise<bigint> {
    return BigInt(await this.call<string>(method, ...params));
  }
}
