import type { FastifyRequest } from 'fastify';
import { routeMark, routeMarkOf } from '#platform/auth';

/** Media types of bodies that are documents, not JSON. */
export const YAML = 'application/yaml';
export const TOML = 'application/toml';

export type TextType = typeof YAML | typeof TOML;

const TEXT_TYPES = 'textTypes';

/** A body of such a type: its unparsed text. */
export class TextBody {
  readonly type: TextType;
  readonly text: string;

  constructor(type: TextType, text: string) {
    this.type = type;
    this.text = text;
  }
}

/** Marks a handler that accepts a {@link TextBody} of these types in addition to JSON. */
export function TakesText(...types: readonly TextType[]): MethodDecorator {
  return routeMark({ [TEXT_TYPES]: types });
}

/** The types that the route of a request accepts in addition to JSON. */
export function textTypesOf(request: FastifyRequest): readonly TextType[] {
  const types = routeMarkOf(request, TEXT_TYPES);
  return Array.isArray(types) ? (types as readonly TextType[]) : [];
}
