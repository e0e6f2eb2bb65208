import { type DynamicModule, Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { Admission } from './admission.ts';
import { ApiKeyGuard } from './api-key.guard.ts';

/** Guards every controller of the application. */
@Module({})
export class AuthModule {
  static forRoot(admission: Admission): DynamicModule {
    return {
      module: AuthModule,
      providers: [
        { provide: Admission, useValue: admission },
        { provide: APP_GUARD, useClass: ApiKeyGuard },
      ],
    };
  }
}
