import { type AppDefinition, OpenApi } from '#platform/http';
import type { LoggerOptions } from '#platform/observability';
import type { AdminServer } from '#proxy/admin';
import { type ProxyAdminAppOptions, ProxyAdminAppModule } from './proxy-admin-app.module.ts';

/** The proxy as its program runs it. */
export function proxyAdminApp({
  logging,
  server,
  ...options
}: ProxyAdminAppOptions & {
  readonly logging: LoggerOptions;
  readonly server: AdminServer | undefined;
}): AppDefinition {
  return {
    module: ProxyAdminAppModule.forRoot(options),
    logging,
    server: server?.create,
    prepare: (app) => {
      if (server !== undefined) app.get(OpenApi).describe(app);
    },
  };
}
