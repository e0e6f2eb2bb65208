/**
 * What SharpHound asked a computer for and did not get: what earlier runs knew of it is kept. What it was not
 * asked for, by the methods of the collection, is not unknown.
 */
import { isJsonObject, type JsonObject } from '#graph/model';
import { LOCAL_GROUP } from './bloodhound-kinds.ts';
import { LOCAL_LISTS, LOCAL_RIGHTS, PRIVILEGES } from './sharphound-edges.ts';
import { knownPrincipal } from './sharphound-ends.ts';
import type { Principal, UnknownEdges } from './statement.ts';

const SESSIONS = ['Sessions', 'PrivilegedSessions', 'RegistrySessions'];
/** Computers that the collector passes over, as they are no longer in use or are none of Windows. */
const PASSED_OVER = /^(?:NotActive|PwdLastSetOutOfRange|NonWindowsOS)/;

export function* unknownEdgesOf(own: Principal, item: JsonObject): Generator<UnknownEdges> {
  const status = failureOfStatus(item['Status']);
  for (const field of SESSIONS) {
    const reason = status ?? failureOf(item[field]);
    if (reason !== undefined) yield { owner: own, end: 'from', verb: 'HasSession', reason };
  }
  for (const [field, verb] of LOCAL_LISTS) {
    const reason = status ?? failureOf(item[field]);
    if (reason !== undefined) yield { owner: own, end: 'to', verb, reason };
  }
  for (const [privilege, verb] of PRIVILEGES) {
    const right = objectsIn(item['UserRights']).find((each) => each['Privilege'] === privilege);
    const reason = status ?? failureOf(right);
    if (reason !== undefined) yield { owner: own, end: 'to', verb, reason };
  }
  for (const group of objectsIn(item['LocalGroups'])) yield* unknownMembersOf(own, group);
}

function* unknownMembersOf(computer: Principal, group: JsonObject): Generator<UnknownEdges> {
  const [reason, id] = [failureOf(group), group['ObjectIdentifier']];
  if (reason === undefined || typeof id !== 'string' || id === '') return;
  const owner = knownPrincipal(id, LOCAL_GROUP);
  yield { owner, end: 'to', verb: 'MemberOfLocalGroup', reason };
  const right = LOCAL_RIGHTS.find(([suffix]) => owner.id.endsWith(suffix));
  if (right !== undefined) yield { owner: computer, end: 'to', verb: right[1], reason };
}

function failureOf(result: unknown): string | undefined {
  if (!isJsonObject(result) || result['Collected'] === true) return undefined;
  const { FailureReason: reason } = result;
  return typeof reason === 'string' && reason !== '' ? reason : undefined;
}

function failureOfStatus(status: unknown): string | undefined {
  if (!isJsonObject(status) || status['Connectable'] !== false) return undefined;
  const { Error: error } = status;
  return typeof error === 'string' && error !== '' && !PASSED_OVER.test(error) ? error : undefined;
}

function objectsIn(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}
