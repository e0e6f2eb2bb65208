import { HiveGrpcServer } from '#load/protocol';
import { readEnvironment } from '#platform/config';
import { NodeDisk } from '#platform/disk';
import { isLoopback, VERSION } from '#platform/foundation';
import { bootstrap } from '#platform/http';
import { Log } from '#platform/observability';
import { hiveApp } from '../../hive-app.ts';
import type { HiveSettings } from '../../settings.ts';
import { readTlsFiles } from './tls-files.ts';

/** Serves until a signal. */
export async function serve(settings: HiveSettings): Promise<void> {
  const tls = await readTlsFiles(new NodeDisk(), settings);
  await bootstrap(hiveApp({ settings, environment: readEnvironment(), tls }), {
    listen: { host: settings.host, port: settings.httpPort },
    started: (app, url = '') => {
      const addresses = { url, grpcPort: app.get(HiveGrpcServer).boundPort ?? 0, isTls: tls !== undefined };
      announce(settings, app.get(Log), addresses);
    },
  });
}

interface Addresses {
  readonly url: string;
  readonly grpcPort: number;
  readonly isTls: boolean;
}

function announce(
  { host, grpcHost, apiKey, publicPages, publicDocs }: HiveSettings,
  log: Log,
  { url, grpcPort, isTls }: Addresses,
): void {
  const mode = apiKey === undefined ? 'open' : 'protected';
  const grpc = `${grpcHost}:${grpcPort}`;
  const pages = mode === 'open' || publicPages || publicDocs ? 'open' : 'protected';
  log.info({ event: 'server.listening', url, grpc, mode, pages, tls: isTls, version: VERSION }, 'listening');
  if (publicDocs) {
    log.warn(
      { event: 'settings.renamed', was: 'PLEXUS_HIVE_PUBLIC_DOCS', now: 'PLEXUS_HIVE_PUBLIC_PAGES' },
      'the setting has another name',
    );
  }
  if (apiKey === undefined && !isLoopback(host)) {
    log.warn(
      { event: 'server.open', host },
      'no API key is set: whoever reaches this address may start load',
    );
  }
  if (!isTls && !isLoopback(grpcHost)) {
    log.warn(
      { event: 'grpc.open', host: grpcHost },
      'no certificates: whoever reaches this address may be an edge',
    );
  }
}
