import { Registry } from 'prom-client';
import { readEnvironment } from '#config';
import { NodeDisk } from '#disk';
import { stopSignal } from '#foundation';
import { createLogger, type Logger } from '#observability';
import { Hive } from '../../hive.ts';
import { createApp } from '../../http/create-app.ts';
import type { HiveSettings } from '../../settings.ts';
import { VERSION } from '../../version.ts';
import { readTlsFiles } from './tls-files.ts';

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|::1)$/;

/** Serves until a signal. */
export async function serve(settings: HiveSettings): Promise<void> {
  const logger = createLogger({ format: settings.logFormat, level: settings.logLevel });
  const stopped = stopSignal();
  const registry = new Registry();
  const tls = await readTlsFiles(new NodeDisk(), settings);
  const hive = await Hive.open({ settings, environment: readEnvironment(), log: logger, registry });
  try {
    const { app, grpc } = await createApp({
      ...{ hive, settings, logger, registry, tls },
      onBrokenPromise: (error) => stopped.fail(error),
    });
    try {
      await app.listen({ host: settings.host, port: settings.httpPort });
      announce(settings, logger, {
        url: await app.getUrl(),
        grpcPort: grpc.boundPort ?? 0,
        isTls: tls !== undefined,
      });
      const signal = await stopped.promise;
      logger.info({ event: 'server.stopping', signal }, 'stopping');
    } finally {
      await app.close();
    }
  } finally {
    await hive.close();
  }
}

interface Addresses {
  readonly url: string;
  readonly grpcPort: number;
  readonly isTls: boolean;
}

function announce(
  { host, grpcHost, apiKey, publicPages, publicDocs }: HiveSettings,
  logger: Logger,
  { url, grpcPort, isTls }: Addresses,
): void {
  const mode = apiKey === undefined ? 'open' : 'protected';
  const grpc = `${grpcHost}:${grpcPort}`;
  const pages = mode === 'open' || publicPages || publicDocs ? 'open' : 'protected';
  logger.info(
    { event: 'server.listening', url, grpc, mode, pages, tls: isTls, version: VERSION },
    'listening',
  );
  if (publicDocs) {
    logger.warn(
      { event: 'settings.renamed', was: 'PLEXUS_HIVE_PUBLIC_DOCS', now: 'PLEXUS_HIVE_PUBLIC_PAGES' },
      'the setting has another name',
    );
  }
  if (apiKey === undefined && !LOOPBACK.test(host)) {
    logger.warn(
      { event: 'server.open', host },
      'no API key is set: whoever reaches this address may start load',
    );
  }
  if (!isTls && !LOOPBACK.test(grpcHost)) {
    logger.warn(
      { event: 'grpc.open', host: grpcHost },
      'no certificates: whoever reaches this address may be an edge',
    );
  }
}
