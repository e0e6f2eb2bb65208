import type { FastifyInstance, FastifyRequest } from 'fastify';
import { DomainError } from '#foundation';
import { isGzipped, unpackWhole } from './content-encoding.ts';
import { parseJsonBytes } from './json-bytes.ts';
import { isStreamingRoute } from './streaming-body.ts';

export const NDJSON = 'application/x-ndjson';

/** JSON, gzipped or not, is all that is parsed; NDJSON is left to its route as a stream. */
export function addBodyParsers(instance: FastifyInstance, bodyBytesMax: number): void {
  instance.removeAllContentTypeParsers();
  instance.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body: Buffer, done) => {
    parseJsonBody(request, body, bodyBytesMax, done);
  });
  instance.addContentTypeParser(NDJSON, (request, payload, done) => {
    if (isStreamingRoute(request)) done(null, payload);
    else done(new DomainError('UNSUPPORTED_MEDIA_TYPE', 'Content-Type: expected application/json'));
  });
}

function parseJsonBody(
  request: FastifyRequest,
  body: Buffer,
  bytesMax: number,
  done: (error: Error | null, value?: unknown) => void,
): void {
  if (!isGzipped(request.headers)) {
    done(null, parseJsonBytes(body));
    return;
  }
  unpackWhole(body, bytesMax)
    .then((unpacked) => parseJsonBytes(unpacked))
    .then((value) => {
      done(null, value);
    }, done);
}
