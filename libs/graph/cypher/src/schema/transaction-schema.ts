/** The indexes and constraints as one transaction sees and changes them. */
import { RunningCounters } from '../overlay/counters.ts';
import type { SchemaPort } from '../graph/schema.port.ts';
import { runtimeFault, type SchemaFault } from '../syntax/fault.ts';
import { isEquivalent, type SchemaCommand, type SchemaRule } from '../syntax/schema-rule.ts';

export interface SchemaNote {
  readonly code: string;
  readonly description: string;
}

const EXISTS = 'Neo.ClientNotification.Schema.IndexOrConstraintAlreadyExists';
const BINDS_CYPHER = 'Neo.ClientNotification.Schema.ConstraintBindsCypherOnly';
const NOT_NEEDED = 'Neo.ClientNotification.Schema.IndexNotNeeded';

export class TransactionSchema implements SchemaPort {
  rules: readonly SchemaRule[];
  /** Commands that the commit carries out. */
  readonly commands: SchemaCommand[] = [];
  #counters: RunningCounters | undefined;
  #notes: readonly SchemaNote[] = [];

  constructor(rules: readonly SchemaRule[]) {
    this.rules = rules;
  }

  /** About the statement that runs. */
  get notes(): readonly SchemaNote[] {
    return this.#notes;
  }

  /** What a statement changes is added to its counters. */
  beginStatement(counters: RunningCounters): void {
    this.#counters = counters;
    this.#notes = [];
  }

  change(command: SchemaCommand): void {
    const counters = (this.#counters ??= new RunningCounters());
    if (command.action === 'create') this.#create(command, counters);
    else this.#drop(command, counters);
  }

  #create(
    { rule, isTolerant }: Extract<SchemaCommand, { action: 'create' }>,
    counters: RunningCounters,
  ): void {
    const { kind, name } = rule;
    const same = this.rules.find((known) => isEquivalent(known, rule));
    const known = same ?? this.rules.find((other) => other.name === name);
    if (known !== undefined && isTolerant) {
      this.#note(EXISTS, `\`${known.name}\` is there already.`);
      return;
    }
    if (known !== undefined) throw existsFault(rule, same !== undefined);
    refuseUnenforced(rule);
    this.commands.push({ action: 'create', rule, isTolerant });
    this.rules = [...this.rules, rule];
    if (kind === 'constraint') {
      counters.constraints_added++;
      this.#note(
        BINDS_CYPHER,
        'The constraint binds what Cypher writes. What REST, gRPC and connectors write may violate it.',
      );
    } else {
      counters.indexes_added++;
      this.#note(
        NOT_NEEDED,
        'Every property is indexed: the index is kept as a name, and is online at once.',
      );
    }
  }

  #note(code: string, description: string): void {
    this.#notes = [...this.#notes, { code, description }];
  }

  #drop(command: Extract<SchemaCommand, { action: 'drop' }>, counters: RunningCounters): void {
    const { kind, name, isTolerant } = command;
    if (!this.rules.some((rule) => rule.kind === kind && rule.name === name)) {
      if (isTolerant) return;
      const code = kind === 'index' ? 'IndexNotFound' : 'ConstraintNotFound';
      throw fault(code, `there is no ${kind} \`${name}\``);
    }
    this.commands.push(command);
    this.rules = this.rules.filter((rule) => rule.name !== name);
    if (kind === 'index') counters.indexes_removed++;
    else counters.constraints_removed++;
  }
}

function existsFault({ kind, name }: SchemaRule, isSame: boolean): Error {
  if (isSame) return fault('EquivalentSchemaRuleAlreadyExists', `there is such a ${kind} already`);
  const code = kind === 'index' ? 'IndexWithNameAlreadyExists' : 'ConstraintWithNameAlreadyExists';
  return fault(code, `there is an index or a constraint \`${name}\` already`);
}

/** Nothing looks relationships up by value: each change would cost a look at all of them. */
function refuseUnenforced({ type, entity }: SchemaRule): void {
  if (type !== 'RELATIONSHIP_UNIQUENESS' && type !== 'RELATIONSHIP_KEY') return;
  const message = `uniqueness of ${entity.toLowerCase()}s is not supported: it would not be enforced`;
  throw fault('ConstraintCreationFailed', message);
}

function fault(code: SchemaFault, message: string): Error {
  return runtimeFault('SchemaRule', `Neo.ClientError.Schema.${code}`, message);
}
