/** Ends and edges as collectors of a domain state them. */
import { isJsonObject, type JsonObject } from '#graph/model';
import { BASE, knownKind } from './bloodhound-kinds.ts';
import { type Edge, type Principal, principalOf } from './statement.ts';

export const NOT_ACL = { isacl: false };

export function edge(
  from: Principal,
  verb: string,
  to: Principal,
  properties: Readonly<Record<string, unknown>> = NOT_ACL,
): Edge {
  return { from, verb, to, properties };
}

/** Of a kind that BloodHound has, or of none in particular. */
export function knownPrincipal(id: string, kind: unknown): Principal {
  return principalOf(id, typeof kind === 'string' ? knownKind(kind) : BASE);
}

export function principal(value: unknown): Principal | undefined {
  if (!isJsonObject(value)) return undefined;
  const { ObjectIdentifier: id, ObjectType: kind } = value;
  return typeof id === 'string' && id !== '' ? knownPrincipal(id, kind) : undefined;
}

export function principals(value: unknown): readonly Principal[] {
  return objects(value).flatMap((each) => principal(each) ?? []);
}

export function propertiesIn(item: JsonObject): JsonObject {
  return isJsonObject(item['Properties']) ? item['Properties'] : {};
}

export function objects(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}
