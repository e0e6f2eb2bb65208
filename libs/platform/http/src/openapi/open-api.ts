import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { placeChoices } from './api-choice.ts';
import { ErrorDto } from './api-errors.ts';
import { type CarriedHeader, placeCarriedHeader } from './carried-header.ts';
import { dropUnusedSchemas, type Operation, placeReplies, type ReplyExamples } from './document-parts.ts';

export interface OpenApiOptions {
  readonly title: string;
  readonly description: string;
  readonly version: string;
  /** Paths that require no key. */
  readonly publicPaths: readonly string[];
  /** Path of the metrics page, whose controller has no documentation. */
  readonly metricsPath: string;
  /** The provider whose access tokens are accepted beside keys. */
  readonly issuer?: string | undefined;
  readonly carriedHeader?: CarriedHeader;
  /** Example responses by operation id. */
  readonly replies?: ReplyExamples;
}

/** The application's OpenAPI document, generated from its controllers on first use. */
export class OpenApi {
  readonly #options: OpenApiOptions;
  #application: INestApplication | undefined;
  #document: OpenAPIObject | undefined;

  constructor(options: OpenApiOptions) {
    this.#options = options;
  }

  /** Call it once the application is created. */
  describe(application: INestApplication): void {
    this.#application = application;
  }

  get document(): OpenAPIObject | undefined {
    if (this.#document === undefined && this.#application !== undefined) {
      this.#document = createDocument(this.#application, this.#options);
    }
    return this.#document;
  }
}

function createDocument(application: INestApplication, options: OpenApiOptions): OpenAPIObject {
  const builder = new DocumentBuilder()
    .setTitle(options.title)
    .setDescription(options.description)
    .setVersion(options.version)
    .setLicense('Apache-2.0', 'https://www.apache.org/licenses/LICENSE-2.0')
    .addServer('/')
    .addBearerAuth({ type: 'http', scheme: 'bearer', bearerFormat: 'opaque' }, 'key')
    .addSecurityRequirements('key')
    .addGlobalResponse({
      status: 401,
      type: ErrorDto,
      description: 'missing or invalid API key',
      example: { error: 'Unauthorized', message: 'missing or invalid API key' },
    });
  if (options.issuer !== undefined) addSignOn(builder, options.issuer);
  const config = builder.build();
  const document = SwaggerModule.createDocument(application, config, {
    operationIdFactory: (_controller, method) => method,
  });
  placeChoices(document);
  for (const path of options.publicPaths) {
    const operation = document.paths[path]?.get;
    if (operation !== undefined) delete operation.responses['401'];
  }
  const metrics = document.paths[options.metricsPath]?.get;
  if (metrics !== undefined) describeMetrics(metrics);
  if (options.carriedHeader !== undefined) placeCarriedHeader(document, options.carriedHeader);
  placeReplies(document, options.replies ?? {});
  dropUnusedSchemas(document);
  return document;
}

/** A token of the provider, or the session of a page, in place of a key. */
function addSignOn(builder: DocumentBuilder, issuer: string): void {
  const openIdConnectUrl = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
  builder
    .addSecurity('single_sign_on', { type: 'openIdConnect', openIdConnectUrl })
    .addSecurityRequirements('single_sign_on')
    .addCookieAuth('plexus-session', { type: 'apiKey', in: 'cookie' }, 'session')
    .addSecurityRequirements('session');
}

/** The controller comes from a package and has no documentation. */
function describeMetrics(operation: Operation): void {
  operation.summary = 'Metrics in the Prometheus text format';
  operation.operationId = 'getMetrics';
  operation.tags = ['service'];
  operation.responses['200'] = {
    description: '',
    content: {
      'text/plain': {
        schema: { type: 'string' },
        example: '# HELP plexus_up …\n# TYPE plexus_up gauge\nplexus_up 1\n',
      },
    },
  };
}
