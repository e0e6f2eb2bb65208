import type { EntityDraft, RelationshipDraft } from '../../run/step.ts';
import type { Bill } from './bill-builder.ts';

/**
 * Several bills as one. What two of them say of one package is one entity: what the first lacks comes from
 * the others; a package that is the subject of one bill and a component of another is two entities, as in one
 * bill.
 */
export function mergedBills(bills: readonly Bill[]): Bill {
  const [only] = bills;
  if (only !== undefined && bills.length === 1) return only;
  const entities = new Map<string, EntityDraft>();
  const relationships = new Map<string, RelationshipDraft>();
  const ignored = new Map<string, number>();
  for (const bill of bills) {
    for (const entity of bill.entities) {
      const identity = `${entity.type} ${entity.key}`;
      const known = entities.get(identity);
      entities.set(identity, known === undefined ? entity : united(known, entity));
    }
    for (const each of bill.relationships) {
      const { from, verb, to, key } = each;
      const identity = JSON.stringify([from.type, from.key, verb, to.type, to.key, key]);
      const known = relationships.get(identity);
      relationships.set(identity, known === undefined ? each : united(known, each));
    }
    for (const [kind, count] of bill.ignored) ignored.set(kind, (ignored.get(kind) ?? 0) + count);
  }
  return {
    entities: [...entities.values()],
    relationships: [...relationships.values()],
    unresolved: bills.flatMap(({ unresolved }) => unresolved),
    external: bills.flatMap(({ external }) => external),
    ignored,
    warnings: bills.flatMap(({ warnings }) => warnings),
    isWhole: bills.every(({ isWhole }) => isWhole),
    documents: bills.flatMap(({ documents = [] }) => documents),
  };
}

/** The first, with what it lacks. */
function united<Draft extends EntityDraft | RelationshipDraft>(known: Draft, other: Draft): Draft {
  const stated = Object.entries(known.properties ?? {}).filter(([, value]) => value !== undefined);
  return { ...known, properties: { ...other.properties, ...Object.fromEntries(stated) } };
}
