import { type DynamicModule, Global, Module } from '@nestjs/common';
import { Disk, NodeDisk } from '#platform/disk';
import { Clock, Resources, StopSignal, systemClock } from '#platform/foundation';
import { Log, type Logger } from '#platform/observability';
import { LoggingModule } from '#platform/observability/module';

/** How long the application has been up. */
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

/** What the start of an application makes before its modules. */
export interface PlatformParts {
  readonly logger: Logger;
  readonly resources: Resources;
  readonly stop: StopSignal;
}

/**
 * What every module may inject: time, files, the log, what is to be closed at the end, and the word to end.
 * {@link Resources} is the one provider that closes things when the application shuts down: in the opposite
 * order of their opening, after the last request.
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
