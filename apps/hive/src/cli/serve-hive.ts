import { HiveGrpcServer } from '#load/protocol';
import { Admission, warnOfAccess } from '#platform/auth';
import { readEnvironment } from '#platform/config';
import { NodeDisk } from '#platform/disk';
import { isLoopback, VERSION } from '#platform/foundation';
import { bootstrap } from '#platform/http';
import { Log } from '#platform/observability';
import { hiveApp } from '../hive-app.ts';
import { type HiveSettings, SETTING_PREFIX } from '../settings.ts';
import { readTlsFiles } from './tls-files.ts';

/** Serves until a signal. */
export async function serve(settings: HiveSettings): Promise<void> {
  const tls = await readTlsFiles(new NodeDisk(), settings);
  await bootstrap(hiveApp({ settings, environment: readEnvironment(), tls }), {
    listen: { host: settings.host, port: settings.httpPort },
    started: (app, url = '') => {
      const log = app.get(Log);
      const { grpcHost } = settings;
      const isTls = tls !== undefined;
      const grpc = `${grpcHost}:${app.get(HiveGrpcServer).boundPort ?? 0}`;
      const { mode, pages } = app.get(Admission).modes;
      log.info(
        { event: 'server.listening', url, grpc, mode, pages, tls: isTls, version: VERSION },
        'listening',
      );
      warnOfAccess(settings, log, { prefix: SETTING_PREFIX, risk: 'start load' });
      if (!isTls && !isLoopback(grpcHost)) {
        log.warn(
          { event: 'grpc.open', host: grpcHost },
          'no certificates: whoever reaches this address may be an edge',
        );
      }
    },
  });
}
