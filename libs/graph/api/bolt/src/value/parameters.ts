import type { CypherMap } from '#graph/cypher';
import { DomainError } from '#platform/foundation';
import { UnusableValue, type WireValue } from './structure-reader.ts';

/** The parameters of a statement. Throws CYPHER_FAILED, with the name of a parameter that is no value. */
export function parametersOf(map: ReadonlyMap<string, WireValue>): CypherMap {
  for (const [name, value] of map) {
    const reason = faultOf(value);
    if (reason === undefined) continue;
    throw new DomainError('CYPHER_FAILED', `parameter $${name}: ${reason}`, {
      details: { code: 'Neo.ClientError.Statement.TypeError', kind: 'InvalidArgumentType' },
    });
  }
  return map as CypherMap;
}

/** Why a value, or one inside it, cannot be used. */
function faultOf(value: WireValue): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (value instanceof UnusableValue) return value.reason;
  if (value instanceof Uint8Array) return 'bytes are no value: send a text or a list';
  const items = Array.isArray(value) ? value : value instanceof Map ? value.values() : [];
  for (const item of items as Iterable<WireValue>) {
    const reason = faultOf(item);
    if (reason !== undefined) return reason;
  }
  return undefined;
}
