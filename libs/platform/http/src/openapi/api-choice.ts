import { ApiPropertyOptional, type OpenAPIObject } from '@nestjs/swagger';

/** Extension that carries the choices: the document generator drops the `enum` of a query parameter. */
const CHOICES = 'x-choices';

/** Documents a query parameter that accepts one of a few values. */
export function ApiChoice(
  choices: readonly string[],
  options: { readonly default?: string; readonly description?: string } = {},
): PropertyDecorator {
  const documented = { ...options, type: String, [CHOICES]: choices };
  return ApiPropertyOptional(documented);
}

/** Moves the choices to the place that OpenAPI defines. */
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
