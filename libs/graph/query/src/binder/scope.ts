import type { Warning } from '#graph/model';
import { type DomainError, nearestName } from '#platform/foundation';
import type { FieldRef, Name, Parameter, Span } from '../ast/ast.ts';
import { quote, syntaxFault, type FaultOptions } from '../syntax/fault.ts';
import type { BoundElement, ElementOperand, FieldOperand, GroupOperand, RowOperand } from './bound-query.ts';

/** Most aliases that a fault lists. */
const EXPECTED_MAX = 20;

/** What an alias names. */
interface Aliased {
  readonly element: number;
  readonly kind: BoundElement['kind'];
}

/** What is known of a query while it is bound: its aliases, and the parameters and warnings met so far. */
export class Scope {
  readonly parameters = new Map<string, Parameter>();
  readonly warnings: Warning[] = [];
  readonly #text: string;
  readonly #aliases = new Map<string, Aliased>();
  readonly #classes = new Set<string>();

  constructor(text: string) {
    this.#text = text;
  }

  declare(alias: Name, aliased: Aliased): void {
    if (this.#aliases.has(alias.text)) throw this.fault(alias.span, `alias ${quote(alias.text)} is taken`);
    this.#aliases.set(alias.text, aliased);
  }

  /** Names that entities go by in the pattern, for hints. */
  noteClasses(names: readonly Name[] | '*'): void {
    if (names !== '*') for (const { text } of names) this.#classes.add(text);
  }

  /** What a name stands for, when it is an alias. */
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

  /** In GROUP BY, RETURN and ORDER BY: a bare word is an alias, or else a field of the FIND entity. */
  operand(ref: FieldRef): RowOperand {
    if (ref.alias !== undefined) return this.field(ref.alias, ref);
    const aliased = this.find(ref.field.text);
    return aliased === undefined ? fieldOf(0, ref) : elementOf(aliased.element, ref.span);
  }

  /** A field of an aliased element. */
  field(alias: Name, ref: FieldRef): FieldOperand {
    return fieldOf(this.aliased(alias, ref.field.text).element, ref);
  }

  /** What an alias names; `field` is what was asked of it, for the hint, unless it was all. */
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

  /** For `host.os` where `host` is the class and no alias. */
  #classHint(alias: Name, field: string | undefined): string | undefined {
    if (field === undefined || !this.#classes.has(alias.text)) return undefined;
    const bare = `write ${field} alone`;
    return `${quote(alias.text)} is a class: ${bare}, or name the entity with AS and write alias.${field}`;
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

/** Distinct values numbered in the order of their first coming, told apart by what they mean. */
export class Numbering<Value> {
  readonly #indexes = new Map<string, number>();
  readonly #values: Value[] = [];

  /** The number of a value with this meaning: a new one the first time. */
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

/** The same text for two operands that mean the same, wherever they stand. */
export function meaningOf(operand: RowOperand | GroupOperand): string {
  switch (operand.kind) {
    case 'field':
      return `field ${operand.element} ${operand.field}`;
    case 'element':
      return `element ${operand.element}`;
    case 'key':
    case 'aggregate':
      return `${operand.kind} ${operand.index}`;
  }
}
