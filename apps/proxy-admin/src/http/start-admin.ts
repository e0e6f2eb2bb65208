import { randomUUID } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { Logger as NestLogger } from 'nestjs-pino';
import { EndpointTable } from '#admin';
import { assert } from '#foundation';
import type { Logger } from '#observability';
import type { AdminConfig, HostPort, ProxySource } from '#proxy';
import { ErrorFilter } from '#web';
import { EventHub } from '../events/event-hub.ts';
import { EventLog } from '../events/event-log.ts';
import type { ProxyLife } from '../life/proxy-life.ts';
import { ProxyAdminAppModule } from '../proxy-admin-app.module.ts';
import { ADMIN_LIMITS, type AdminLimits } from './admin-limits.ts';
import { AdminRules } from './admin-rules.ts';
import { createServer } from './create-server.ts';

export interface AdminOptions {
  readonly address: HostPort;
  readonly admin: AdminConfig;
  readonly source: ProxySource;
  readonly life: ProxyLife;
  readonly logger: Logger;
  readonly limits?: AdminLimits;
}

/** An admin server that listens. */
export interface RunningAdmin {
  /** With the port that was given where the address says 0. */
  readonly url: string;
  /** Answers what is under way, within a second. */
  close(): Promise<void>;
}

const NEST_OPTIONS = { bodyParser: false, bufferLogs: true, abortOnError: false };

/** Rejects with the system's error when the address cannot be had. */
export async function startAdmin(options: AdminOptions): Promise<RunningAdmin> {
  const { address, admin, source, life, logger, limits = ADMIN_LIMITS } = options;
  const { extensions } = admin;
  const rules = new AdminRules(admin, address);
  const errors = new ErrorFilter({ log: logger, onBrokenPromise: (error) => life.fail(error) });
  const server = createServer({ table: new EndpointTable({ extensions }), rules, limits, errors });
  const hub = new EventHub(source, new EventLog(source, randomUUID()));
  const module = ProxyAdminAppModule.forParts({ source, life, hub, logger, extensions });
  const adapter = new FastifyAdapter(server);
  const app = await NestFactory.create<NestFastifyApplication>(module, adapter, NEST_OPTIONS);
  app.useLogger(app.get(NestLogger));
  app.useGlobalFilters(errors);
  await app.init();
  // Not by Nest, which would log the failure that is thrown here.
  await server.listen({ host: address.host, port: address.port });
  server.server.on('error', (err: Error) =>
    logger.warn({ event: 'admin.accept_failed', err }, 'could not accept a connection of the admin server'),
  );
  const url = urlOf(server.addresses());
  const { changes } = rules;
  logger.info({ event: 'admin.listening', url, extensions, changes }, 'the admin server listens');
  return {
    url,
    close: async () => {
      hub.close();
      await app.close();
    },
  };
}

function urlOf([bound]: readonly (string | AddressInfo)[]): string {
  assert(typeof bound === 'object', 'expected a server that listens to have an address');
  const host = bound.family === 'IPv6' ? `[${bound.address}]` : bound.address;
  return `http://${host}:${bound.port}`;
}
