import { DomainError } from '#foundation';
import { RE2JS } from 're2js';
import type { TextOperator } from '../ast/ast.ts';
import type { Constant } from '../binder/bound-query.ts';
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
  try {
    RE2JS.compile(pattern);
  } catch (cause) {
    const field = `params.${name}`;
    throw new DomainError('INVALID_REQUEST', `expected parameter $${name} to be a regular expression`, {
      details: { field },
      cause,
    });
  }
}
