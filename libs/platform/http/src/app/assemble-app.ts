import { type DynamicModule, Module } from '@nestjs/common';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance } from 'fastify';
import { Registry } from 'prom-client';
import { Resources, StopSignal } from '#platform/foundation';
import {
  createLogger,
  HttpMetrics,
  type Log,
  type Logger,
  type LoggerOptions,
  startMetricsExport,
  type TracingOptions,
} from '#platform/observability';
import { NestLog, type Program, ProgramSettings } from '#platform/runtime';
import { ProgramModule } from '#platform/runtime/module';
import { ErrorFilter } from '../error/error.filter.ts';
import { RequestPipe } from '../request/request-pipe.ts';
import { countRequests, createServer, type ServerOptions } from '../server/create-server.ts';

/** An application: its modules, its server, and its start hooks. */
export interface AppDefinition {
  readonly module: DynamicModule;
  /** The settings of libraries; default: those of their classes. */
  readonly settings?: ProgramSettings;
  readonly logging: LoggerOptions;
  /** Undefined disables tracing, whatever the environment. */
  readonly tracing?: TracingOptions;
  /** Undefined disables the export of metrics, which `/metrics` has in any case. */
  readonly metricsExport?: TracingOptions;
  /** Undefined for an application without HTTP. */
  readonly server: HttpServerOptions | OwnServer | undefined;
  /** Called with all modules created, before the server listens. */
  readonly prepare?: (app: NestFastifyApplication) => void | Promise<void>;
}

/** Options of the default server. */
export type HttpServerOptions = Omit<ServerOptions, 'errors' | 'log' | 'logsRequests'>;

/** Creates a custom server. */
export type OwnServer = (parts: { readonly errors: ErrorFilter; readonly log: Log }) => FastifyInstance;

/** The parts from which Nest creates an application, in programs and in tests. */
export interface AppAssembly extends Program {
  readonly module: DynamicModule;
  readonly adapter: FastifyAdapter;
  /** Call it on the application before it listens. */
  readonly prepare: (app: NestFastifyApplication) => Promise<void>;
}

/** Nest's own lines go to the log once it is bound; earlier failures are thrown. */
export const NEST_OPTIONS = { bodyParser: false, logger: false, abortOnError: false } as const;

export function assembleApp(
  definition: AppDefinition,
  logger: Logger = createLogger(definition.logging),
): AppAssembly {
  const { module, server, settings = new ProgramSettings() } = definition;
  const resources = new Resources();
  const stop = new StopSignal();
  const errors = new ErrorFilter({ log: logger, onBrokenPromise: (error) => stop.fail(error) });
  const instance = typeof server === 'function' ? server({ errors, log: logger }) : undefined;
  const counted =
    typeof server === 'object'
      ? createServer({ ...server, errors, log: logger, logsRequests: logger.isLevelEnabled('debug') })
      : undefined;
  const program = { logger, resources, stop, settings };
  return {
    ...program,
    module: { module: AppRoot, imports: [ProgramModule.forRoot(program), module] },
    adapter: new FastifyAdapter(instance ?? counted),
    prepare: async (app) => {
      app.useLogger(app.get(NestLog));
      app.useGlobalFilters(errors);
      app.useGlobalPipes(new RequestPipe());
      if (counted !== undefined) {
        countRequests(counted, new HttpMetrics(app.get(Registry), 'plexus_'));
      }
      await definition.prepare?.(app);
      const { metricsExport } = definition;
      if (metricsExport !== undefined) {
        // Opened last and closed first: the last export still sees all services.
        await resources.open(
          () => startMetricsExport(metricsExport, app.get(Registry), logger),
          (running) => running?.close(),
        );
      }
    },
  };
}

/** The root module. */
@Module({})
class AppRoot {}
