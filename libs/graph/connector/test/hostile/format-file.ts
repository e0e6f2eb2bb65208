import type { Disk } from '#platform/disk';
import type { ConnectorType } from '../../src/config/connector-type.ts';

/** A whole, small file of a format, which the table of damaged files changes. */
export interface FormatFile {
  /** For the name of the test. */
  readonly format: string;
  readonly connector: (disk: Disk) => ConnectorType;
  /** The name of the file, by which some connectors know the format. */
  readonly name: string;
  readonly content: object | string;
  /** The field of the configuration that names the file; default `file`. */
  readonly field?: string;
  readonly config?: Readonly<Record<string, unknown>>;
  /** Where the document says its version, and one that does not exist. */
  readonly version?: readonly [path: string, value: unknown];
  /** A part of the file is a whole file: one record or document follows another. */
  readonly isSequence?: boolean;
  /** Whether a folder of such files is one source; true by default. */
  readonly isOfMany?: boolean;
  /** Whether a file without anything is one: of a log that has just been begun. */
  readonly mayBeEmpty?: boolean;
  /** Files beside it, by name. */
  readonly beside?: Readonly<Record<string, object | string>>;
  /** Fields that every such file has. */
  readonly required?: readonly string[];
  /** Places where the format, in some version or case, has a value of another kind. */
  readonly either?: RegExp;
  /** Properties are those of the document, whatever their values: another value is another property. */
  readonly readsAnyValue?: boolean;
}
