import { Module } from '@nestjs/common';
import { Clock } from '#platform/foundation';
import { settingsOf } from '#platform/runtime';
import { PlatformModule } from '#platform/runtime/module';
import { ExecutionSettings } from './execution-settings.ts';
import { createScheduler, QueryScheduler } from './query-scheduler.ts';

/** The scheduler that all query languages share, so that none takes the service from another. */
@Module({
  imports: [PlatformModule],
  providers: [
    settingsOf(ExecutionSettings),
    { provide: QueryScheduler, inject: [ExecutionSettings, Clock], useFactory: createScheduler },
  ],
  exports: [ExecutionSettings, QueryScheduler],
})
export class ExecutionModule {}
