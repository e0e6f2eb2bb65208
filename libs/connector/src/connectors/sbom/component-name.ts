import type { FieldPath, JsonObject } from '#model';
import { textIn, textOr } from '../json-text.ts';

/** Under which type and key a component is an entity: the same that a lock file's package has. */
export interface ComponentName {
  readonly type: string;
  readonly key: string;
  readonly name: string;
}

const PACKAGE_URL = /^pkg:([a-z0-9.+-]+)\/([^?#]+)/i;

/** A subject is one over all its versions, a component is another in each. */
export function nameOfComponent(component: JsonObject, path: FieldPath, isSubject: boolean): ComponentName {
  const version = textOr(component, 'version');
  const [, ecosystem = '', rest = ''] = PACKAGE_URL.exec(textOr(component, 'purl') ?? '') ?? [];
  const name = rest === '' ? plainName(component, path) : packageName(rest);
  const kind = isSubject ? 'project' : ecosystem === '' ? 'component' : 'package';
  const type = ecosystem === '' ? kind : `${ecosystem.toLowerCase()}_${kind}`;
  return { type, name, key: isSubject || version === undefined ? name : `${name}@${version}` };
}

function plainName(component: JsonObject, path: FieldPath): string {
  const group = textOr(component, 'group');
  const name = textIn(component, 'name', path);
  return group === undefined ? name : `${group}/${name}`;
}

/** `%40scope/name@1.0.0` without its version. */
function packageName(rest: string): string {
  const [, path = rest] = /^(.+)@[^/@]*$/.exec(rest) ?? [];
  return path.split('/').map(decoded).join('/');
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    // A stray % is a character like any other.
    return segment;
  }
}
