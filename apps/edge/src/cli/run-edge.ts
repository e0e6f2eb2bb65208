import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { Registry } from 'prom-client';
import { parseSettings, readEnvironment } from '#config';
import { NodeDisk } from '#disk';
import { stopSignal } from '#foundation';
import { createLogger, type Logger } from '#observability';
import type { EdgeConfig } from '../config/edge-config.ts';
import { readEdgeFile, readTlsFiles } from '../config/read-edge-file.ts';
import { createApp } from '../http/create-app.ts';
import { EdgeLife } from '../life/edge-life.ts';
import { SETTING_PREFIX, SETTING_TABLE } from '../settings.ts';
import { VERSION } from '../version.ts';

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\]):/;

/** Runs an edge until a signal, or until the hive evicts it. */
export async function runEdge(
  file: string,
  flags: Readonly<Record<string, string | undefined>>,
): Promise<void> {
  const disk = new NodeDisk();
  const environment = readEnvironment();
  const settings = parseSettings(SETTING_TABLE, { environment, flags, prefix: SETTING_PREFIX });
  const config = await readEdgeFile(disk, file);
  const tls = await readTlsFiles(disk, file, config);
  const logger = createLogger({ format: settings.logFormat, level: settings.logLevel });
  const registry = new Registry();
  const edge = new EdgeLife({ config, tls, environment, logger, registry });
  const app = await listen(config, { edge, registry, logger });
  announce(config, logger);
  const stopped = stopSignal();
  try {
    edge.open();
    const signal = await Promise.race([stopped.promise, edge.evicted]);
    logger.info({ event: 'edge.stopping', signal }, 'stopping');
  } finally {
    await edge.close();
    await app?.close();
  }
}

/** Undefined without an address for it. */
async function listen(
  { metrics }: EdgeConfig,
  parts: { readonly edge: EdgeLife; readonly registry: Registry; readonly logger: Logger },
): Promise<NestFastifyApplication | undefined> {
  if (metrics.address === undefined) return undefined;
  const app = await createApp(parts);
  const { hostname: host, port } = new URL(`http://${metrics.address}`);
  await app.listen({ host: host.replace(/^\[|\]$/g, ''), port: Number(port === '' ? '80' : port) });
  parts.logger.info({ event: 'edge.listening', url: await app.getUrl() }, 'serves /metrics and /health');
  return app;
}

function announce({ edge_id: edgeId, hive, tls }: EdgeConfig, logger: Logger): void {
  const { address } = hive;
  logger.info({ event: 'edge.running', edge_id: edgeId, hive: address, version: VERSION }, 'the edge runs');
  if (tls === undefined && !LOOPBACK.test(address)) {
    logger.warn(
      { event: 'edge.open', hive: address },
      'no certificates: whoever is at this address can give orders',
    );
  }
}
