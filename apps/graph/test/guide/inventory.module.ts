import { Module } from '@nestjs/common';
import { QueryModule } from '../../src/http/query/query.module.ts';
import { InventoryController } from './inventory.controller.ts';

@Module({ imports: [QueryModule], controllers: [InventoryController] })
export class InventoryModule {}
