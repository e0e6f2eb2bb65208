import { once } from 'node:events';
import { WebSocket } from 'ws';

interface HeadNotice {
  readonly params?: { readonly result?: { readonly number?: unknown } };
}

/** Tells of each new block of anvil by its number, over WebSocket. */
export class HeadSubscription {
  readonly #socket: WebSocket;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
  }

  /** Resolves when anvil tells of its blocks. */
  static async open(port: number, onHead: (number: number) => void): Promise<HeadSubscription> {
    const socket = new WebSocket(`ws://127.0.0.1:${port}`);
    await once(socket, 'open');
    socket.on('message', (data: Buffer) => {
      const number = (JSON.parse(data.toString()) as HeadNotice).params?.result?.number;
      if (typeof number === 'string') onHead(Number(number));
    });
    socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_subscribe', params: ['newHeads'] }));
    return new HeadSubscription(socket);
  }

  close(): void {
    this.#socket.terminate();
  }
}
