import type { Step } from '../run/step.ts';
import type { ConfigOf, ConfigTable } from './config-field.ts';
import type { Vocabulary } from './vocabulary.ts';

/** A kind of source: its configuration, and the steps that read it. */
export interface ConnectorDefinition<Table extends ConfigTable> {
  /** The value of `connector:`. */
  readonly name: string;
  readonly about: string;
  readonly config: Table;
  /** Of the connectors of the product; others may leave it out. */
  readonly vocabulary?: Vocabulary;
  /** Called once for each run. Reads nothing yet. */
  steps(config: ConfigOf<Table>): readonly Step<ConfigOf<Table>>[];
}

/** A connector with a checked configuration. */
export interface ConnectorType {
  readonly name: string;
  readonly about: string;
  readonly config: ConfigTable;
  readonly vocabulary?: Vocabulary | undefined;
  readonly steps: (config: Readonly<Record<string, unknown>>) => readonly Step[];
}

export function defineConnector<Table extends ConfigTable>(
  definition: ConnectorDefinition<Table>,
): ConnectorType {
  const { name, about, config, vocabulary } = definition;
  return { name, about, config, vocabulary, steps: (values) => definition.steps(values as ConfigOf<Table>) };
}
