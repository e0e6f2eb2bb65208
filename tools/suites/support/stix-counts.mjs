/** What an ATT&CK bundle holds, counted without the connector. */

/** Types of relationship objects that no reference within an object shares. */
const TYPES = ['uses', 'mitigates', 'detects', 'attributed-to', 'targets', 'subtechnique-of'];

/** `{totals}`: the number of objects of each type, and of relationship objects of some types. */
export function countStix({ objects }) {
  const latest = new Map(objects.map((object) => [object.id, object]));
  const totals = {};
  const add = (kind) => (totals[kind] = (totals[kind] ?? 0) + 1);
  for (const { type, relationship_type: kind, source_ref: from, target_ref: to } of latest.values()) {
    if (type !== 'relationship') add(type.replaceAll('-', '_'));
    else if (TYPES.includes(kind) && latest.has(from) && latest.has(to))
      add(kind.toUpperCase().replaceAll('-', '_'));
  }
  return { totals };
}

/** The bundle without its last relationship of a counted type. */
export function withoutOneObject(bundle) {
  const at = bundle.objects.findLastIndex((object) => TYPES.includes(object.relationship_type));
  return { ...bundle, objects: bundle.objects.toSpliced(at, 1) };
}
