import { RouteConfig } from '@nestjs/platform-fastify';
import type { FastifyRequest } from 'fastify';

/** The media type of a YAML body. */
export const YAML = 'application/yaml';

const TAKES_YAML = 'takesYaml';

/** A body that was sent as YAML: its text, unread. */
export class YamlText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** Marks a handler that takes {@link YamlText} as well as JSON. */
export function YamlBody(): MethodDecorator {
  return RouteConfig({ [TAKES_YAML]: true });
}

export function takesYaml(request: FastifyRequest): boolean {
  const config: unknown = request.routeOptions.config;
  return typeof config === 'object' && config !== null && Reflect.get(config, TAKES_YAML) === true;
}
