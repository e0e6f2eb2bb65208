import { parse, TomlError, type TomlTable } from 'smol-toml';
import { DomainError } from '#platform/foundation';

/** What is wrong with a text, and where: counted from 1, as in editors. `cause` is of the parser. */
export interface TomlFault {
  readonly reason: string;
  readonly line: number;
  readonly column: number;
  readonly cause: Error;
}

/** Parses a TOML document. Throws what `refuse` makes of the first fault. */
export function parseToml(text: string, refuse: (fault: TomlFault) => DomainError): TomlTable {
  try {
    return parse(text);
  } catch (cause) {
    if (!(cause instanceof TomlError)) throw cause;
    const { line, column, message } = cause;
    const [reason = ''] = message.replace('Invalid TOML document: ', '').split('\n', 1);
    throw refuse({ reason, line, column, cause });
  }
}

/** The same, of a program's own file. Throws INVALID_CONFIG with `file:line:column: <fault>`. */
export function parseTomlFile(text: string, file: string): TomlTable {
  return parseToml(text, ({ reason, line, column, cause }) => {
    const details = { line, column };
    return new DomainError('INVALID_CONFIG', `${file}:${line}:${column}: ${reason}`, { details, cause });
  });
}
