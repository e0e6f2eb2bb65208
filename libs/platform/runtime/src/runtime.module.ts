import { type DynamicModule, Global, Module } from '@nestjs/common';
import { LoggerModule, PinoLogger } from 'nestjs-pino';
import { Disk, NodeDisk } from '#platform/disk';
import { Clock, Resources, StopSignal, systemClock } from '#platform/foundation';
import { createLogger, Log } from '#platform/observability';
import { constructed } from './constructed.ts';
import { NestLog } from './nest-log.ts';
import { ProgramSettings } from './program-settings.ts';
import type { Program } from './program.ts';
import { Uptime } from './uptime.ts';

/** Wraps the resources, so that Nest calls their hook once: where {@link PlatformModule} provides them. */
class ProgramSignals {
  readonly resources: Resources;
  readonly stop: StopSignal;

  constructor({ resources, stop }: Program) {
    this.resources = resources;
    this.stop = stop;
  }
}

/** Gives what the program has made to all modules. The root module imports it. */
@Global()
@Module({})
export class ProgramModule {
  static forRoot(program: Program): DynamicModule {
    const { logger, settings } = program;
    return {
      module: ProgramModule,
      // No middleware: it would cost each request more than a small query does.
      imports: [LoggerModule.forRoot({ pinoHttp: { logger, autoLogging: false }, forRoutes: [] })],
      providers: [
        { provide: ProgramSignals, useValue: new ProgramSignals(program) },
        { provide: ProgramSettings, useValue: settings },
        NestLog,
      ],
      exports: [ProgramSignals, ProgramSettings],
    };
  }
}

const OF_PROGRAM = { token: ProgramSignals, optional: true };

/**
 * Clock, disk, log, resources and the stop signal, for every module that injects them. Without a program
 * (a module compiled alone) they are its own, and the log has warnings only. {@link Resources} is the only
 * provider that closes things at shutdown: in reverse order of opening, after the last request.
 */
@Module({
  providers: [
    {
      provide: Log,
      inject: [{ token: PinoLogger, optional: true }],
      useFactory: (pino?: PinoLogger): Log => pino ?? createLogger({ format: 'text', level: 'warn' }),
    },
    {
      provide: Resources,
      inject: [OF_PROGRAM],
      useFactory: (program?: ProgramSignals): Resources => program?.resources ?? new Resources(),
    },
    {
      provide: StopSignal,
      inject: [OF_PROGRAM],
      useFactory: (program?: ProgramSignals): StopSignal => program?.stop ?? new StopSignal(),
    },
    { provide: Clock, useValue: systemClock },
    { provide: Disk, useClass: NodeDisk },
    constructed(Uptime, [Clock]),
  ],
  exports: [Log, Resources, StopSignal, Clock, Disk, Uptime],
})
export class PlatformModule {}
