/** What the documents of a collection state, whatever their form: objects, and edges between them. */
import type { JsonObject } from '#graph/model';
import { fittingKey } from '../document/fitting-key.ts';

/** An object that an edge leads to or from. */
export interface Principal {
  /** In upper case: ids are compared so. Empty if the object is known by a match only. */
  readonly id: string;
  readonly kind: string;
  readonly name?: string | undefined;
  /** The object is the one that has these values, if there is one; else the one of the id. */
  readonly match?: Match | undefined;
}

/** An object is the one that has these values, and the kind if there is one. */
export interface Match {
  readonly kind: string | undefined;
  readonly values: readonly (readonly [string, unknown])[];
}

export interface Edge {
  readonly from: Principal;
  readonly verb: string;
  readonly to: Principal;
  readonly properties: Readonly<Record<string, unknown>>;
  /** Distinguishes parallel edges. */
  readonly key?: string | undefined;
}

/** An object that a document describes. */
export interface StatedObject extends Principal {
  readonly properties: JsonObject;
  /** It says little of the object: what other elements say of it counts more. */
  readonly isPart?: boolean;
  /** Default: those of its kind. */
  readonly labels?: readonly string[];
  /** The entity, if it is not the one of the kind and the id. */
  readonly entity?: { readonly type: string; readonly key: string; readonly displayName: string } | undefined;
}

/** Edges that an element should state, and does not know: those at this end of the owner. */
export interface UnknownEdges {
  readonly owner: Principal;
  readonly end: 'from' | 'to';
  readonly verb: string;
  readonly reason: string;
}

/** What one element of a document states. */
export interface Statement {
  readonly objects: readonly StatedObject[];
  readonly edges: Iterable<Edge>;
  readonly unknown?: Iterable<UnknownEdges>;
  /** What of the element is not read, to be counted. */
  readonly ignored?: readonly string[];
  /** What is changed, and why. */
  readonly warning?: string | undefined;
  /** Why the element, or a part of it, is left out: it may have stated anything. */
  readonly lost?: string | undefined;
}

/** Of an element that is not read at all. */
export function lostStatement(why: string): Statement {
  return { objects: [], edges: [], lost: `${why}; it is left out` };
}

export function principalOf(id: string, kind: unknown): Principal {
  return { id: fittingKey(id.toUpperCase()), kind: typeof kind === 'string' ? kind : '' };
}

/** Properties whose texts BloodHound keeps in upper case. */
const UPPER = ['name', 'distinguishedname', 'operatingsystem'];

export function upperProperties(properties: JsonObject): JsonObject {
  const upper = UPPER.flatMap((name) => {
    const value = properties[name];
    return typeof value === 'string' ? [[name, value.toUpperCase()] as const] : [];
  });
  return upper.length === 0 ? properties : { ...properties, ...Object.fromEntries(upper) };
}
