import type { FastifyRequest } from 'fastify';
import { routeMark, routeMarkOf } from './route-mark.ts';

/** The media types of bodies that are documents for people. */
export const YAML = 'application/yaml';
export const TOML = 'application/toml';

export type TextType = typeof YAML | typeof TOML;

const TEXT_TYPES = 'textTypes';

/** A body that was sent as such a document: its text, unread. */
export class TextBody {
  readonly type: TextType;
  readonly text: string;

  constructor(type: TextType, text: string) {
    this.type = type;
    this.text = text;
  }
}

/** Marks a handler that takes a {@link TextBody} of these types as well as JSON. */
export function TakesText(...types: readonly TextType[]): MethodDecorator {
  return routeMark({ [TEXT_TYPES]: types });
}

/** What the route of a request takes besides JSON. */
export function textTypesOf(request: FastifyRequest): readonly TextType[] {
  const types = routeMarkOf(request, TEXT_TYPES);
  return Array.isArray(types) ? (types as readonly TextType[]) : [];
}
