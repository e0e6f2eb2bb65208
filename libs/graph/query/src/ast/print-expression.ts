/** Formats conditions as PQL text. */
import { keywordOf } from '../lexer/keyword.ts';
import type {
  AndOr,
  Arithmetic,
  Existence,
  Expression,
  HopDirection,
  Linked,
  Membership,
  Name,
  Now,
  Operand,
  Term,
  TextMatch,
  TextOperator,
  Value,
  VerbPattern,
} from './ast.ts';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;

const WORDS: Readonly<Record<TextOperator, string>> = {
  like: 'LIKE',
  ilike: 'ILIKE',
  contains: 'CONTAINS',
  starts_with: 'STARTS WITH',
  ends_with: 'ENDS WITH',
  regex: '=~',
};

const SYMBOLS: Partial<Record<TextOperator, string>> = { starts_with: '^=', ends_with: '$=' };

export function printExpression(expression: Expression): string {
  switch (expression.kind) {
    case 'and':
    case 'or':
      return printAndOr(expression);
    case 'not':
      return `NOT ${printItem(expression.item)}`;
    case 'compare':
      return `${printRef(expression.left)} ${expression.operator} ${printValue(expression.right)}`;
    case 'in':
      return printMembership(expression);
    case 'text':
      return printTextMatch(expression);
    case 'between': {
      const range = `BETWEEN ${printValue(expression.low)} AND ${printValue(expression.high)}`;
      return `${printRef(expression.left)} ${not(expression.negated)}${range}`;
    }
    case 'exists':
      return printExistence(expression);
    case 'linked':
      return printLinked(expression);
  }
}

/** Prints an AND or OR; an AND in a mixed OR has no parentheses. */
function printAndOr({ kind, items, mixed }: AndOr): string {
  const print = (item: Expression): string =>
    mixed === true && item.kind === 'and' ? printAndOr(item) : printItem(item);
  return items.map(print).join(kind === 'and' ? ' AND ' : ' OR ');
}

function printItem(expression: Expression): string {
  const printed = printExpression(expression);
  return expression.kind === 'and' || expression.kind === 'or' ? `(${printed})` : printed;
}

function printMembership({ left, negated, values }: Membership): string {
  const list = 'kind' in values ? printValue(values) : `(${values.map(printValue).join(', ')})`;
  return `${printRef(left)} ${not(negated)}IN ${list}`;
}

/** STARTS WITH and ENDS WITH accept only strings; their symbols accept any value. */
function printTextMatch({ left, operator, negated, right }: TextMatch): string {
  const isText = right.kind === 'parameter' || (right.kind === 'literal' && typeof right.value === 'string');
  const symbol = isText ? undefined : SYMBOLS[operator];
  const words = symbol === undefined ? `${not(negated)}${WORDS[operator]}` : `${negated ? '!' : ''}${symbol}`;
  return `${printRef(left)} ${words} ${printValue(right)}`;
}

function printExistence({ left, negated }: Existence): string {
  return `${printRef(left)} ${negated ? 'IS NULL' : 'EXISTS'}`;
}

function printLinked({ left, verbs, direction, right }: Linked): string {
  const hop = `THAT ${printVerbs(verbs)}${ARROWS[direction]}`;
  return `(${printName(left.text)} ${hop} ${printName(right.text)})`;
}

function printValue(value: Value): string {
  switch (value.kind) {
    case 'literal':
      return printLiteral(value.value);
    case 'parameter':
      return `$${value.name}`;
    case 'now':
      return printNow(value);
    case 'date':
      return `date(${value.text})`;
    case 'ref':
      return printRef(value);
  }
}

/** Prints the offset in the largest unit that divides it. */
function printNow({ offsetMs }: Now): string {
  if (offsetMs === 0) return 'NOW';
  const durationMs = Math.abs(offsetMs);
  const sign = offsetMs < 0 ? '-' : '+';
  if (durationMs % DAY_MS === 0) return `NOW ${sign} ${durationMs / DAY_MS}d`;
  if (durationMs % HOUR_MS === 0) return `NOW ${sign} ${durationMs / HOUR_MS}h`;
  return `NOW ${sign} ${durationMs / MINUTE_MS}m`;
}

function not(negated: boolean): string {
  return negated ? 'NOT ' : '';
}

/** Digits alone are parsed as an integer, which must be exact. */
function printLiteral(value: string | number | boolean | null): string {
  if (typeof value === 'string') return printString(value);
  const text = String(value);
  return /^-?\d{16,}$/.test(text) && !Number.isSafeInteger(value) ? `${text}.0` : text;
}

/** A sum within a sum, and any operation within a product, is in parentheses. */
export function printTerm(term: Term, isInProduct?: boolean): string {
  switch (term.kind) {
    case 'literal':
      return printLiteral(term.value);
    case 'concat':
      return `CONCAT(${term.terms.map((part) => printTerm(part)).join(', ')})`;
    case 'arithmetic': {
      const isProduct = isProductOf(term);
      const [first, ...others] = term.terms.map((operand) => printTerm(operand, isProduct));
      const text = others.reduce(
        (left, right, at) => `${left} ${term.operators[at] ?? ''} ${right}`,
        first ?? '',
      );
      return isInProduct === true || (isInProduct === false && !isProduct) ? `(${text})` : text;
    }
    default:
      return printRef(term);
  }
}

function isProductOf({ operators: [first] }: Arithmetic): boolean {
  return first === '*' || first === '/';
}

/** Formats names, references and strings as PQL text. */
export const ARROWS = { out: ' >>', in: ' <<', any: '' } as const satisfies Record<HopDirection, string>;

const PLAIN = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** A name, in backquotes if it is a keyword or no plain identifier. */
export function printName(name: string): string {
  return PLAIN.test(name) && keywordOf(name) === '' ? name : `\`${name.replaceAll('`', '``')}\``;
}

/** `*`, `name`, `(name | name)` */
export function printNames(names: readonly Name[] | '*'): string {
  if (names === '*') return '*';
  const printed = names.map(({ text }) => printName(text)).join(' | ');
  return names.length === 1 ? printed : `(${printed})`;
}

/** `verb`, `(verb | verb)`, `RELATES TO` */
export function printVerbs({ names }: VerbPattern): string {
  return names === '*' ? 'RELATES TO' : printNames(names);
}

/** `field`, `alias.field`, `COUNT(*)`, `AVG(DISTINCT alias.field)` */
export function printRef(operand: Operand): string {
  if (operand.kind === 'ref') {
    const field = printName(operand.field.text);
    return operand.alias === undefined ? field : `${printName(operand.alias.text)}.${field}`;
  }
  const argument = operand.argument === '*' ? '*' : printRef(operand.argument);
  return `${operand.function.toUpperCase()}(${operand.distinct ? 'DISTINCT ' : ''}${argument})`;
}

export function printString(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;
}
