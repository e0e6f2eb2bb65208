/**
 * The used part of parquetjs-lite: its schema, its envelope (header and footer of a file), and the metadata
 * classes with their serialisation. Only the benchmark uses its row writer, for comparison.
 */

declare module 'parquetjs-lite' {
  interface FieldDefinition {
    readonly type: 'BOOLEAN' | 'INT32' | 'INT64' | 'TIMESTAMP_MICROS' | 'UTF8' | 'BYTE_ARRAY';
    readonly optional: boolean;
    /** Concerns only pages encoded by the package. */
    readonly compression?: 'SNAPPY';
  }
  interface Field {
    readonly name: string;
    readonly primitiveType: 'BOOLEAN' | 'INT32' | 'INT64' | 'BYTE_ARRAY';
    readonly path: readonly string[];
  }
  interface ParquetSchema {
    readonly fieldList: readonly Field[];
  }
  interface ParquetEnvelopeWriter {
    offset: number;
    rowCount: number;
    readonly rowGroups: object[];
    writeHeader(): Promise<void>;
    writeSection(bytes: Uint8Array): Promise<void>;
    writeFooter(metadata: Readonly<Record<string, string>>): Promise<void>;
  }
  interface RowWriter {
    setRowGroupSize(rows: number): void;
    appendRow(row: Readonly<Record<string, unknown>>): Promise<void>;
    close(): Promise<void>;
  }
  const parquet: {
    readonly ParquetSchema: new (fields: Readonly<Record<string, FieldDefinition>>) => ParquetSchema;
    readonly ParquetEnvelopeWriter: new (
      schema: ParquetSchema,
      write: (bytes: Uint8Array) => Promise<void>,
      close: () => void,
      offset: number,
      options: object,
    ) => ParquetEnvelopeWriter;
    readonly ParquetWriter: { openFile(schema: ParquetSchema, path: string): Promise<RowWriter> };
  };
  namespace parquet {
    export type { Field, FieldDefinition, ParquetEnvelopeWriter, ParquetSchema, RowWriter };
  }
  export = parquet;
}

declare module 'parquetjs-lite/gen-nodejs/parquet_types.js' {
  type Struct = new (fields?: Readonly<Record<string, unknown>>) => object;
  const types: {
    readonly PageHeader: Struct;
    readonly DataPageHeader: Struct;
    readonly DictionaryPageHeader: Struct;
    readonly ColumnMetaData: Struct;
    readonly ColumnChunk: Struct;
    readonly RowGroup: Struct;
    readonly Statistics: Struct;
    readonly PageType: Readonly<Record<'DATA_PAGE' | 'DICTIONARY_PAGE', number>>;
    readonly Type: Readonly<Record<string, number>>;
  };
  export = types;
}

declare module 'parquetjs-lite/lib/util.js' {
  const util: {
    serializeThrift(struct: object): Uint8Array;
  };
  export = util;
}

declare module 'parquetjs-lite/lib/compression.js' {
  const compression: {
    deflate(method: 'SNAPPY', bytes: Uint8Array): Uint8Array;
    inflate(method: 'SNAPPY', bytes: Uint8Array): Uint8Array;
  };
  export = compression;
}
