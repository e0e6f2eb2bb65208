import { type DynamicModule, Global, Module } from '@nestjs/common';
import { Disk, NodeDisk } from '#platform/disk';
import { Clock, Resources, StopSignal, systemClock } from '#platform/foundation';
import { Log, type Logger } from '#platform/observability';
import { LoggingModule } from '#platform/observability/module';

/** The time since the start of the application. */
export class Uptime {
  readonly #clock: Clock;
  readonly #startMs: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#startMs = clock.monotonicMs();
  }

  get seconds(): number {
    return Math.floor((this.#clock.monotonicMs() - this.#startMs) / 1_000);
  }
}

/** Objects that exist before the modules. */
export interface PlatformParts {
  readonly logger: Logger;
  readonly resources: Resources;
  readonly stop: StopSignal;
}

/**
 * The providers that every module may inject: clock, disk, log, resources and the stop signal. {@link
 * Resources} is the only provider that closes things at shutdown: in reverse order of opening, after the last
 * request.
 */
@Global()
@Module({})
export class PlatformModule {
  static forRoot({ logger, resources, stop }: PlatformParts): DynamicModule {
    return {
      module: PlatformModule,
      imports: [LoggingModule.forRoot(logger)],
      providers: [
        { provide: Log, useValue: logger },
        { provide: Resources, useValue: resources },
        { provide: StopSignal, useValue: stop },
        { provide: Clock, useValue: systemClock },
        { provide: Disk, useClass: NodeDisk },
        { provide: Uptime, inject: [Clock], useFactory: (clock: Clock): Uptime => new Uptime(clock) },
      ],
      exports: [Log, Resources, StopSignal, Clock, Disk, Uptime],
    };
  }
}
