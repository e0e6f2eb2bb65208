import { Controller, Get, Inject, Res } from '@nestjs/common';
import { Registry } from 'prom-client';
import { Requires } from '#platform/auth';

/** The part of Fastify's reply that is used here. */
interface TextReply {
  header(name: string, value: string): TextReply;
  send(body: string): unknown;
}

/** The application's registry in the Prometheus text format, at the path given to the module. */
@Controller()
export class MetricsController {
  readonly #registry: Registry;

  constructor(@Inject(Registry) registry: Registry) {
    this.#registry = registry;
  }

  @Get()
  @Requires('metrics')
  async scrape(@Res() reply: TextReply): Promise<void> {
    const text = await this.#registry.metrics();
    reply.header('Content-Type', this.#registry.contentType).send(text);
  }
}
