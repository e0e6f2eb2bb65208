import { type DynamicModule, Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { ApiKeyGate } from './api-key-gate.ts';
import { ApiKeyGuard } from './api-key.guard.ts';

/** Guards every controller of the application. */
@Module({})
export class AuthModule {
  static forRoot(gate: ApiKeyGate): DynamicModule {
    return {
      module: AuthModule,
      providers: [
        { provide: ApiKeyGate, useValue: gate },
        { provide: APP_GUARD, useClass: ApiKeyGuard },
      ],
    };
  }
}
