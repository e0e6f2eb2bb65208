import type { Warning } from '#graph/model';
import { type DomainError, nearestName } from '#platform/foundation';
import type { FieldRef, Literal, Name, NodePattern, Parameter, Span } from '../ast/ast.ts';
import { quote, syntaxFault, type FaultOptions } from '../syntax/fault.ts';
import type {
  BoundElement,
  ElementOperand,
  FieldOperand,
  GroupValue,
  RowOperand,
  RowValue,
} from './bound-query.ts';

/** Maximum number of aliases listed in an error. */
const EXPECTED_MAX = 20;

/** The element that an alias names. */
interface Aliased {
  readonly element: number;
  readonly kind: BoundElement['kind'];
}

/** The binder's state for a query: its aliases, and the parameters and warnings found so far. */
export class Scope {
  readonly parameters = new Map<string, Parameter>();
  readonly warnings: Warning[] = [];
  readonly #text: string;
  readonly #aliases = new Map<string, Aliased>();
  /** The alias, if any, of each entity with a class. */
  readonly #classes = new Map<string, (string | undefined)[]>();

  constructor(text: string) {
    this.#text = text;
  }

  declare(alias: Name, aliased: Aliased): void {
    if (this.#aliases.has(alias.text)) throw this.fault(alias.span, `alias ${quote(alias.text)} is taken`);
    this.#aliases.set(alias.text, aliased);
  }

  /** Class names of entities in the pattern, for hints. */
  noteClasses({ names, alias }: Pick<NodePattern, 'names' | 'alias'>): void {
    if (names === '*') return;
    for (const { text } of names) {
      const aliases = this.#classes.get(text);
      if (aliases === undefined) this.#classes.set(text, [alias?.text]);
      else aliases.push(alias?.text);
    }
  }

  /** The element of a name, if it is an alias. */
  find(name: string): Aliased | undefined {
    return this.#aliases.get(name);
  }

  /** An example of a qualified field, for hints. */
  qualified(field: string): string {
    const [alias] = this.#aliases.keys();
    return `${alias ?? 'alias'}.${field}`;
  }

  note(parameter: Parameter): void {
    if (!this.parameters.has(parameter.name)) this.parameters.set(parameter.name, parameter);
  }

  /** Binds a bare word of GROUP BY, RETURN and ORDER BY: an alias, else a field of the FIND entity. */
  operand(ref: FieldRef): RowOperand {
    if (ref.alias !== undefined) return this.field(ref.alias, ref);
    const aliased = this.find(ref.field.text);
    return aliased === undefined ? fieldOf(0, ref) : elementOf(aliased.element, ref.span);
  }

  /** A field of an aliased element. */
  field(alias: Name, ref: FieldRef): FieldOperand {
    return fieldOf(this.aliased(alias, ref.field.text).element, ref);
  }

  /**
   * The element of an alias; `field` is the requested field, for the hint, unless the whole was requested.
   */
  aliased(alias: Name, field?: string): Aliased {
    const aliased = this.find(alias.text);
    if (aliased !== undefined) return aliased;
    const nearest = nearestName(alias.text, this.#aliases.keys());
    const guess = nearest === undefined ? [] : [`did you mean ${quote(nearest)}?`];
    const property =
      field === undefined ? [] : [`a property of that name is written [${alias.text}.${field}]`];
    const hint = this.#classHint(alias, field) ?? ([...guess, ...property].join(' ') || undefined);
    throw this.fault(alias.span, `unknown alias ${quote(alias.text)}`, {
      expected: this.#someAliases(),
      hint,
    });
  }

  isClass(name: string): boolean {
    return this.#classes.has(name);
  }

  /** Whether a name before a dot can only be the beginning of a property's name: it resembles no alias. */
  mayBeProperty(name: Name): boolean {
    if (this.#aliases.has(name.text) || this.#classes.has(name.text)) return false;
    return nearestName(name.text, this.#aliases.keys()) === undefined;
  }

  /** A hint for `host.os` where `host` is a class and not an alias. */
  #classHint(alias: Name, field: string | undefined): string | undefined {
    const entities = this.#classes.get(alias.text);
    if (field === undefined || entities === undefined) return undefined;
    const [own] = entities;
    if (own !== undefined && entities.length === 1)
      return `its entity has the alias ${quote(own)}: write ${own}.${field}`;
    return `${quote(alias.text)} is a class, but not of exactly one element: name the element with AS and write alias.${field}`;
  }

  #someAliases(): readonly string[] {
    return [...this.#aliases.keys().take(EXPECTED_MAX)];
  }

  fault(span: Span, message: string, options?: FaultOptions): DomainError {
    return syntaxFault(this.#text, span, message, options);
  }
}

export function fieldOf(element: number, ref: FieldRef): FieldOperand {
  return Object.freeze({ kind: 'field', element, field: ref.field.text, span: ref.span });
}

export function elementOf(element: number, span: Span): ElementOperand {
  return Object.freeze({ kind: 'element', element, span });
}

/** Distinct values by meaning, numbered in the order of first occurrence. */
export class Numbering<Value> {
  readonly #indexes = new Map<string, number>();
  readonly #values: Value[] = [];

  /** The number of a value with this meaning; assigns a new one at its first occurrence. */
  add(meaning: string, value: Value): number {
    const known = this.#indexes.get(meaning);
    if (known !== undefined) return known;
    this.#indexes.set(meaning, this.#values.length);
    return this.#values.push(value) - 1;
  }

  indexOf(meaning: string): number | undefined {
    return this.#indexes.get(meaning);
  }

  at(index: number): Value | undefined {
    return this.#values[index];
  }

  all(): readonly Value[] {
    return Object.freeze([...this.#values]);
  }
}

/** A text that is equal for operands with the same meaning, independent of their position. */
export function meaningOf(operand: RowValue | GroupValue | Literal): string {
  switch (operand.kind) {
    case 'field':
      return `field ${operand.element} ${operand.field}`;
    case 'element':
      return `element ${operand.element}`;
    case 'key':
    case 'aggregate':
      return `${operand.kind} ${operand.index}`;
    case 'literal':
      return `value ${JSON.stringify(operand.value)}`;
    case 'arithmetic':
    case 'concat':
      return JSON.stringify([operand.kind, operand.operators, operand.terms.map(meaningOf)]);
  }
}
