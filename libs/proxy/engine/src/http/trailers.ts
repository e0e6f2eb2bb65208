import { type RawHeaders, textOf } from './response-head.ts';

/** What may not come after a body, because it says how to read it or where it goes (RFC 9110, 6.5.1). */
const FORBIDDEN = new Set([
  'connection',
  'content-encoding',
  'content-length',
  'content-range',
  'content-type',
  'host',
  'keep-alive',
  'set-cookie',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** The trailers that are passed on. */
export function trailersOf(raw: RawHeaders): [string, string][] {
  const trailers: [string, string][] = [];
  for (let index = 0; index + 1 < raw.length; index += 2) {
    const name = textOf(raw[index] ?? '');
    if (!FORBIDDEN.has(name.toLowerCase())) trailers.push([name, textOf(raw[index + 1] ?? '')]);
  }
  return trailers;
}
