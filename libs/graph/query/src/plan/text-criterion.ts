import { DomainError } from '#platform/foundation';
import type { TextOperator } from '../ast/ast.ts';
import type { Constant } from '../binder/bound-query.ts';
import { compilePattern } from '../syntax/regular-expression.ts';
import type { Constants } from './constants.ts';

/** The pattern of LIKE, STARTS WITH, =~ …; a parameter must be a string, and for =~ a regular expression. */
export function textCriterion(constant: Constant, operator: TextOperator, constants: Constants): string {
  if (constant.kind === 'parameter') {
    const text = constants.parameters.text(constant.name);
    if (operator === 'regex') requireRegex(constant.name, text);
    return text;
  }
  const value = constants.value(constant);
  if (typeof value === 'string') return value;
  throw new DomainError(
    'INVALID_REQUEST',
    `expected a string after ${operator.replace('_', ' ').toUpperCase()}`,
    {
      details: { field: 'pql', position: constant.span.start },
    },
  );
}

function requireRegex(name: string, pattern: string): void {
  const compiled = compilePattern(pattern);
  if ('expression' in compiled) return;
  throw new DomainError(
    'INVALID_REQUEST',
    `expected parameter $${name} to be a regular expression: ${compiled.fault}`,
    { details: { field: `params.${name}` } },
  );
}
