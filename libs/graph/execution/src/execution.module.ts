import { Module } from '@nestjs/common';
import { Clock } from '#platform/foundation';
import { ExecutionSettings } from './execution-settings.ts';
import { createScheduler, QueryScheduler } from './query-scheduler.ts';

/** The scheduler that all query languages share, so that none takes the service from another. */
@Module({
  providers: [
    {
      provide: QueryScheduler,
      inject: [ExecutionSettings, Clock],
      useFactory: (settings: ExecutionSettings, clock: Clock): QueryScheduler =>
        createScheduler(settings, clock),
    },
  ],
  exports: [QueryScheduler],
})
export class ExecutionModule {}
