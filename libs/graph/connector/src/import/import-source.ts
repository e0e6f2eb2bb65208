import { array, checkDocument, type DocumentFault, object, optional, type Shape } from '#platform/config';
import { DomainError } from '#platform/foundation';
import { words } from '../config/config-field.ts';
import { MAPPING_SHAPE, type WrittenMapping } from '../connectors/table/record-mapping.ts';
import type { RecognizedFile } from './recognized-file.ts';

/** How the rows of a table are read: keys of the connectors `csv` and `json`. */
export interface ImportConfig {
  readonly delimiter?: string | undefined;
  readonly columns?: readonly string[] | undefined;
  readonly records?: string | undefined;
  readonly mapping?: WrittenMapping | undefined;
}

/** A source whose files are imported by people; it is kept to be run again with a new file. */
export interface ImportSource {
  readonly id: string;
  readonly connector: RecognizedFile['connector'];
  readonly format: string;
  readonly config: ImportConfig;
  readonly file_name: string | null;
  readonly imported_at: string;
  /** Of the last import; unknown: from before it was kept. */
  readonly status: 'complete' | 'partial' | 'unknown';
}

const CONFIG_SHAPE: Shape<object> = object({
  delimiter: optional(words, 'between cells'),
  columns: optional(array(words, { min: 0, max: 1_024 }), 'names of columns'),
  records: optional(words, 'the path of the list'),
  mapping: optional(MAPPING_SHAPE, 'what the columns are'),
});

/** The configuration as given, checked. Throws INVALID_REQUEST for what a table has not. */
export function importConfig(given: unknown): ImportConfig {
  const { result, faults } = checkDocument(CONFIG_SHAPE, given);
  const [fault] = faults;
  if (result !== undefined && fault === undefined) return given as ImportConfig;
  throw faultOf(fault ?? { path: [], message: 'expected a table' });
}

function faultOf({ path, message }: DocumentFault): DomainError {
  const field = ['config', ...path].join('.');
  return new DomainError('INVALID_REQUEST', `${field}: ${message}`, { details: { field } });
}
