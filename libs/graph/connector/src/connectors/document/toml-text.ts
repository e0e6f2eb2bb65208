/** TOML of other tools. */
import type { JsonObject } from '#graph/model';
import { parseToml } from '#platform/config';
import { DomainError } from '#platform/foundation';

/** Throws INVALID_REQUEST with line and column of a fault. `what` describes the expected document. */
export function parseTomlText(text: string, what: string): JsonObject {
  return parseToml(text, ({ reason, line, column, cause }) => {
    const message = `expected ${what}, got other text: ${reason} in line ${line}, column ${column}`;
    return new DomainError('INVALID_REQUEST', message, { cause });
  });
}
