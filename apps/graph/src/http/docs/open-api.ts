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
  return document;
}
