import type { DynamicModule } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { Logger as NestLogger } from 'nestjs-pino';
import { Registry } from 'prom-client';
import { type Admission, ApiKeyGate, BrowserGate, refuses } from '#auth';
import type { ConnectorRuns } from '#connector';
import type { Clock, InvariantViolation } from '#foundation';
import type { Graph } from '#graph';
import { HttpMetrics, type Logger } from '#observability';
import { OpenApi } from '#openapi';
import type { Policies } from '#policy';
import { createServer, ErrorFilter } from '#web';
import { GraphAppModule } from '../graph-app.module.ts';
import { registerGraphMetrics } from '../metrics/graph-metrics.ts';
import type { GraphSettings } from '../settings.ts';

export interface GraphAppOptions {
  readonly graph: Graph;
  readonly policies: Policies;
  readonly settings: GraphSettings;
  readonly logger: Logger;
  /** Where metrics go; default a new one. */
  readonly registry?: Registry;
  readonly connectors: ConnectorRuns;
  readonly clock?: Clock;
  readonly onBrokenPromise?: (error: InvariantViolation) => void;
}

/** What an application is made of, for `NestFactory` and for tests. */
export interface GraphAppAssembly {
  readonly module: DynamicModule;
  readonly adapter: FastifyAdapter;
  /** Call it on the application before it listens. */
  readonly prepare: (app: NestFastifyApplication) => void;
}

/** Beyond the longest query: requests that go on when the service stops. */
const CLOSE_MARGIN_MS = 5_000;

export const NEST_OPTIONS = { bodyParser: false, bufferLogs: true, abortOnError: false };

/** The service over an open graph, ready to listen. Closing it leaves the graph open. */
export async function createApp(options: GraphAppOptions): Promise<NestFastifyApplication> {
  const { module, adapter, prepare } = assembleApp(options);
  const app = await NestFactory.create<NestFastifyApplication>(module, adapter, NEST_OPTIONS);
  prepare(app);
  return app;
}

export function assembleApp(options: GraphAppOptions): GraphAppAssembly {
  const { graph, policies, connectors, settings, logger, registry = new Registry(), clock } = options;
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
    closeGraceMs: settings.queryTimeout + CLOSE_MARGIN_MS,
    log: logger,
    logsRequests: logger.isLevelEnabled('debug'),
    metrics: new HttpMetrics(registry, 'plexus_'),
    errors,
    refuse: (request, reply) => refuses(admission, request, reply),
  });
  return {
    module: GraphAppModule.forParts({
      graph,
      policies,
      settings,
      logger,
      gate,
      registry,
      connectors,
      ...(clock && { clock }),
    }),
    adapter: new FastifyAdapter(server),
    prepare: (app) => {
      app.useLogger(app.get(NestLogger));
      app.useGlobalFilters(errors);
      registerGraphMetrics(registry, graph);
      app.get(OpenApi).describe(app);
    },
  };
}
