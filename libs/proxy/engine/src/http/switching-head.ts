import { type RawHeaders, textOf } from './response-head.ts';

/** What is settled for each side anew; a 101 has no body. */
const LEFT_OUT = new Set(['connection', 'upgrade', 'keep-alive', 'transfer-encoding', 'content-length']);

/** The head of a 101 to WebSocket, as bytes. */
export function switchingHead(raw: RawHeaders): string {
  const lines = ['HTTP/1.1 101 Switching Protocols', 'Connection: Upgrade', 'Upgrade: websocket'];
  for (let index = 0; index + 1 < raw.length; index += 2) {
    const name = textOf(raw[index] ?? '');
    if (!LEFT_OUT.has(name.toLowerCase())) lines.push(`${name}: ${textOf(raw[index + 1] ?? '')}`);
  }
  return `${lines.join('\r\n')}\r\n\r\n`;
}
