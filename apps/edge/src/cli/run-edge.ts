import type { Command } from 'commander';
import { type EdgeConfig, EdgeAgent, readEdgeFile, readTlsFiles } from '#load/worker';
import { commandSettings } from '#platform/cli';
import { readEnvironment } from '#platform/config';
import { NodeDisk } from '#platform/disk';
import { isLoopback, VERSION } from '#platform/foundation';
import { bootstrap } from '#platform/http';
import { Log } from '#platform/observability';
import { EdgeAppModule } from '../edge-app.module.ts';
import { SETTING_PREFIX, SETTING_TABLE } from '../settings.ts';

const BODY_BYTES_MAX = 4_096;
const CLOSE_GRACE_MS = 1_000;

/** Runs an edge until a signal, or until the hive evicts it. */
export async function runEdge(file: string, command: Command): Promise<void> {
  const { hiveKey, logFormat, logLevel } = commandSettings(command, SETTING_TABLE, SETTING_PREFIX);
  const disk = new NodeDisk();
  const config = await readEdgeFile(disk, file);
  const tls = await readTlsFiles(disk, file, config);
  const environment = readEnvironment();
  const tracing = { environment, service: 'plexus-edge' };
  await bootstrap(
    {
      module: EdgeAppModule.forRoot({ config, tls, hiveKey, environment }),
      tracing,
      metricsExport: tracing,
      logging: { format: logFormat, level: logLevel },
      server: { bodyBytesMax: BODY_BYTES_MAX, closeGraceMs: CLOSE_GRACE_MS },
    },
    {
      listen: config.metrics.address === undefined ? undefined : hostPortOf(config.metrics.address),
      started: (app, url) => {
        announce(config, app.get(Log), url);
        app.get(EdgeAgent).open();
      },
    },
  );
}

function hostPortOf(address: string): { readonly host: string; readonly port: number } {
  const { hostname, port } = new URL(`http://${address}`);
  return { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port === '' ? '80' : port) };
}

function announce({ edge_id: edgeId, hive, tls }: EdgeConfig, log: Log, url: string | undefined): void {
  const { address } = hive;
  if (url !== undefined) log.info({ event: 'edge.listening', url }, 'metrics listener started');
  log.info({ event: 'edge.running', edge_id: edgeId, hive: address, version: VERSION }, 'edge started');
  if (tls === undefined && !isLoopback(hostPortOf(address).host)) {
    log.warn(
      { event: 'edge.open', hive: address },
      'no certificates: every program at this address can control the edge',
    );
  }
}
