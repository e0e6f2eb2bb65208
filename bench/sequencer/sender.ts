import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** One connection that sends requests one after another. */
export class Sender {
  readonly #socket: Socket;
  #take: (text: string) => void = () => undefined;
  #fail: (error: Error) => void = () => undefined;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('data', (chunk) => this.#take(chunk.toString()));
    socket.on('close', () => this.#fail(new Error('the sequencer has closed a connection')));
  }

  static async open(port: number): Promise<Sender> {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    await once(socket, 'connect');
    return new Sender(socket);
  }

  /** Sends JSON-RPC bodies; throws when one is answered with an error. */
  async send(bodies: readonly string[]): Promise<void> {
    for (const body of bodies) {
      const answered = this.#answer();
      this.#socket.write(
        `POST / HTTP/1.1\r\nhost: sequencer\r\ncontent-type: application/json\r\n` +
          `content-length: ${body.length}\r\n\r\n${body}`,
      );
      const answer = await answered;
      if (!answer.includes('"result":"0x')) throw new Error(`expected a hash, got ${answer}`);
    }
  }

  close(): void {
    this.#socket.destroy();
  }

  /** An answer ends with the end of its JSON. */
  #answer(): Promise<string> {
    return new Promise((resolve, reject) => {
      let text = '';
      this.#fail = reject;
      this.#take = (more) => {
        text += more;
        if (text.endsWith('}') || text.endsWith('}\n')) resolve(text);
      };
    });
  }
}
