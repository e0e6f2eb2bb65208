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

/** Of expressions in one another, with all accesses: `((a.b).c[d])`. */
const DEPTH_MAX = 1_000;

/**
 * What all scopes of a statement share: procedures, a number for each name, and the slots, of which no two
 * variables share one.
 */
export class Slots {
  readonly procedures: Procedures;
  /** Those that the statement mentions, with the first place of each. */
  readonly parameters = new Map<string, Span>();
  readonly #numbers = new Map<string, number>();
  #count = 0;
  #depth = 0;

  constructor(procedures: Procedures) {
    this.procedures = procedures;
  }

  next(): number {
    return this.#count++;
  }

  get count(): number {
    return this.#count;
  }

  /** Compiles what is one level deeper; throws where no stack is deep enough for it. */
  nested<T>(span: Span, compile: () => T): T {
    if (++this.#depth > DEPTH_MAX) {
      throw new SyntaxFault('NestingTooDeep', span, `expressions are nested deeper than ${DEPTH_MAX} levels`);
    }
    const compiled = compile();
    this.#depth--;
    return compiled;
  }

  /** Undefined for a name that no scope has. */
  numberOf(name: string): number | undefined {
    return this.#numbers.get(name);
  }

  /** The same for all variables of the name. */
  numberFor(name: string): number {
    const number = this.#numbers.get(name) ?? this.#numbers.size;
    this.#numbers.set(name, number);
    return number;
  }
}

/**
 * Variables by number. A table with one more shares all pages but one with the table before it, so that
 * thousands of scopes, each with one variable more, cost no more than their variables.
 */
class VariableTable {
  readonly #pages: readonly (readonly (Variable | undefined)[])[];

  constructor(pages: readonly (readonly (Variable | undefined)[])[] = []) {
    this.#pages = pages;
  }

  get(number: number): Variable | undefined {
    return this.#pages[number >> PAGE_BITS]?.[number & PAGE_MASK];
  }

  with(number: number, variable: Variable): VariableTable {
    const at = number >> PAGE_BITS;
    const pages = this.#pages.slice();
    while (pages.length <= at) pages.push([]);
    const page = pages[at]?.slice() ?? [];
    page[number & PAGE_MASK] = variable;
    pages[at] = page;
    return new VariableTable(pages);
  }

  get all(): readonly Variable[] {
    return this.#pages.flatMap((page) => page.filter((variable) => variable !== undefined));
  }
}

const PAGE_BITS = 8;
const PAGE_MASK = 2 ** PAGE_BITS - 1;

/** The variables that an expression may read. Unchangeable: a clause passes a new one to the next. */
export class Scope {
  readonly slots: Slots;
  /** By the numbers of their names. */
  readonly #variables: VariableTable;

  constructor(slots: Slots, variables = new VariableTable()) {
    this.slots = slots;
    this.#variables = variables;
  }

  get variables(): readonly Variable[] {
    return this.#variables.all;
  }

  find(name: string): Variable | undefined {
    const number = this.slots.numberOf(name);
    return number === undefined ? undefined : this.#variables.get(number);
  }

  /** Throws UndefinedVariable, with the nearest name. */
  resolve(name: string, span: Span): Variable {
    const variable = this.find(name);
    if (variable !== undefined) return variable;
    const nearest = nearestName(
      name,
      this.variables.map((known) => known.name),
    );
    throw new SyntaxFault('UndefinedVariable', span, `the variable \`${name}\` is not defined`, {
      hint: nearest === undefined ? undefined : `did you mean ${nearest}?`,
    });
  }

  /** A name that is not in scope, and that no statement can have: names begin with no space. */
  unusedName(word: string): string {
    let name = ` ${word}`;
    while (this.find(name) !== undefined) name += ' ';
    return name;
  }

  /** With one more variable, which hides one of the same name. */
  with(name: string, kind: VariableKind): { readonly scope: Scope; readonly variable: Variable } {
    const variable = { name, kind, slot: this.slots.next() };
    return { scope: this.#and(variable), variable };
  }

  /** Throws VariableAlreadyBound for a name that is taken. */
  declare(name: Name, kind: VariableKind): { readonly scope: Scope; readonly variable: Variable } {
    this.refuseTaken(name);
    return this.with(name.text, kind);
  }

  refuseTaken({ text, span }: Name): void {
    if (this.find(text) === undefined) return;
    throw new SyntaxFault('VariableAlreadyBound', span, `the variable \`${text}\` is already defined`);
  }

  /** Only these variables. */
  only(variables: readonly Variable[]): Scope {
    let scope = new Scope(this.slots);
    for (const variable of variables) scope = scope.#and(variable);
    return scope;
  }

  #and(variable: Variable): Scope {
    return new Scope(this.slots, this.#variables.with(this.slots.numberFor(variable.name), variable));
  }
}
