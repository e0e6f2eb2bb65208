/** The name of a property for a column: `CPU cores` is `cpu_cores`. */
export function propertyName(column: string): string {
  const name = snakeCase(column);
  // Fields of the record have these names.
  return name === 'class' || name === 'display_name' ? `${name}_` : name;
}

/** The name of a type for a text: `Virtual machine` is `virtual_machine`. */
export function typeName(text: string): string {
  return snakeCase(text);
}

/** Words in small letters, joined by underscores; letters of all languages stay. */
function snakeCase(text: string): string {
  const words = text
    .normalize('NFC')
    .replaceAll(/([\p{Ll}\d])(\p{Lu})/gu, '$1_$2')
    .replaceAll(/[^\p{L}\p{M}\p{N}]+/gu, '_')
    .replaceAll(/^_+|_+$/g, '')
    .toLowerCase();
  return words === '' ? 'column' : words;
}
