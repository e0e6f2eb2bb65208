import { type DynamicModule, Module } from '@nestjs/common';
import { AuditedChanges, type AuditTrail } from '#platform/audit';
import type { KeysFile } from '#platform/auth';
import { Resources } from '#platform/foundation';
import { type AppDefinition, OpenApi } from '#platform/http';
import { Log, type LoggerOptions } from '#platform/observability';
import { type ServingTls, tlsMetric } from '#platform/tls';
import type { AdminServer } from '#proxy/admin';
import { AdminModule } from '#proxy/admin/module';
import type { ProxyConfig } from '#proxy/engine';
import { type EmbeddedProxySettings, ProxyModule } from '#proxy/engine/module';
import { HaproxyModule } from '#proxy/haproxy/module';

export interface ProxyAdminAppOptions extends EmbeddedProxySettings {
  readonly config: ProxyConfig;
  /** The certificate of the admin server, if there is one. */
  readonly tls?: ServingTls | undefined;
  /** Takes the event of each change by the admin server. */
  readonly audit?: AuditTrail | undefined;
}

/** A proxy, and the admin server if the configuration has an address for it. */
@Module({})
export class ProxyAdminAppModule {
  static forRoot({ config, tls: admin, audit: trail, ...embedded }: ProxyAdminAppOptions): DynamicModule {
    const { adminAddress, engine } = config;
    const source = engine.kind === 'haproxy' ? HaproxyModule.forRoot(config) : ProxyModule.embedded(embedded);
    const proxy = ProxyModule.forRoot({ config, source });
    const hasAdmin = adminAddress !== undefined;
    const audit = new AuditedChanges(trail);
    return {
      module: ProxyAdminAppModule,
      imports: [hasAdmin ? AdminModule.forRoot({ proxy, config, audit }) : proxy],
      providers: hasAdmin ? [...tlsMetric({ admin })] : [],
    };
  }
}

/** The proxy as run by its program. */
export function proxyAdminApp({
  logging,
  server,
  keys,
  tls,
  audit,
  ...options
}: ProxyAdminAppOptions & {
  readonly logging: LoggerOptions;
  readonly server: AdminServer | undefined;
  /** Named keys, if there is a file of them. */
  readonly keys?: KeysFile | undefined;
}): AppDefinition {
  return {
    module: ProxyAdminAppModule.forRoot({ ...options, tls, audit }),
    logging,
    server: server?.create,
    prepare: async (app) => {
      await keys?.watch(app.get(Resources), app.get(Log), audit);
      await audit?.watch(app.get(Resources), app.get(Log));
      await tls?.watch(app.get(Resources), app.get(Log));
      if (server !== undefined) app.get(OpenApi).describe(app);
    },
  };
}
