export {
  type AppAssembly,
  type AppDefinition,
  assembleApp,
  type HttpServerOptions,
  NEST_OPTIONS,
  type OwnServer,
} from './app/assemble-app.ts';
export { bootstrap, type BootstrapOptions } from './app/bootstrap.ts';
export { NDJSON } from './body/body-parsers.ts';
export { isGzipped, unpackStream } from './body/content-encoding.ts';
export { ExactIntegers } from './body/exact-integers.ts';
export { StreamingBody } from './body/streaming-body.ts';
export { TakesText, TextBody, TOML, YAML } from './body/text-body.ts';
export { errorReply, type ErrorReply } from './error/error-reply.ts';
export { ErrorFilter, type ErrorFilterOptions } from './error/error.filter.ts';
export { HTTP_LIMITS } from './http-limits.ts';
export { ApiChoice } from './openapi/api-choice.ts';
export { ApiErrors, ErrorDto } from './openapi/api-errors.ts';
export { OpenApi, type OpenApiOptions } from './openapi/open-api.ts';
export { OpenApiModule } from './openapi/openapi.module.ts';
export { PagesModule } from './pages/pages.module.ts';
export { EventStream, type StreamMessage } from './reply/event-stream.ts';
export { endWhenStalled, hangUpOf } from './request/hang-up.ts';
export { requestIdOf } from './request/request-id.ts';
export { Uptime } from './server/uptime.ts';
