import { createProperties, type Properties, type PropertyValue } from '#graph/model';

/** The facts that are known, as properties. */
export function knownProperties(facts: Readonly<Record<string, PropertyValue | undefined>>): Properties {
  const properties = createProperties();
  for (const [name, value] of Object.entries(facts)) {
    if (value !== undefined) properties[name] = value;
  }
  return properties;
}
