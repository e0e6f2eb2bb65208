/** A saved query in the form: lists and parameters as text. */
import type { PutSavedQueryData, SavedQueryDto } from '../api/generated/types.gen.ts';

export interface QueryDraft {
  name: string;
  description: string;
  text: string;
  /** Separated by commas. */
  tags: string;
  parameters: ParameterDraft[];
}

export interface ParameterDraft {
  name: string;
  type: ParameterType;
  /** Empty for none. JSON for a number, boolean or list; the plain text for a string. */
  fallback: string;
}

export const PARAMETER_TYPES = ['string', 'number', 'boolean', 'list'] as const;
export type ParameterType = (typeof PARAMETER_TYPES)[number];

export interface Parameter {
  readonly type: ParameterType;
  readonly default?: unknown;
}

export function draftOf({
  name,
  description,
  text,
  tags,
  parameters,
}: Omit<SavedQueryDto, 'updated_at'>): QueryDraft {
  const declared = Object.entries(parametersOf({ parameters }));
  return {
    name,
    description,
    text,
    tags: tags.join(', '),
    parameters: declared.map(([parameter, { type, default: value }]) => ({
      name: parameter,
      type,
      fallback: value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value),
    })),
  };
}

/** A parameter whose default is a value that was typed for it. */
export function parameterDraft(name: string, value: unknown): ParameterDraft {
  const type = Array.isArray(value) ? 'list' : PARAMETER_TYPES.find((each) => each === typeof value);
  return {
    name,
    type: type ?? 'string',
    fallback: typeof value === 'string' ? value : JSON.stringify(value),
  };
}

/** The declared parameters of a query; the service has validated their shape. */
export function parametersOf({
  parameters,
}: Pick<SavedQueryDto, 'parameters'>): Readonly<Record<string, Parameter>> {
  return parameters as Readonly<Record<string, Parameter>>;
}

/** Values of the parameters that have a default. */
export function defaultsOf(query: Pick<SavedQueryDto, 'parameters'>): Readonly<Record<string, unknown>> {
  const entries = Object.entries(parametersOf(query)).filter(
    ([, parameter]) => parameter.default !== undefined,
  );
  return Object.fromEntries(entries.map(([name, parameter]) => [name, parameter.default]));
}

/** The body of the request. Throws with the parameter's name when its default does not match its type. */
export function bodyOf({
  description,
  text,
  tags,
  parameters,
}: QueryDraft): NonNullable<PutSavedQueryData['body']> {
  const words = tags.split(',').map((tag) => tag.trim());
  return {
    text,
    description,
    tags: words.filter((tag) => tag !== ''),
    parameters: Object.fromEntries(parameters.map((parameter) => [parameter.name, declarationOf(parameter)])),
  };
}

function declarationOf({ name, type, fallback }: ParameterDraft): Parameter {
  if (fallback === '') return { type };
  if (type === 'string') return { type, default: fallback };
  try {
    return { type, default: JSON.parse(fallback) as unknown };
  } catch {
    throw new Error(
      `$${name}: expected a ${type} as JSON, such as ${type === 'list' ? '["a", "b"]' : type === 'number' ? '3' : 'true'}`,
    );
  }
}

/** Names after `$` in a text, except in strings and comments. */
export function parameterNames(text: string): readonly string[] {
  const code = text.replaceAll(/'(?:[^'\\]|\\.|'')*'|"(?:[^"\\]|\\.)*"|--[^\n]*|\/\*[\s\S]*?\*\//g, ' ');
  return [...new Set(Array.from(code.matchAll(/\$(\w+)/g), ([, name = '']) => name))];
}

/** The draft with exactly one declaration for each parameter of the text. */
export function withParameters(draft: QueryDraft): ParameterDraft[] {
  return parameterNames(draft.text).map(
    (name) =>
      draft.parameters.find((parameter) => parameter.name === name) ?? { name, type: 'string', fallback: '' },
  );
}
