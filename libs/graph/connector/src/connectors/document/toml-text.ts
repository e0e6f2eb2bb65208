/** TOML of other tools. */
import { parse, TomlError } from 'smol-toml';
import type { JsonObject } from '#graph/model';
import { DomainError } from '#platform/foundation';

/** Throws INVALID_REQUEST with line and column of a fault. `what` describes the expected document. */
export function parseToml(text: string, what: string): JsonObject {
  try {
    return parse(text);
  } catch (cause) {
    if (!(cause instanceof TomlError)) throw cause;
    const [reason = ''] = cause.message.replace('Invalid TOML document: ', '').split('\n');
    const place = `in line ${cause.line}, column ${cause.column}`;
    throw new DomainError('INVALID_REQUEST', `expected ${what}, got other text: ${reason} ${place}`, {
      cause,
    });
  }
}
