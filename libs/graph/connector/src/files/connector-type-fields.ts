import { type ReferenceRow, referenceRows } from '#platform/config';
import { configShape } from '../config/config-field.ts';
import type { ConnectorType } from '../config/connector-type.ts';
import { COMMON_CONFIG, CONNECTOR_SHAPE } from '../config/read-connector.ts';

/** A connector of the product, and the keys of its files. */
export interface ConnectorTypeFields {
  readonly name: string;
  readonly about: string;
  /** Keys of `config`; nested ones are joined by dots. */
  readonly config: readonly ReferenceRow[];
}

/** What a connector file may say: the keys of every file, and those of each connector. */
export function connectorTypeFields(types: readonly ConnectorType[]): {
  readonly keys: readonly ReferenceRow[];
  readonly types: readonly ConnectorTypeFields[];
} {
  const ignored = (): void => undefined;
  const surroundings = { file: 'connector.yaml', environment: {}, onSecret: ignored, onUnset: ignored };
  return {
    keys: referenceRows(CONNECTOR_SHAPE),
    types: types.map(({ name, about, config }) => ({
      name,
      about,
      config: referenceRows(configShape({ ...config, ...COMMON_CONFIG }, surroundings)),
    })),
  };
}
