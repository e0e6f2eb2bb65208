/** The indexes and constraints of a store, which all of its processes share. */
import { type Documents, overtaken } from '#graph/engine';
import { Turns } from '#platform/foundation';
import type { SchemaCommand, SchemaRule } from '../syntax/schema-rule.ts';

const NAMESPACE = 'cypher-schema';

type Rules = ReadonlyMap<string, SchemaRule>;

/** Throws where the data violates what a command says. */
export type ValidateData = (command: SchemaCommand) => Promise<void>;

/** What a transaction has decided on the rules of one version. */
export interface SchemaChange {
  readonly version: string;
  readonly commands: readonly SchemaCommand[];
}

export class SchemaCatalogue {
  readonly #documents: Documents;
  /** One change after the other, with the look at the data. */
  readonly #turns = new Turns(Number.POSITIVE_INFINITY);
  #rules: Rules = new Map();
  #version = textOf(new Map());
  #loaded: Promise<void> | undefined;
  #isLoaded = false;
  #constraintsVersion = 0;

  constructor(documents: Documents) {
    this.#documents = documents;
    documents.onForeign(NAMESPACE, '', () => this.#read());
  }

  /** All rules in the order of their names. */
  get rules(): readonly SchemaRule[] {
    return [...this.#rules.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** Equal where the rules are equal. */
  get version(): string {
    return this.#version;
  }

  /** Differs when other constraints hold: what was checked against earlier ones may violate them. */
  get constraintsVersion(): number {
    return this.#constraintsVersion;
  }

  /** Whether the stored ones are known. */
  get isLoaded(): boolean {
    return this.#isLoaded;
  }

  /** Resolves when the stored ones are known. */
  load(): Promise<void> {
    this.#loaded ??= this.#read().then(
      () => {
        this.#isLoaded = true;
      },
      (error: unknown) => {
        this.#loaded = undefined;
        throw error;
      },
    );
    return this.#loaded;
  }

  /**
   * Resolves when the commands are durable. A constraint holds for every commit of all processes from now on,
   * before the data that is there is looked at; where that violates it, all commands are withdrawn. Throws
   * CONFLICT where another transaction has changed the rules first.
   */
  apply({ version, commands }: SchemaChange, validate: ValidateData): Promise<void> {
    return this.#turns.run(async () => {
      const before = await this.#documents.exclusively(async () => {
        if (this.#version !== version) throw overtaken();
        const rules = this.#rules;
        await this.#put(new Map(commands.map((command) => [nameOf(command), ruleOf(command)])));
        return rules;
      });
      try {
        for (const command of commands) await validate(command);
      } catch (error) {
        await this.#withdraw(commands, before);
        throw error;
      }
    });
  }

  /** Except where another process has changed what the commands did. */
  #withdraw(commands: readonly SchemaCommand[], before: Rules): Promise<void> {
    return this.#documents.exclusively(() => {
      const own = commands.filter(
        (command) => JSON.stringify(this.#rules.get(nameOf(command))) === JSON.stringify(ruleOf(command)),
      );
      return this.#put(new Map(own.map((command) => [nameOf(command), before.get(nameOf(command))])));
    });
  }

  /** Undefined removes a rule. */
  async #put(changes: ReadonlyMap<string, SchemaRule | undefined>): Promise<void> {
    const rules = new Map(this.#rules);
    for (const [name, rule] of changes) {
      if (rule === undefined) rules.delete(name);
      else rules.set(name, rule);
    }
    // Set before the change is appended: the next commit is tested against it.
    this.#set(rules);
    try {
      await this.#documents.change(
        NAMESPACE,
        [...changes].map(([id, value]) => ({ id, value })),
      );
    } catch (error) {
      await this.#read();
      throw error;
    }
  }

  async #read(): Promise<void> {
    const rules = new Map<string, SchemaRule>();
    for await (const { id, value } of this.#documents.all(NAMESPACE)) rules.set(id, value as SchemaRule);
    this.#set(rules);
  }

  #set(rules: Rules): void {
    if (constraintsIn(rules) !== constraintsIn(this.#rules)) this.#constraintsVersion++;
    this.#rules = rules;
    this.#version = textOf(rules);
  }
}

function nameOf(command: SchemaCommand): string {
  return command.action === 'create' ? command.rule.name : command.name;
}

function ruleOf(command: SchemaCommand): SchemaRule | undefined {
  return command.action === 'create' ? command.rule : undefined;
}

function textOf(rules: Rules): string {
  return JSON.stringify([...rules.values()].sort((a, b) => (a.name < b.name ? -1 : 1)));
}

function constraintsIn(rules: Rules): string {
  return textOf(new Map([...rules].filter(([, { kind }]) => kind === 'constraint')));
}
