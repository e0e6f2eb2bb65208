/**
 * The request class of the server. Hot path.
 *
 * Node builds an object of all headers on first access, and accesses four headers of each request: that costs
 * more than all other header processing here. So this class provides only those four, and all other code
 * reads `rawHeaders`.
 */
import { IncomingMessage } from 'node:http';

const ASKED_FOR = new Set(['content-length', 'transfer-encoding', 'expect', 'te']);
const NONE = Object.freeze({});

export class DownstreamRequest extends IncomingMessage {
  static {
    Object.defineProperty(this.prototype, 'headers', { get: headersAskedFor });
  }
}

/** The length rules out most names. */
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
