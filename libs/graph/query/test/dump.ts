/**
 * A tree of syntax or of the binder as indented lines, for golden files: `field: kind values start-end`.
 * Names show as `text@start-end`; `elements` only repeat what the tree holds, and are left out.
 */
export function dump(tree: object): string {
  return dumpField('', tree, '').join('\n');
}

type Fields = Readonly<Record<string, unknown>>;

function dumpField(name: string, value: unknown, margin: string): readonly string[] {
  const label = name === '' ? '' : `${name}: `;
  if (Array.isArray(value)) return dumpList(name, value, margin);
  if (!isFields(value)) return [`${margin}${label}${JSON.stringify(value)}`];
  if (isName(value)) return [`${margin}${label}${dumpName(value)}`];
  const fields = Object.entries(value).filter(([key]) => !['span', 'kind', 'elements'].includes(key));
  const plain = fields
    .filter(([, field]) => isPlain(field))
    .map(([key, field]) => `${key}=${dumpPlain(field)}`);
  const kind = typeof value['kind'] === 'string' ? [value['kind']] : [];
  const head = [...kind, ...plain, ...dumpSpan(value)].join(' ');
  const rest = fields.filter(([, field]) => !isPlain(field));
  return [
    `${margin}${label}${head}`.trimEnd(),
    ...rest.flatMap(([key, field]) => dumpField(key, field, `${margin}  `)),
  ];
}

function dumpList(name: string, items: readonly unknown[], margin: string): readonly string[] {
  if (items.length === 0) return [];
  return [`${margin}${name}:`, ...items.flatMap((item) => dumpField('-', item, `${margin}  `))];
}

function isPlain(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0 && value.every((item) => isFields(item) && isName(item));
  return !isFields(value) || isName(value);
}

function dumpPlain(value: unknown): string {
  if (Array.isArray(value)) return value.map(dumpPlain).join('|');
  if (value === Infinity) return 'Infinity';
  return isFields(value) ? dumpName(value) : JSON.stringify(value);
}

function dumpName(name: Fields): string {
  return `${String(name['text'])}@${dumpSpan(name).join('')}`;
}

function dumpSpan({ span }: Fields): readonly string[] {
  return isFields(span) ? [`${String(span['start'])}-${String(span['end'])}`] : [];
}

function isName(value: Fields): boolean {
  return Object.keys(value).length === 2 && 'text' in value && 'span' in value;
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null;
}
