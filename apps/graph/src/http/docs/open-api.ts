import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { VERSION } from '../../version.ts';
import { placeChoices } from './api-choice.ts';
import { ErrorDto } from './api-errors.ts';

/** The application's OpenAPI document, made from its controllers when it is first asked for. */
export class OpenApi {
  #application: INestApplication | undefined;
  #document: OpenAPIObject | undefined;

  /** Call it once the application is made. */
  describe(application: INestApplication): void {
    this.#application = application;
  }

  get document(): OpenAPIObject | undefined {
    if (this.#document === undefined && this.#application !== undefined) {
      this.#document = createDocument(this.#application);
    }
    return this.#document;
  }
}

function createDocument(application: INestApplication): OpenAPIObject {
  const config = new DocumentBuilder()
    .setTitle('Plexus')
    .setDescription('A durable graph of what infrastructure consists of, and PQL to ask it.')
    .setVersion(VERSION)
    .addBearerAuth({ type: 'http', scheme: 'bearer' }, 'key')
    .addSecurityRequirements('key')
    .addGlobalResponse({ status: 401, type: ErrorDto, description: 'missing or invalid API key' })
    .build();
  const document = SwaggerModule.createDocument(application, config, {
    operationIdFactory: (_controller, method) => method,
  });
  placeChoices(document);
  const health = document.paths['/v1/health']?.get;
  if (health !== undefined) delete health.responses['401'];
  const metrics = document.paths['/metrics']?.get;
  if (metrics !== undefined) describeMetrics(metrics);
  return document;
}

/** Its controller is of a package, which documents nothing. */
function describeMetrics(operation: NonNullable<OpenAPIObject['paths'][string]['get']>): void {
  operation.summary = 'Metrics in the text form of Prometheus';
  operation.tags = ['service'];
  operation.responses['200'] = {
    description: '',
    content: { 'text/plain': { schema: { type: 'string' } } },
  };
}
