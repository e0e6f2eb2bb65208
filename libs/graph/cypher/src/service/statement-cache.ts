import { completed, inTurns } from '#platform/foundation';
import type { Procedures } from '../graph/procedure.port.ts';
import { compileText, type CompiledText } from './compile-text.ts';

const STATEMENTS_MAX = 512;
/** Of all texts together; what is made of a text takes some hundred bytes for each of its characters. */
const CHARACTERS_MAX = 262_144;
/** Longer texts are not kept, as each would take the place of many, and others have turns meanwhile. */
const TEXT_MAX = 16_384;

/**
 * Compiled statements by their texts, the least recently used first. They depend on nothing else: parameters
 * have their values, and matches their order, when a statement runs.
 */
export class StatementCache {
  readonly #procedures: Procedures | undefined;
  readonly #known = new Map<string, CompiledText>();
  #characters = 0;

  constructor(procedures: Procedures | undefined) {
    this.#procedures = procedures;
  }

  /** Throws CYPHER_SYNTAX; a promise for a long text. Statements of the system database are not kept. */
  compiled(text: string, isSystem = false): CompiledText | Promise<CompiledText> {
    const known = isSystem ? undefined : this.#known.get(text);
    if (known !== undefined) {
      this.#known.delete(text);
      this.#known.set(text, known);
      return known;
    }
    const steps = compileText(text, this.#procedures, isSystem);
    if (text.length > TEXT_MAX) return inTurns(steps);
    const compiled = completed(steps);
    if (!isSystem) this.#keep(text, compiled);
    return compiled;
  }

  #keep(text: string, compiled: CompiledText): void {
    this.#known.set(text, compiled);
    this.#characters += text.length;
    for (const oldest of this.#known.keys()) {
      if (this.#known.size <= STATEMENTS_MAX && this.#characters <= CHARACTERS_MAX) return;
      this.#known.delete(oldest);
      this.#characters -= oldest.length;
    }
  }
}
