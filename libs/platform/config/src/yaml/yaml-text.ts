import { CORE_SCHEMA, dump } from 'js-yaml';

/** JSON data as a YAML document that {@link YamlDocument} reads back to an equal value. */
export function yamlText(value: unknown): string {
  return dump(value, { schema: CORE_SCHEMA, noRefs: true, lineWidth: 100 });
}
