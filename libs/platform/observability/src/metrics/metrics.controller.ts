import { Controller, Get, Inject, Res } from '@nestjs/common';
import { Registry } from 'prom-client';

/** As much of a reply as is needed here; Fastify's fits. */
interface TextReply {
  header(name: string, value: string): TextReply;
  send(body: string): unknown;
}

/** Prometheus text of the application's registry, at the path the module was given. */
@Controller()
export class MetricsController {
  readonly #registry: Registry;

  constructor(@Inject(Registry) registry: Registry) {
    this.#registry = registry;
  }

  @Get()
  async scrape(@Res() reply: TextReply): Promise<void> {
    const text = await this.#registry.metrics();
    reply.header('Content-Type', this.#registry.contentType).send(text);
  }
}
