import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { isIPv6 } from 'node:net';
import { Server as SecureServer } from 'node:tls';
import { assert, DomainError, errorCodeOf, LISTEN_BACKLOG } from '#platform/foundation';
import { createLogger, type Log, startTracing } from '#platform/observability';
import { type AppAssembly, type AppDefinition, assembleApp, NEST_OPTIONS } from './assemble-app.ts';

const WILDCARDS: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '[::1]' };

export interface ListenOptions {
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  /** Makes the error that is thrown when the address cannot be bound, in place of the system's. */
  readonly faultOf?: (error: unknown) => Promise<Error>;
}

export interface BootstrapOptions {
  /** The HTTP listen address; undefined for none. */
  readonly listen: ListenOptions | undefined;
  /**
   * Called once the application listens, with its URL. The application ends only after it: a long one has to
   * end with the `StopSignal`.
   */
  readonly started?: (app: NestFastifyApplication, url: string | undefined) => void | Promise<void>;
  /** Handles SIGHUP; without it, SIGHUP ends the application like SIGTERM. */
  readonly reload?: (app: NestFastifyApplication) => Promise<unknown>;
}

/**
 * Runs an application until a signal or a `StopSignal` ends it, then closes all its resources. Rejects when
 * the application cannot start, when it fails, and when a resource cannot be closed.
 */
export async function bootstrap(definition: AppDefinition, options: BootstrapOptions): Promise<void> {
  const logger = createLogger(definition.logging);
  const tracing = definition.tracing && (await startTracing(definition.tracing, logger));
  try {
    await run(assembleApp(definition, logger), options);
  } finally {
    await tracing?.close();
  }
  logger.info({ event: 'server.stopped' }, 'stopped');
}

async function run(assembly: AppAssembly, options: BootstrapOptions): Promise<void> {
  const { stop, logger } = assembly;
  stop.listen(options.reload === undefined ? undefined : ['SIGTERM', 'SIGINT']);
  try {
    const app = await create(assembly);
    await closing(app, logger, () => runToEnd(app, assembly, options));
  } finally {
    stop.close();
  }
}

/** Closes the opened resources when a later one fails to open. */
function create({ module, adapter, prepare, resources }: AppAssembly): Promise<NestFastifyApplication> {
  return resources.closingOnFailure(async () => {
    const app = await NestFactory.create<NestFastifyApplication>(module, adapter, NEST_OPTIONS);
    await prepare(app);
    return app;
  });
}

async function runToEnd(
  app: NestFastifyApplication,
  { stop, logger, resources }: AppAssembly,
  { listen, started, reload }: BootstrapOptions,
): Promise<void> {
  const onHangup = (): void => void reload?.(app);
  if (reload !== undefined) process.on('SIGHUP', onHangup);
  try {
    await app.init();
    const url = listen === undefined ? undefined : await listenOn(app, listen);
    resources.started();
    await started?.(app, url);
    const signal = await stop.promise;
    logger.info({ event: 'server.stopping', signal }, 'stopping');
  } finally {
    process.removeListener('SIGHUP', onHangup);
  }
}

/**
 * Listens without Nest, which would log the error itself. Returns the URL; for a wildcard address, that of
 * loopback.
 */
async function listenOn(
  app: NestFastifyApplication,
  { host, port, faultOf }: ListenOptions,
): Promise<string> {
  const server = app.getHttpAdapter().getInstance();
  try {
    await server.listen({ host, port, backlog: LISTEN_BACKLOG });
  } catch (error) {
    if (faultOf !== undefined) throw await faultOf(error);
    const reason = errorCodeOf(error);
    if (reason === undefined) throw error;
    const message = `cannot listen on ${isIPv6(host) ? `[${host}]` : host}:${port} for HTTP: ${reason}`;
    throw new DomainError('STORE_UNAVAILABLE', message, { cause: error });
  }
  const [bound] = server.addresses();
  assert(typeof bound === 'object', 'expected a server that listens to have an address');
  const { address, family } = bound;
  const name = WILDCARDS[address] ?? (family === 'IPv6' ? `[${address}]` : address);
  return `${server.server instanceof SecureServer ? 'https' : 'http'}://${name}:${bound.port}`;
}

/**
 * Closes the application after its work. If both fail, the first failure is thrown and the other is logged.
 */
async function closing(app: NestFastifyApplication, log: Log, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    await app.close().catch((err: unknown) => {
      log.error({ event: 'server.close_failed', err }, 'could not close all resources');
    });
    throw error;
  }
  await app.close();
}
