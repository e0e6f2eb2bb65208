import { type DynamicModule, Module } from '@nestjs/common';
import { LoggerModule } from 'nestjs-pino';
import type { Logger } from './create-logger.ts';

/**
 * Binds Nest's own lines to the program's logger, those about its modules and routes at level `debug` only.
 * No middleware for requests: it would cost each of them more than a small query does.
 */
@Module({})
export class LoggingModule {
  static forRoot(logger: Logger): DynamicModule {
    const own = logger.child({}, { level: logger.isLevelEnabled('debug') ? 'debug' : 'warn' });
    return {
      module: LoggingModule,
      imports: [LoggerModule.forRoot({ pinoHttp: { logger: own, autoLogging: false }, forRoutes: [] })],
    };
  }
}
