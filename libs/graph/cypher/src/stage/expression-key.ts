import type { Expression } from '../syntax/ast.ts';

/** Equal for expressions that differ in their places only. */
export function expressionKey(expression: Expression): string {
  return JSON.stringify(expression, (name, value: unknown) => {
    if (name === 'span') return undefined;
    return typeof value === 'bigint' ? `${String(value)}n` : value;
  });
}
