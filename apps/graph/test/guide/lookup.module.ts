import { Module } from '@nestjs/common';
import { makeCounterProvider } from '@willsoto/nestjs-prometheus';
import { LookupController } from './lookup.controller.ts';

@Module({
  controllers: [LookupController],
  providers: [makeCounterProvider({ name: 'plexus_lookups_total', help: 'look-ups of anything' })],
})
export class LookupModule {}
