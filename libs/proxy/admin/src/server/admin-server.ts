import { fastify, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { RequestListener, Server } from 'node:http';
import type { Socket } from 'node:net';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { type Actor, actingAs, type AuditTrail } from '#platform/audit';
import { actorOfRequest, type Keyring, NOBODY, requirementIn } from '#platform/auth';
import {
  boundClosing,
  type ErrorFilter,
  keepToTls,
  listeningServer,
  type OwnServer,
  requestIdOf,
} from '#platform/http';
import type { ServerTls } from '#platform/tls';
import type { AdminConfig, HostPort } from '#proxy/engine';
import { COMMON_HEADERS } from '../answer/answer.ts';
import { notFoundAnswer } from '../answer/refusal.ts';
import { EndpointTable } from '../endpoint/endpoint-table.ts';
import { admitKnown } from './admin-gate.ts';
import { ADMIN_LIMITS, type AdminLimits } from './admin-limits.ts';
import { AdminRules } from './admin-rules.ts';
import { boundConnections } from './bound-connections.ts';
import { answerClientError, answerLast } from './client-error.ts';
import { readOneAtATime } from './one-at-a-time.ts';

const compress = promisify(gzip);
const STATS = '/stats';
/** Matches an `Accept-Encoding` that accepts gzip; a quality of 0 does not. */
const GZIP = /(?:^|,)[\t ]*(?:x-)?gzip[\t ]*(?:;[\t ]*q=(?:1|0?\.0{0,2}[1-9])[\d.]*[\t ]*)?(?:,|$)/i;

export interface AdminServerParts {
  readonly limits?: AdminLimits;
  /** The token of the configuration and the keys of a file; undefined: the token alone. */
  readonly keys?: Keyring | undefined;
  /** Undefined: plain text. */
  readonly tls?: ServerTls | undefined;
  /** Takes the event of each refusal. */
  readonly audit?: Pick<AuditTrail, 'refusal'> | undefined;
}

/** The server of the admin endpoints, with its own rules and limits. */
export class AdminServer {
  readonly #admin: AdminConfig;
  readonly #rules: AdminRules;
  readonly #limits: AdminLimits;
  readonly #tls: ServerTls | undefined;
  readonly #audit: AdminServerParts['audit'];

  constructor(
    admin: AdminConfig,
    address: HostPort,
    { limits = ADMIN_LIMITS, keys, tls, audit }: AdminServerParts = {},
  ) {
    this.#admin = admin;
    this.#rules = new AdminRules(admin, address, keys);
    this.#limits = limits;
    this.#tls = tls;
    this.#audit = audit;
  }

  /** How changes are authorized, for the log. */
  get changes(): AdminRules['changes'] {
    return this.#rules.changes;
  }

  readonly create: OwnServer = ({ errors, log }) => {
    const table = new EndpointTable({ extensions: this.#admin.extensions });
    const instance = createServer({
      table,
      rules: this.#rules,
      limits: this.#limits,
      errors,
      tls: this.#tls,
      audit: this.#audit,
    });
    instance.server.on('error', (err: NodeJS.ErrnoException) => {
      // Before the server listens, the caller of `listen` receives the error.
      if (!instance.server.listening) return;
      log.warn({ event: 'admin.accept_failed', err }, 'admin connection could not be accepted');
    });
    return instance;
  };
}

interface AdminServerOptions {
  readonly table: EndpointTable;
  readonly rules: AdminRules;
  readonly limits: AdminLimits;
  readonly errors: ErrorFilter;
  readonly tls: ServerTls | undefined;
  readonly audit: AdminServerParts['audit'];
}

/** The admin server's Fastify, ready for Nest's adapter. */
function createServer(options: AdminServerOptions): FastifyInstance {
  const { table, rules, limits, errors, tls } = options;
  const instance = fastify({
    serverFactory: (handler) => limitedServer(admitKnown(table, handler), options),
    bodyLimit: limits.bodyBytesMax,
    routerOptions: { maxParamLength: limits.headerBytesMax },
    forceCloseConnections: false,
    return503OnClosing: false,
    genReqId: requestIdOf,
    requestIdHeader: false,
    clientErrorHandler: (error, socket) => answerClientError(error, socket, table),
    frameworkErrors: (error, request, reply) => errors.answer(error, request, reply),
  });
  instance.addHook('onRequest', (request, reply, done) => {
    reply.headers(COMMON_HEADERS);
    if (request.url.startsWith('/admin/') && !passes(rules, request, reply, errors)) return;
    done();
  });
  followCallers(instance, options);
  takeBodies(instance);
  gzipStats(instance);
  if (tls !== undefined) keepToTls(instance);
  boundClosing(instance, limits.closeGraceMs);
  return instance;
}

const REFUSALS: ReadonlySet<number> = new Set([401, 403]);

/** What is done for a request is done for its caller; a refusal stands in the audit trail. */
function followCallers(instance: FastifyInstance, { rules, audit }: AdminServerOptions): void {
  const actorOf = (request: FastifyRequest): Actor =>
    actorOfRequest(request, rules.callerOf(request.headers.authorization) ?? NOBODY);
  instance.addHook('preValidation', (request, _reply, done) => actingAs(actorOf(request), () => done()));
  instance.addHook('onResponse', (request, { statusCode }, done) => {
    if (REFUSALS.has(statusCode)) audit?.refusal(actorOf(request), statusCode);
    done();
  });
}

/** Rejects a request that is not admitted, before its body is read. */
function passes(
  rules: AdminRules,
  request: FastifyRequest,
  reply: FastifyReply,
  errors: ErrorFilter,
): boolean {
  try {
    rules.check(factsOf(request));
    return true;
  } catch (error) {
    errors.answer(error, request, reply);
    return false;
  }
}

function limitedServer(handler: RequestListener, { table, limits, tls }: AdminServerOptions): Server {
  const server = listeningServer(
    handler,
    {
      maxHeaderSize: limits.headerBytesMax,
      headersTimeout: limits.headersTimeoutMs,
      requestTimeout: limits.requestTimeoutMs,
      connectionsCheckingInterval: limits.timeoutCheckMs,
      keepAliveTimeout: limits.keepAliveTimeoutMs,
    },
    tls,
  );
  readOneAtATime(server);
  boundConnections(server, limits);
  // The target of CONNECT is never a known path.
  server.on('connect', ({ url: path = '', headers: { accept } }, socket: Socket) =>
    answerLast(socket, notFoundAnswer({ method: 'CONNECT', path, accept }, table.endpoints)),
  );
  return server;
}

/** No endpoint uses a body: it is read up to the limit, and ignored. */
function takeBodies(instance: FastifyInstance): void {
  instance.removeAllContentTypeParsers();
  instance.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, _body, done) => {
    done(null, undefined);
  });
}

/** Compresses the page of metrics for scrapers that accept it: most of its text is repeated. */
function gzipStats(instance: FastifyInstance): void {
  instance.addHook('onSend', async (request, reply, payload: unknown) => {
    if (request.routeOptions.url !== STATS || typeof payload !== 'string') return payload;
    reply.header('Vary', 'Accept-Encoding');
    const accepted = request.headers['accept-encoding'];
    if (accepted === undefined || !GZIP.test(accepted)) return payload;
    reply.header('Content-Encoding', 'gzip').removeHeader('Content-Length');
    return compress(payload);
  });
}

function factsOf({ method, headers, routeOptions }: FastifyRequest): Parameters<AdminRules['check']>[0] {
  const { host, origin, authorization } = headers;
  return {
    method,
    host,
    origin,
    fetchSite: textOf(headers['sec-fetch-site']),
    contentType: headers['content-type'],
    authorization,
    requirement: requirementIn(routeOptions.config),
  };
}

/** Node joins repeated headers of most names into one. */
function textOf(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header.join() : header;
}
