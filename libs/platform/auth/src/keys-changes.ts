import type { AuditedChange } from '#platform/audit';
import type { KeysDocument, NamedKey } from './keys-document.ts';

/** What differs between two readings of a keys file, by the names of keys and roles; no hash is named. */
export function changesOfKeys(before: KeysDocument, after: KeysDocument): readonly AuditedChange[] {
  return [
    ...changedItems(byName(before), byName(after), describedKey).map((text) => ({ target: `key ${text}` })),
    ...changedItems(before.roles, after.roles, JSON.stringify).map((text) => ({ target: `role ${text}` })),
  ];
}

function byName({ keys }: KeysDocument): ReadonlyMap<string, NamedKey> {
  return new Map(keys.map((key) => [key.name, key]));
}

function changedItems<Item>(
  before: ReadonlyMap<string, Item>,
  after: ReadonlyMap<string, Item>,
  described: (item: Item) => string,
): readonly string[] {
  const gone = [...before.keys()].flatMap((name) => (after.has(name) ? [] : `${name} removed`));
  const kept = [...after].flatMap(([name, item]) => {
    const former = before.get(name);
    if (former === undefined) return `${name} added: ${described(item)}`;
    if (JSON.stringify(former) === JSON.stringify(item)) return [];
    const [was, is] = [described(former), described(item)];
    return `${name} changed: ${was === is ? 'another secret' : `${was}, now ${is}`}`;
  });
  return [...gone, ...kept];
}

function describedKey({ role, source, until }: NamedKey): string {
  const parts = [role, source && `as ${source}`, until && `until ${until}`];
  return parts.filter((part) => part !== undefined).join(' ');
}
