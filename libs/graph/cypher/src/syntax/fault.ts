import { DomainError } from '#platform/foundation';
import type { Span } from './ast.ts';

/** What went wrong, by the names of openCypher's conformance kit. */
export type FaultKind =
  | 'UnexpectedSyntax'
  | 'InvalidUnicodeCharacter'
  | 'InvalidUnicodeLiteral'
  | 'InvalidNumberLiteral'
  | 'IntegerOverflow'
  | 'FloatingPointOverflow'
  | 'NestingTooDeep'
  | 'StatementTooLong'
  | 'UndefinedVariable'
  | 'VariableAlreadyBound'
  | 'VariableTypeConflict'
  | 'InvalidArgumentType'
  | 'InvalidArgumentValue'
  | 'InvalidNumberOfArguments'
  | 'NegativeIntegerArgument'
  | 'NonConstantExpression'
  | 'InvalidParameterUse'
  | 'InvalidAggregation'
  | 'AmbiguousAggregationExpression'
  | 'NestedAggregation'
  | 'RequiresDirectedRelationship'
  | 'NoSingleRelationshipType'
  | 'InvalidRelationshipPattern'
  | 'CreatingVarLength'
  | 'RelationshipUniquenessViolation'
  | 'InvalidDelete'
  | 'InvalidPropertyType'
  | 'MergeReadOwnWrites'
  | 'DeleteConnectedNode'
  | 'ConstraintViolation'
  | 'SchemaRule'
  | 'DifferentColumnsInUnion'
  | 'UnknownFunction'
  | 'ProcedureNotFound'
  | 'NoVariablesInScope'
  | 'NoExpressionAlias'
  | 'InvalidClauseComposition'
  | 'InvalidArgumentPassingMode'
  | 'ColumnNameConflict'
  | 'MapElementAccessByNonString'
  | 'ListElementAccessByNonInteger'
  | 'NumberOutOfRange'
  | 'DeletedEntityAccess'
  | 'MissingParameter'
  | 'NotSupported';

export type SchemaFault =
  | 'ConstraintValidationFailed'
  | 'ConstraintCreationFailed'
  | 'EquivalentSchemaRuleAlreadyExists'
  | 'IndexWithNameAlreadyExists'
  | 'ConstraintWithNameAlreadyExists'
  | 'IndexNotFound'
  | 'ConstraintNotFound';

/** Codes of Neo4j, which its drivers classify. */
export type StatusCode =
  | 'Neo.ClientError.Statement.SyntaxError'
  | 'Neo.ClientError.Statement.SemanticError'
  | 'Neo.ClientError.Statement.TypeError'
  | 'Neo.ClientError.Statement.ArgumentError'
  | 'Neo.ClientError.Statement.ArithmeticError'
  | 'Neo.ClientError.Statement.EntityNotFound'
  | 'Neo.ClientError.Statement.ParameterMissing'
  | 'Neo.ClientError.Statement.AccessMode'
  | 'Neo.ClientError.Statement.UnsupportedAdministrationCommand'
  | 'Neo.ClientError.Database.DatabaseNotFound'
  | 'Neo.ClientError.Database.ExistingDatabaseFound'
  | 'Neo.ClientError.Database.DatabaseLimitReached'
  | 'Neo.ClientError.Security.Forbidden'
  | 'Neo.ClientError.Transaction.ForbiddenDueToTransactionType'
  | `Neo.ClientError.Schema.${SchemaFault}`
  | 'Neo.ClientError.Procedure.ProcedureNotFound';

/** `details` of CYPHER_SYNTAX and CYPHER_FAILED; the place is absent where it is not known. */
export interface CypherDetails {
  readonly code: StatusCode;
  readonly kind: FaultKind;
  /** UTF-16 offset of the first character; the length of the text at its end. */
  readonly position?: number;
  /** Line of the fault, from 1. */
  readonly line?: number;
  /** Column of the fault, from 1, in UTF-16 units. */
  readonly column?: number;
  readonly length?: number;
  readonly hint?: string;
}

export interface FaultOptions {
  /** Default: `Neo.ClientError.Statement.SyntaxError`. */
  readonly code?: StatusCode;
  readonly hint?: string | undefined;
}

/** A fault of the text, found before anything runs: CYPHER_SYNTAX at its place. */
export class SyntaxFault extends Error {
  readonly kind: FaultKind;
  readonly span: Span;
  readonly options: FaultOptions;

  constructor(kind: FaultKind, span: Span, message: string, options: FaultOptions = {}) {
    super(shortened(message));
    this.kind = kind;
    this.span = span;
    this.options = options;
  }

  /** The error that a client sees. */
  toDomainError(text: string): DomainError {
    const { code = 'Neo.ClientError.Statement.SyntaxError', hint } = this.options;
    const place = placeOf(text, this.span);
    const details: CypherDetails = {
      code,
      kind: this.kind,
      ...place,
      ...(hint !== undefined && { hint }),
    };
    const message = `${this.message} (line ${place.line}, column ${place.column})`;
    return new DomainError('CYPHER_SYNTAX', message, { details: { ...details } });
  }
}

/** A fault of values, found while a statement runs. */
export function runtimeFault(kind: FaultKind, code: StatusCode, message: string): DomainError {
  return new DomainError('CYPHER_FAILED', shortened(message), { details: { code, kind } });
}

const MESSAGE_LENGTH_MAX = 500;

/** A message quotes names and texts of the statement, which may be as long as it is. */
function shortened(message: string): string {
  return message.length <= MESSAGE_LENGTH_MAX ? message : `${message.slice(0, MESSAGE_LENGTH_MAX)}…`;
}

function placeOf(
  text: string,
  { start, end }: Span,
): { line: number; column: number; position: number; length: number } {
  const before = text.slice(0, start);
  const line = before.split('\n').length;
  return { position: start, line, column: start - before.lastIndexOf('\n'), length: end - start };
}
