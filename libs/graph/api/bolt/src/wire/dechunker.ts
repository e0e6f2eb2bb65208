import { MalformedMessage } from '../packstream/unpacker.ts';

const HEAD_BYTES = 2;

/**
 * Joins chunks into messages, whatever pieces they arrive in. Memory: the message in progress, and one
 * reference for each of its pieces; pieces are copied into one once there are many.
 */
export class Dechunker {
  readonly #onMessage: (message: Buffer) => void;
  /** The largest message that is taken now. */
  bytesMax: number;
  #parts: Buffer[] = [];
  #bytes = 0;
  /** Number of bytes that the chunk in progress still lacks. */
  #left = 0;
  /** The first byte of a head that is split. */
  #halfHead: number | undefined;

  constructor(bytesMax: number, onMessage: (message: Buffer) => void) {
    this.bytesMax = bytesMax;
    this.#onMessage = onMessage;
  }

  /** Bytes of the message in progress. */
  get held(): number {
    return this.#bytes;
  }

  /** Calls `onMessage` for each complete message. Throws {@link MalformedMessage} above the maximum size. */
  take(data: Buffer): void {
    let at = 0;
    while (at < data.length) {
      if (this.#left > 0) {
        const piece = data.subarray(at, at + this.#left);
        this.#add(piece);
        this.#left -= piece.length;
        at += piece.length;
        continue;
      }
      if (this.#halfHead === undefined && at + 1 === data.length) {
        this.#halfHead = data[at];
        return;
      }
      const size =
        this.#halfHead === undefined ? data.readUInt16BE(at) : (this.#halfHead << 8) | data.readUInt8(at);
      at += this.#halfHead === undefined ? HEAD_BYTES : 1;
      this.#halfHead = undefined;
      this.#begin(size);
    }
  }

  #begin(size: number): void {
    this.#left = size;
    if (size > 0) {
      if (this.#bytes + size > this.bytesMax) {
        throw new MalformedMessage(`expected a message of at most ${this.bytesMax} bytes`);
      }
      return;
    }
    // An empty chunk between messages keeps the connection alive.
    if (this.#bytes === 0) return;
    const message = this.#joined();
    this.#parts = [];
    this.#bytes = 0;
    this.#onMessage(message);
  }

  #add(piece: Buffer): void {
    this.#parts.push(piece);
    this.#bytes += piece.length;
    if (this.#parts.length >= PARTS_MAX) this.#parts = [this.#joined()];
  }

  #joined(): Buffer {
    const [first] = this.#parts;
    // What is read from the socket is shared with other messages: a part of it must not keep the whole.
    return this.#parts.length === 1 && first?.length === first?.buffer.byteLength
      ? (first ?? Buffer.alloc(0))
      : Buffer.concat(this.#parts, this.#bytes);
  }
}

/** Chunks of a single byte would otherwise cost a hundred times their size. */
const PARTS_MAX = 1_024;
