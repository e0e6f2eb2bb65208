import { ApiPropertyOptional, type OpenAPIObject } from '@nestjs/swagger';

/** Where the choices wait: the documenter drops the `enum` of a field of a query string. */
const CHOICES = 'x-choices';

/** Documents a field of a query string that takes one of some words. */
export function ApiChoice(
  choices: readonly string[],
  options: { readonly default?: string; readonly description?: string } = {},
): PropertyDecorator {
  const documented = { ...options, type: String, [CHOICES]: choices };
  return ApiPropertyOptional(documented);
}

/** Puts the choices where OpenAPI wants them. */
export function placeChoices({ paths }: OpenAPIObject): void {
  for (const { get, post, put } of Object.values(paths)) {
    for (const parameter of [get, post, put].flatMap((operation) => operation?.parameters ?? [])) {
      if (!(CHOICES in parameter) || !('schema' in parameter)) continue;
      const { [CHOICES]: choices, schema } = parameter;
      Object.assign(parameter, { schema: { ...schema, enum: choices } });
      Reflect.deleteProperty(parameter, CHOICES);
    }
  }
}
