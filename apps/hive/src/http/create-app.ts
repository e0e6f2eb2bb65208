import type { DynamicModule } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { Logger as NestLogger } from 'nestjs-pino';
import type { Registry } from 'prom-client';
import { type Admission, ApiKeyGate, BrowserGate, refuses } from '#auth';
import type { Clock, InvariantViolation } from '#foundation';
import { HttpMetrics, type Logger } from '#observability';
import { OpenApi } from '#openapi';
import { HiveGrpcServer, type TlsMaterial } from '#rpc';
import { createServer, ErrorFilter } from '#web';
import { HiveAppModule } from '../hive-app.module.ts';
import type { Hive } from '../hive.ts';
import { TlsRefusals } from '../edges/tls-refusals.ts';
import type { HiveSettings } from '../settings.ts';

export interface HiveAppOptions {
  readonly hive: Hive;
  readonly settings: HiveSettings;
  readonly logger: Logger;
  readonly registry: Registry;
  readonly tls?: TlsMaterial | undefined;
  readonly clock?: Clock;
  readonly onBrokenPromise?: (error: InvariantViolation) => void;
}

/** What an application is made of, for `NestFactory` and for tests. */
export interface HiveAppAssembly {
  readonly module: DynamicModule;
  readonly adapter: FastifyAdapter;
  readonly grpc: HiveGrpcServer;
  /** Call it on the application before it listens. */
  readonly prepare: (app: NestFastifyApplication) => Promise<void>;
}

/** Reports take the longest. */
const CLOSE_GRACE_MS = 10_000;

export const NEST_OPTIONS = { bodyParser: false, bufferLogs: true, abortOnError: false };

/**
 * The hive's servers, ready to listen; gRPC listens already. Closing them leaves the hive open. Throws
 * CERTIFICATE_INVALID.
 */
export async function createApp(
  options: HiveAppOptions,
): Promise<{ readonly app: NestFastifyApplication; readonly grpc: HiveGrpcServer }> {
  const { module, adapter, grpc, prepare } = assembleApp(options);
  const app = await NestFactory.create<NestFastifyApplication>(module, adapter, NEST_OPTIONS);
  await prepare(app);
  return { app, grpc };
}

export function assembleApp(options: HiveAppOptions): HiveAppAssembly {
  const { hive, settings, logger, registry, tls, clock } = options;
  const isPagePublic = settings.publicPages || settings.publicDocs;
  const gate = new ApiKeyGate({ apiKey: settings.apiKey, openMarks: isPagePublic ? ['docs'] : [] });
  const browsers = new BrowserGate({ boundHost: settings.host, allowedHosts: settings.allowedHosts });
  const errors = new ErrorFilter({ log: logger, onBrokenPromise: options.onBrokenPromise });
  const admission: Admission = {
    ...{ gate, browsers },
    answer: (fault, request, reply) => {
      errors.answer(fault, request, reply);
    },
  };
  const server = createServer({
    bodyBytesMax: settings.bodyLimit,
    closeGraceMs: CLOSE_GRACE_MS,
    log: logger,
    logsRequests: logger.isLevelEnabled('debug'),
    metrics: new HttpMetrics(registry, 'plexus_'),
    errors,
    refuse: (request, reply) => refuses(admission, request, reply),
  });
  const refusals = new TlsRefusals(logger);
  const grpc = new HiveGrpcServer({
    ...{ host: settings.grpcHost, port: settings.grpcPort, tls },
    onTlsRefused: (refused) => {
      refusals.tell(refused);
    },
  });
  return {
    module: HiveAppModule.forParts({ hive, logger, gate, registry, ...(clock && { clock }) }),
    adapter: new FastifyAdapter(server),
    grpc,
    prepare: async (app) => {
      app.useLogger(app.get(NestLogger));
      app.useGlobalFilters(errors);
      app.get(OpenApi).describe(app);
      app.connectMicroservice({ strategy: grpc });
      await app.startAllMicroservices();
    },
  };
}
