import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { Logger as NestLogger } from 'nestjs-pino';
import { HttpMetrics } from '#observability';
import { createServer, ErrorFilter } from '#web';
import { EdgeAppModule, type EdgeAppParts } from '../edge-app.module.ts';

const BODY_BYTES_MAX = 4_096;
const CLOSE_GRACE_MS = 1_000;
const NEST_OPTIONS = { bodyParser: false, bufferLogs: true, abortOnError: false };

/** The edge's HTTP server, ready to listen. Closing it leaves the edge as it is. */
export async function createApp(parts: EdgeAppParts): Promise<NestFastifyApplication> {
  const { logger, registry } = parts;
  const errors = new ErrorFilter({ log: logger });
  const server = createServer({
    bodyBytesMax: BODY_BYTES_MAX,
    closeGraceMs: CLOSE_GRACE_MS,
    log: logger,
    metrics: new HttpMetrics(registry, 'plexus_'),
    errors,
    refuse: () => false,
  });
  const module = EdgeAppModule.forParts(parts);
  const app = await NestFactory.create<NestFastifyApplication>(
    module,
    new FastifyAdapter(server),
    NEST_OPTIONS,
  );
  app.useLogger(app.get(NestLogger));
  app.useGlobalFilters(errors);
  return app;
}
