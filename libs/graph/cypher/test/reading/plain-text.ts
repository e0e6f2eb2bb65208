/** Functions of texts, which are lists of characters. */
import { isPlainList, type Plain, PlainFault } from './plain-value.ts';

/** Undefined for another function. */
export function plainTextFunction(
  name: string,
  text: string,
  [, first = null, second]: readonly Plain[],
): Plain | undefined {
  const characters = Array.from(text);
  switch (name) {
    case 'size':
      return BigInt(characters.length);
    case 'isempty':
      return text === '';
    case 'reverse':
      return characters.reverse().join('');
    case 'left':
      return characters.filter((_, at) => at < Number(first)).join('');
    case 'right':
      return characters.filter((_, at) => at >= characters.length - Number(first)).join('');
    case 'substring': {
      const [from, length] = [Number(first), second === undefined ? Infinity : Number(second)];
      return characters.filter((_, at) => at >= from && at < from + length).join('');
    }
    case 'replace':
      return replaced(text, textIn(first), textIn(second));
    case 'split':
      return split(text, isPlainList(first) ? first.map(textIn) : [textIn(first)]);
    default:
      return CONVERSIONS[name]?.(text);
  }
}

const CONVERSIONS: Readonly<Record<string, (text: string) => string>> = {
  toupper: (text) => text.toUpperCase(),
  tolower: (text) => text.toLowerCase(),
  trim: (text) => text.trim(),
  ltrim: (text) => text.trimStart(),
  rtrim: (text) => text.trimEnd(),
};

function textIn(value: Plain | undefined): string {
  if (typeof value === 'string') return value;
  throw new PlainFault('no text');
}

function replaced(text: string, search: string, put: string): string {
  if (search !== '') return text.replaceAll(search, () => put);
  return Array.from(text, (each) => `${put}${each}`).join('') + put;
}

/** Goes through the text; at each character it looks for a separator, in the order of the list. */
function split(text: string, separators: readonly string[]): Plain {
  if (text === '') return [''];
  if (separators.includes('')) return Array.from(text);
  const parts = [''];
  for (let rest = text; rest !== '';) {
    const found = separators.find((separator) => rest.startsWith(separator));
    if (found === undefined) parts.push(`${parts.pop() ?? ''}${rest.charAt(0)}`);
    else parts.push('');
    rest = rest.slice(found?.length ?? 1);
  }
  return parts;
}
