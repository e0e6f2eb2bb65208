/**
 * `Plexus-Seq: <epoch>.<sequence number>` on every reply below /v1: the snapshot that was read, or the batch
 * that was written. A request with this header waits until the graph has reached the number, so that a client
 * which passes it on reads monotonically from any node (ADR 0217).
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Graph, parseSeqToken, SeenSeq, SEQ_WAIT_MS, seqToken } from '#graph/engine';
import { isPublicRoute } from '#platform/auth';
import { abortWhenClosed, type CarriedHeader } from '#platform/http';

const NAME = 'plexus-seq';
const API_PATH = /^\/v1(?:[/?]|$)/;
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
  readonly asked: number | undefined;
}

/** Must be called before the application listens. */
export function carrySeq(instance: FastifyInstance, { graph, queryTimeoutMs }: SeqHeaderParts): void {
  const requests = new WeakMap<FastifyRequest, SeqRequest>();
  const wait = (request: FastifyRequest, reply: FastifyReply, done: HookDone): void => {
    const { asked = 0 } = requests.get(request) ?? {};
    if (asked <= graph.durableVersion) {
      done();
      return;
    }
    const timeoutMs = isQuery(request) ? Math.min(timeoutOf(request.body), queryTimeoutMs) : SEQ_WAIT_MS;
    graph.reached(asked, timeoutMs, abortWhenClosed(reply)).then(() => {
      done();
    }, done);
  };
  instance.addHook('onRequest', (request, reply, done) => {
    if (isApiRequest(request)) requests.set(request, requestOf(request, graph.epoch));
    if (isQuery(request)) done();
    else wait(request, reply, done);
  });
  // Body parsing resumes from a socket callback: only later hooks run within the asynchronous context.
  instance.addHook('preValidation', (request, reply, done) => {
    const { seen } = requests.get(request) ?? {};
    const goOn: HookDone = (error) => (seen === undefined ? done(error) : seen.within(() => done(error)));
    if (isQuery(request)) wait(request, reply, goOn);
    else goOn();
  });
  instance.addHook('onSend', (request, reply, _payload, done) => {
    if (isApiRequest(request)) {
      const seq = requests.get(request)?.seen.seq ?? graph.durableVersion;
      reply.header(SEQ_HEADER.name, seqToken(graph.epoch, seq));
    }
    done();
  });
}

/** Throws INVALID_REQUEST and CONFLICT. */
function requestOf(request: FastifyRequest, epoch: string): SeqRequest {
  const given = request.headers[NAME];
  const asks = given !== undefined && !isPublicRoute(request);
  return { seen: new SeenSeq(), asked: asks ? parseSeqToken(String(given), epoch) : undefined };
}

function isApiRequest({ is404, url, routeOptions }: FastifyRequest): boolean {
  return API_PATH.test(is404 ? url : (routeOptions.url ?? url));
}

function isQuery({ routeOptions }: FastifyRequest): boolean {
  return routeOptions.url === QUERY_PATH;
}

function timeoutOf(body: unknown): number {
  if (typeof body !== 'object' || body === null || !('timeout_ms' in body)) return SEQ_WAIT_MS;
  const { timeout_ms: timeoutMs } = body;
  return typeof timeoutMs === 'number' && timeoutMs >= 1 ? timeoutMs : SEQ_WAIT_MS;
}
