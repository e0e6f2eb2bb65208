export { ApiChoice } from './api-choice.ts';
export { ApiErrors, ErrorDto } from './api-errors.ts';
export { ApiQueryOf } from './api-query.ts';
export { OpenApi, type OpenApiOptions } from './open-api.ts';
export { OpenApiModule } from './openapi.module.ts';
