import { type DynamicModule, Module } from '@nestjs/common';
import { WorkerModule, type WorkerOptions } from '#load/worker/module';
import { MetricsModule } from '#platform/observability/module';

/** The load worker with its metrics. */
@Module({})
export class EdgeAppModule {
  static forRoot(options: WorkerOptions): DynamicModule {
    return { module: EdgeAppModule, imports: [MetricsModule.forRoot(), WorkerModule.forRoot(options)] };
  }
}
