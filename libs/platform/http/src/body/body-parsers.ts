import { isUtf8 } from 'node:buffer';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { DomainError, inTurns, parseJsonBytes, parseJsonInSteps } from '#platform/foundation';
import { isGzipped, unpackWhole } from './content-encoding.ts';
import { hasExactIntegers } from './exact-integers.ts';
import { isStreamingRoute } from './streaming-body.ts';
import { TextBody, textTypesOf, TOML, YAML } from './text-body.ts';

/** Bodies up to this size are parsed in one go, in less than a millisecond. */
const SMALL_BYTES = 64 * 1024;

export const NDJSON = 'application/x-ndjson';

/** Parses JSON, gzipped or not; routes that accept other types read them themselves. */
export function addBodyParsers(instance: FastifyInstance, bodyBytesMax: number): void {
  instance.removeAllContentTypeParsers();
  instance.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body: Buffer, done) => {
    parseJsonBody(request, body, bodyBytesMax, done);
  });
  instance.addContentTypeParser(NDJSON, (request, payload, done) => {
    if (isStreamingRoute(request)) done(null, payload);
    else done(wrongType(request));
  });
  instance.addContentTypeParser('*', (request, _payload, done) => done(wrongType(request)));
  for (const type of [YAML, TOML] as const) {
    instance.addContentTypeParser(type, { parseAs: 'buffer' }, (request, body: Buffer, done) => {
      if (textTypesOf(request).includes(type) && !isGzipped(request.headers))
        done(null, new TextBody(type, textOf(body)));
      else done(wrongType(request));
    });
  }
}

/** Lists the types that the route accepts. */
function wrongType(request: FastifyRequest): DomainError {
  const types = ['application/json', ...textTypesOf(request)];
  return new DomainError('UNSUPPORTED_MEDIA_TYPE', `Content-Type: expected ${types.join(' or ')}`);
}

function textOf(body: Buffer): string {
  if (isUtf8(body)) return body.toString('utf8');
  throw new DomainError('INVALID_REQUEST', 'body: expected UTF-8');
}

function parseJsonBody(
  request: FastifyRequest,
  body: Buffer,
  bytesMax: number,
  done: (error: Error | null, value?: unknown) => void,
): void {
  const exactIntegers = hasExactIntegers(request);
  if (!isGzipped(request.headers) && body.length <= SMALL_BYTES) {
    // Clients may send a content type without a body: an empty body is not malformed JSON.
    done(null, body.length === 0 ? undefined : parseJsonBytes(body, { exactIntegers }));
    return;
  }
  const unpacking = isGzipped(request.headers) ? unpackWhole(body, bytesMax) : Promise.resolve(body);
  unpacking
    .then((unpacked) => inTurns(parseJsonInSteps(unpacked, { exactIntegers })))
    .then((value) => {
      done(null, value);
    }, done);
}
