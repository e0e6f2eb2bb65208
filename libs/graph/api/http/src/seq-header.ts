/**
 * `Plexus-Seq: <epoch>.<sequence number>` on every reply below /v1 to a request that was admitted: the
 * snapshot that was read, or the batch that was written. A request with this header waits until the graph
 * has reached the number, so that a client which passes it on reads monotonically from any node (ADR 0217).
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Graph, parseSeqToken, SeenSeq, SEQ_WAIT_MS, type SeqPoint, seqToken } from '#graph/engine';
import { isOfKnownCaller, isPublicRoute } from '#platform/auth';
import { abortWhenClosed, type CarriedHeader } from '#platform/http';
import { REPLAYED } from './replayed-header.ts';

const NAME = 'plexus-seq';
const API_PATH = /^\/v1(?:[/?]|$)/;
const REFUSED: ReadonlySet<number> = new Set([401, 403]);
/** Its body contains the time-out. */
const QUERY_PATH = '/v1/query';

/** Its description in the OpenAPI document. */
export const SEQ_HEADER: CarriedHeader = {
  name: 'Plexus-Seq',
  paths: API_PATH,
  schema: {
    type: 'string',
    pattern: String.raw`^[\w-]{1,64}\.\d{1,16}$`,
    example: '8c1f0e5b7a9d2c3e4f60.1042',
  },
  reply: 'The snapshot that was read, or the batch that was written: hand it on to read nothing older.',
  request:
    'As a reply gave it: the request waits until nothing older is read. 503 `NOT_CAUGHT_UP` when that takes too long.',
};

export interface SeqHeaderParts {
  readonly graph: Graph;
  /** Longest run of a query, and longest wait. */
  readonly queryTimeoutMs: number;
}

type HookDone = (error?: Error) => void;

interface SeqRequest {
  readonly seen: SeenSeq;
  /** Undefined without the header, and on public routes: a waiting request occupies memory. */
  readonly asked: SeqPoint | undefined;
  readonly isQuery: boolean;
}

/** The property of a request that holds its {@link SeqRequest}; undefined for paths outside /v1. */
const SEQ = 'plexusSeq';

/** Must be called before the application listens. */
export function carrySeq(instance: FastifyInstance, { graph, queryTimeoutMs }: SeqHeaderParts): void {
  const wait = (asked: SeqPoint, isQuery: boolean, request: FastifyRequest, reply: FastifyReply) => {
    const timeoutMs = isQuery ? Math.min(timeoutOf(request.body), queryTimeoutMs) : SEQ_WAIT_MS;
    return graph.reachedPoint(asked, timeoutMs, abortWhenClosed(reply));
  };
  const afterWait = (
    { asked, isQuery }: SeqRequest,
    request: FastifyRequest,
    reply: FastifyReply,
    done: HookDone,
  ): void => {
    if (asked === undefined || graph.shows(asked)) done();
    else wait(asked, isQuery, request, reply).then(() => done(), done);
  };
  instance.decorateRequest(SEQ, undefined);
  instance.addHook('onRequest', (request, reply, done) => {
    const path = pathOf(request);
    const seq = API_PATH.test(path) ? requestOf(request, path === QUERY_PATH) : undefined;
    request.setDecorator(SEQ, seq);
    if (seq === undefined || seq.isQuery) done();
    else afterWait(seq, request, reply, done);
  });
  // Body parsing resumes from a socket callback: only later hooks run within the asynchronous context.
  instance.addHook('preValidation', (request, reply, done) => {
    const seq = request.getDecorator<SeqRequest | undefined>(SEQ);
    if (seq === undefined) done();
    else if (!seq.isQuery) seq.seen.within(done);
    else afterWait(seq, request, reply, (error) => seq.seen.within(() => done(error)));
  });
  instance.addHook('onSend', (request, reply, _payload, done) => {
    // Who is not admitted learns nothing of the graph.
    if (REFUSED.has(reply.statusCode) || !isOfKnownCaller(request)) {
      done();
      return;
    }
    const { seen } = request.getDecorator<SeqRequest | null | undefined>(SEQ) ?? {};
    // A request that was refused before the first hook has none.
    if (seen !== undefined || API_PATH.test(pathOf(request)))
      reply.header(
        SEQ_HEADER.name,
        seqToken(seen?.point ?? { epoch: graph.epoch, seq: graph.durableVersion }),
      );
    // Nothing of this request was written, whatever it says (ADR 0622).
    if (seen?.isRepeated === true) reply.header(REPLAYED, 'true');
    done();
  });
}

/** The route's, or the client's where it has none. */
function pathOf({ is404, url, routeOptions }: FastifyRequest): string {
  return is404 ? url : (routeOptions.url ?? url);
}

/** Throws INVALID_REQUEST. */
function requestOf(request: FastifyRequest, isQuery: boolean): SeqRequest {
  const given = request.headers[NAME];
  const asks = given !== undefined && !isPublicRoute(request);
  return { seen: new SeenSeq(), asked: asks ? parseSeqToken(String(given)) : undefined, isQuery };
}

function timeoutOf(body: unknown): number {
  if (typeof body !== 'object' || body === null || !('timeout_ms' in body)) return SEQ_WAIT_MS;
  const { timeout_ms: timeoutMs } = body;
  return typeof timeoutMs === 'number' && timeoutMs >= 1 ? timeoutMs : SEQ_WAIT_MS;
}
