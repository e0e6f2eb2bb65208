import { Module } from '@nestjs/common';
import { QueryModule } from '#graph/query/module';
import { InventoryController } from './inventory.controller.ts';

@Module({ imports: [QueryModule], controllers: [InventoryController] })
export class InventoryModule {}
