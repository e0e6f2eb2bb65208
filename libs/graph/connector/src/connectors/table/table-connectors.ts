import type { Disk } from '#platform/disk';
import { countedText, DomainError } from '#platform/foundation';
import {
  type ConfigField,
  listField,
  optionalFileField,
  optionalTextField,
  secretHeadersField,
} from '../../config/config-field.ts';
import { type ConnectorType, defineConnector } from '../../config/connector-type.ts';
import { ANY_TYPE, type EmittedTypes, type Step, type StepContext } from '../../run/step.ts';
import { named } from '../document/named-fault.ts';
import { csvRows } from './csv-rows.ts';
import { jsonRows } from './json-rows.ts';
import { mappedColumns, MAPPING_FIELD, type RecordMapping } from './record-mapping.ts';
import { RowReader } from './row-reader.ts';
import type { BadRow, SourceRow } from './source-row.ts';
import { checkPlace, type TableDocument, type TablePlace, tableContent } from './table-source.ts';

const PLACE = {
  file: optionalFileField('path of a file, directory or pattern, relative to this file'),
  url: optionalTextField('or an address of HTTP'),
  headers_env: secretHeadersField('headers of the request: `Authorization: CMDB_TOKEN` names a variable'),
};
/** Rows are of any type. */
const VOCABULARY = { entities: { '*': '*' }, relationships: { '* * *': '*' } };
const PROGRESS_ROWS = 10_000;
/** A file with more rows that cannot be read has another form than its mapping. */
const REFUSED_MAX = 10_000;
const SHOWN_MAX = 5;

const delimiter: ConfigField<string | undefined> = optionalTextField(
  'between cells; default: the comma, semicolon, tab or bar that the first line has most of',
);

/** Tables in text: each row is an entity. */
export function csvConnector(disk: Disk): ConnectorType {
  return defineConnector({
    name: 'csv',
    about: 'tables in CSV, from files or over HTTP: each row is an entity',
    config: {
      ...PLACE,
      delimiter,
      columns: listField({ about: 'names of the columns of a file without a header', fallback: [] }),
      mapping: MAPPING_FIELD,
    },
    vocabulary: VOCABULARY,
    steps: (config) => {
      if (config.delimiter !== undefined && !/^[^"\r\n]$/.test(config.delimiter))
        throw new DomainError('INVALID_CONFIG', 'delimiter: expected one character, other than a quote');
      const form = { ...config, wanted: mappedColumns(config.mapping) };
      const rows = ({ bytes }: TableDocument): AsyncIterable<SourceRow | BadRow> => csvRows(bytes, form);
      return [rowsStep(disk, config, { rows, extensions: ['.csv', '.tsv', '.txt'] })];
    },
  });
}

/** Records in JSON: each is an entity. */
export function jsonConnector(disk: Disk): ConnectorType {
  return defineConnector({
    name: 'json',
    about: 'records in JSON or NDJSON, from files or over HTTP: each is an entity',
    config: {
      ...PLACE,
      records: optionalTextField(
        'path of the list of records: `data.items`; default: the document, or its lines',
      ),
      mapping: MAPPING_FIELD,
    },
    vocabulary: VOCABULARY,
    steps: (config) => {
      const rows = ({ bytes }: TableDocument): AsyncIterable<SourceRow | BadRow> =>
        jsonRows(bytes, config.records);
      return [rowsStep(disk, config, { rows, extensions: ['.json', '.ndjson', '.jsonl'] })];
    },
  });
}

interface TableConfig extends TablePlace {
  readonly mapping: RecordMapping;
}

interface TableFormat {
  readonly rows: (document: TableDocument) => AsyncIterable<SourceRow | BadRow>;
  /** In a directory, files with other names are counted, and not read. */
  readonly extensions: readonly string[];
}

function rowsStep<Config extends TableConfig>(
  disk: Disk,
  config: TableConfig,
  { rows, extensions }: TableFormat,
): Step<Config> {
  checkPlace(config);
  const emits = emittedTypes(config.mapping);
  return {
    id: 'rows',
    description: 'entities and relationships of the rows',
    emits,
    incremental: !isOfAnyType(emits),
    async run(context) {
      const content = await tableContent(disk, config, extensions, context);
      if (content === undefined) return;
      if (context.cursor !== undefined) context.startOver();
      await readDocuments(content.documents, { context, mapping: config.mapping, emits, rows });
      const cursor = content.cursor();
      if (!isOfAnyType(emits) && cursor !== undefined) context.keepCursor(cursor);
    },
  };
}

interface RowsReading {
  readonly context: StepContext<unknown>;
  readonly mapping: RecordMapping;
  readonly emits: Required<EmittedTypes>;
  readonly rows: TableFormat['rows'];
}

/**
 * Rows that are refused make the types incomplete. Without any other row, or without known types, the step
 * fails.
 */
async function readDocuments(
  documents: AsyncIterable<TableDocument>,
  { context, mapping, emits, rows }: RowsReading,
): Promise<void> {
  let name: string | undefined;
  const refused: string[] = [];
  const types = [...emits.entities, ...emits.relationships];
  const reader = new RowReader(mapping, context, ({ place, fault }) => {
    const reason = `${name === undefined ? '' : `${name}: `}${place}: ${fault}`;
    if (refused.push(reason) > REFUSED_MAX) throw tooMany(refused);
    if (!isOfAnyType(emits)) context.incomplete(types, `${reason}; the row is left out`);
  });
  for await (const document of documents) {
    ({ name } = document);
    await named(name ?? '', () => readRows(rows(document), reader, context));
  }
  if (refused.length > 0 && (isOfAnyType(emits) || reader.rowCount === 0)) throw tooMany(refused);
  reader.finish();
}

function tooMany(refused: readonly string[]): DomainError {
  const rest =
    refused.length > SHOWN_MAX ? `; and ${countedText(refused.length - SHOWN_MAX, 'more row')}` : '';
  return new DomainError('INVALID_REQUEST', `${refused.slice(0, SHOWN_MAX).join('; ')}${rest}`);
}

async function readRows(
  rows: AsyncIterable<SourceRow | BadRow>,
  reader: RowReader,
  context: StepContext<unknown>,
): Promise<void> {
  for await (const row of rows) {
    reader.read(row);
    if (reader.rowCount % PROGRESS_ROWS !== 0) continue;
    context.signal.throwIfAborted();
    context.progress({ done: reader.rowCount });
  }
}

function isOfAnyType({ entities }: Required<EmittedTypes>): boolean {
  return entities.includes(ANY_TYPE);
}

function emittedTypes({ type, relationships }: RecordMapping): Required<EmittedTypes> {
  const created = relationships.filter(({ creates }) => creates).map((each) => each.type);
  return {
    entities: typeof type === 'string' ? [...new Set([type, ...created])] : [ANY_TYPE],
    relationships: [...new Set(relationships.map(({ verb }) => verb))],
  };
}
