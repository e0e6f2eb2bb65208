/** The indexes and constraints of a store, which all of its processes share. */
import type { Documents } from '#graph/engine';
import type { SchemaCommand, SchemaRule } from '../syntax/schema-rule.ts';

const NAMESPACE = 'cypher-schema';

/** Throws where the data violates what a command says. */
export type ValidateData = (command: SchemaCommand) => Promise<void>;

export class SchemaCatalogue {
  readonly #documents: Documents;
  #rules: ReadonlyMap<string, SchemaRule> = new Map();
  #loaded: Promise<void> | undefined;
  #constraintsVersion = 0;

  constructor(documents: Documents) {
    this.#documents = documents;
    documents.onForeign(NAMESPACE, '', () => this.#read());
  }

  /** All rules in the order of their names. */
  get rules(): readonly SchemaRule[] {
    return [...this.#rules.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** Differs when other constraints hold: what was checked against earlier ones may violate them. */
  get constraintsVersion(): number {
    return this.#constraintsVersion;
  }

  /** Resolves when the stored ones are known. */
  load(): Promise<void> {
    this.#loaded ??= this.#read();
    return this.#loaded;
  }

  /**
   * Resolves when the commands are durable. A constraint holds for every commit from now on, before the data
   * that is there is looked at; it is withdrawn where that violates it.
   */
  async apply(commands: readonly SchemaCommand[], validate: ValidateData): Promise<void> {
    for (const command of commands) {
      const { name } = command.action === 'create' ? command.rule : command;
      await this.#put(name, command.action === 'create' ? command.rule : undefined);
      try {
        await validate(command);
      } catch (error) {
        await this.#put(name, undefined);
        throw error;
      }
    }
  }

  async #put(name: string, rule: SchemaRule | undefined): Promise<void> {
    const rules = new Map(this.#rules);
    if (rule === undefined) rules.delete(name);
    else rules.set(name, rule);
    this.#set(rules);
    await this.#documents.change(NAMESPACE, [{ id: name, value: rule }]);
  }

  async #read(): Promise<void> {
    const rules = new Map<string, SchemaRule>();
    for await (const { id, value } of this.#documents.all(NAMESPACE)) rules.set(id, value as SchemaRule);
    this.#set(rules);
  }

  #set(rules: ReadonlyMap<string, SchemaRule>): void {
    if (constraintsIn(rules) !== constraintsIn(this.#rules)) this.#constraintsVersion++;
    this.#rules = rules;
  }
}

function constraintsIn(rules: ReadonlyMap<string, SchemaRule>): string {
  return JSON.stringify([...rules.values()].filter(({ kind }) => kind === 'constraint'));
}
