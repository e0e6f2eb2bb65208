/** The type of entities: `attack_pattern` for `attack-pattern`. */
export function typeOf(stixType: string): string {
  return stixType.replaceAll('-', '_');
}

/** `ATTRIBUTED_TO` for `attributed-to`. */
export function verbOf(name: string): string {
  return name.toUpperCase().replaceAll('-', '_');
}
