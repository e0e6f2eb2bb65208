import { isAbsent, isJsonObject, kindOf } from '#graph/model';
import { exactText, isPlainList } from '../document/flat-properties.ts';
import { type ColumnValue, SEPARATOR, type ValueKind } from './record-mapping.ts';

/** Why a value cannot be understood; the message does not name its place. */
export class CellFault extends Error {}

const SHOWN_CHARACTERS = 60;
const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i;
const WORDS: Readonly<Record<string, boolean>> = { true: true, yes: true, false: false, no: false };

/** The value of a property; undefined if it is absent. Throws {@link CellFault}. */
export function cellValue(value: unknown, { as, separator }: Omit<ColumnValue, 'column'>): unknown {
  if (isAbsent(value)) return undefined;
  if (as === undefined) return plain(value);
  if (as === 'list') return cellTexts(value, separator ?? SEPARATOR);
  if (as === 'text') return scalarText(value);
  return parsed(value, as);
}

/** The texts of a cell: its parts, or the items of a list. Throws {@link CellFault}. */
export function cellTexts(value: unknown, separator: string | undefined): readonly string[] {
  if (isAbsent(value)) return [];
  if (Array.isArray(value)) return [...new Set(value.map(scalarText))].filter((item) => item !== '');
  const text = scalarText(value);
  const parts = separator === undefined ? [text] : text.split(separator).map((part) => part.trim());
  return [...new Set(parts)].filter((part) => part !== '');
}

/** The text of a key or name. Throws {@link CellFault}. */
export function scalarText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean')
    return String(value);
  throw new CellFault(`expected a text, got ${kindOf(value)}`);
}

/** As the source has it; what no property can hold is JSON text. */
function plain(value: unknown): unknown {
  if (isJsonObject(value) || (Array.isArray(value) && !isPlainList(value))) return exactText(value);
  return value;
}

function parsed(value: unknown, as: Exclude<ValueKind, 'text' | 'list'>): unknown {
  const text = scalarText(value).trim();
  if (as === 'boolean') {
    const known = WORDS[text.toLowerCase()];
    if (known !== undefined) return known;
  } else if (as === 'integer') {
    if (/^[+-]?\d+$/.test(text)) return Number.isSafeInteger(Number(text)) ? Number(text) : BigInt(text);
  } else if (NUMBER.test(text) && Number.isFinite(Number(text))) return Number(text);
  throw new CellFault(`expected ${as === 'integer' ? 'an' : 'a'} ${as}, got ${shown(text)}`);
}

function shown(text: string): string {
  return JSON.stringify(text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text);
}
