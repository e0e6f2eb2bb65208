import { nearestName } from '#platform/foundation';
import { SyntaxFault } from '../syntax/fault.ts';
import type { Procedures } from '../graph/procedure.port.ts';
import type { Name, Span } from '../syntax/ast.ts';

/** What a variable can be known to hold before a statement runs; `value` is anything. */
export type VariableKind =
  'node' | 'link' | 'links' | 'path' | 'boolean' | 'integer' | 'float' | 'string' | 'list' | 'map' | 'value';

export interface Variable {
  readonly name: string;
  readonly slot: number;
  readonly kind: VariableKind;
}

/** What all scopes of a statement share: procedures, and the slots, of which no two variables share one. */
export class Slots {
  readonly procedures: Procedures;
  #count = 0;

  constructor(procedures: Procedures) {
    this.procedures = procedures;
  }

  next(): number {
    return this.#count++;
  }

  get count(): number {
    return this.#count;
  }
}

/** The variables that an expression may read. Unchangeable: a clause passes a new one to the next. */
export class Scope {
  readonly slots: Slots;
  readonly #variables: ReadonlyMap<string, Variable>;

  constructor(slots: Slots, variables: ReadonlyMap<string, Variable> = new Map()) {
    this.slots = slots;
    this.#variables = variables;
  }

  get variables(): readonly Variable[] {
    return [...this.#variables.values()];
  }

  find(name: string): Variable | undefined {
    return this.#variables.get(name);
  }

  /** Throws UndefinedVariable, with the nearest name. */
  resolve(name: string, span: Span): Variable {
    const variable = this.#variables.get(name);
    if (variable !== undefined) return variable;
    const nearest = nearestName(name, [...this.#variables.keys()]);
    throw new SyntaxFault('UndefinedVariable', span, `the variable \`${name}\` is not defined`, {
      hint: nearest === undefined ? undefined : `did you mean ${nearest}?`,
    });
  }

  /** With one more variable, which hides one of the same name. */
  with(name: string, kind: VariableKind): { readonly scope: Scope; readonly variable: Variable } {
    const variable = { name, kind, slot: this.slots.next() };
    return { scope: new Scope(this.slots, new Map(this.#variables).set(name, variable)), variable };
  }

  /** Throws VariableAlreadyBound for a name that is taken. */
  declare(name: Name, kind: VariableKind): { readonly scope: Scope; readonly variable: Variable } {
    this.refuseTaken(name);
    return this.with(name.text, kind);
  }

  refuseTaken({ text, span }: Name): void {
    if (!this.#variables.has(text)) return;
    throw new SyntaxFault('VariableAlreadyBound', span, `the variable \`${text}\` is already defined`);
  }

  /** Only these variables. */
  only(variables: readonly Variable[]): Scope {
    return new Scope(this.slots, new Map(variables.map((variable) => [variable.name, variable])));
  }
}
