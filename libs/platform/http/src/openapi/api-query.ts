import { applyDecorators, type Type } from '@nestjs/common';
import { ApiExtraModels, ApiQuery } from '@nestjs/swagger';

/** Documents the query string by its class, where the handler takes it unread. */
export function ApiQueryOf(Query: Type<unknown>): MethodDecorator {
  return applyDecorators(ApiExtraModels(Query), ApiQuery({ type: Query }));
}
