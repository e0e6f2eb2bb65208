import { Admission } from '#platform/auth';
import { type AppDefinition, OpenApi } from '#platform/http';
import { GraphAppModule, type GraphAppOptions } from './graph-app.module.ts';
import { SETTING_TABLE } from './settings.ts';

/** Beyond the longest query: requests that go on when the service stops. */
const CLOSE_MARGIN_MS = 5_000;

/** The graph service as its program runs it. */
export function graphApp(options: Omit<GraphAppOptions, 'admission'>): AppDefinition {
  const { settings } = options;
  const admission = new Admission({ ...settings, pagesVariable: SETTING_TABLE.publicPages.env });
  return {
    module: GraphAppModule.forRoot({ ...options, admission }),
    logging: { format: settings.logFormat, level: settings.logLevel },
    server: {
      bodyBytesMax: settings.bodyLimit,
      closeGraceMs: settings.queryTimeout + CLOSE_MARGIN_MS,
      faultOf: (request) => admission.faultOf(request),
    },
    prepare: (app) => app.get(OpenApi).describe(app),
  };
}
