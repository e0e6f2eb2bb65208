export interface RelationMeaning {
  readonly verb: string;
  /** Whether the relationship leads from the second element to the first. */
  readonly isReverse: boolean;
  readonly properties: Readonly<Record<string, string>>;
}

const DEPENDENCY_OF = /^(?:([A-Z]+)_)?DEPENDENCY_OF$/;
const TOOL_OF = /^(BUILD|DEV|TEST)_TOOL_OF$/;
const NAME = /^[A-Z][A-Z0-9_]{0,99}$/;

/** Relationships that are dependencies of the first element on the second. */
const DEPENDENCIES: ReadonlyMap<string, string> = new Map([
  ['DYNAMIC_LINK', 'dynamic_link'],
  ['STATIC_LINK', 'static_link'],
  ['HAS_PREREQUISITE', 'prerequisite'],
]);

/** Reversed ones, by the verb of the other direction. */
const REVERSED: ReadonlyMap<string, string> = new Map([
  ['CONTAINED_BY', 'CONTAINS'],
  ['DESCRIBED_BY', 'DESCRIBES'],
  ['GENERATED_FROM', 'GENERATES'],
  ['ANCESTOR_OF', 'DESCENDANT_OF'],
]);

/**
 * The meaning of a relationship between two packages: dependencies of all kinds are DEPENDS_ON with `kind`,
 * all others keep their name, in one of their two directions. Undefined for a text that is no type.
 */
export function meaningOf(type: string): RelationMeaning | undefined {
  if (!NAME.test(type)) return undefined;
  const reversed = REVERSED.get(type);
  if (reversed !== undefined) return { verb: reversed, isReverse: true, properties: {} };
  const kind = DEPENDENCIES.get(type);
  if (kind !== undefined) return { verb: 'DEPENDS_ON', isReverse: false, properties: { kind } };
  const [, dependency = ''] = DEPENDENCY_OF.exec(type) ?? [];
  const [, tool = ''] = TOOL_OF.exec(type) ?? [];
  if (type === 'PREREQUISITE_FOR') return dependencyOf('prerequisite');
  if (tool !== '') return dependencyOf(`${tool.toLowerCase()}_tool`);
  if (DEPENDENCY_OF.test(type)) return dependencyOf(dependency.toLowerCase());
  return { verb: type === 'OTHER' ? 'RELATES_TO' : type, isReverse: false, properties: {} };
}

function dependencyOf(kind: string): RelationMeaning {
  return { verb: 'DEPENDS_ON', isReverse: true, properties: kind === '' ? {} : { kind } };
}
