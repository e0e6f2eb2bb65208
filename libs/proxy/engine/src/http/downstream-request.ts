/**
 * A request as the server makes it. Hot path.
 *
 * Node makes an object of all headers as soon as it asks for one of them, and it asks for four in each
 * request: that costs more than all that is done with them here. So it gets the four that it asks for, and
 * everybody else reads `rawHeaders`.
 */
import { IncomingMessage } from 'node:http';

const ASKED_FOR = new Set(['content-length', 'transfer-encoding', 'expect', 'te']);
const NONE = Object.freeze({});

export class DownstreamRequest extends IncomingMessage {
  static {
    Object.defineProperty(this.prototype, 'headers', { get: headersAskedFor });
  }
}

/** The length tells most names apart from those that matter. */
function headersAskedFor(this: IncomingMessage): Readonly<Record<string, string>> {
  const raw = this.rawHeaders;
  let asked: Record<string, string> | undefined;
  for (let index = 0; index < raw.length; index += 2) {
    const { length } = raw[index]!;
    if (length !== 14 && length !== 17 && length !== 6 && length !== 2) continue;
    const name = raw[index]!.toLowerCase();
    if (ASKED_FOR.has(name)) (asked ??= {})[name] = raw[index + 1]!;
  }
  return asked ?? NONE;
}
