/** `CALL procedure(arguments) YIELD columns`, alone or between other clauses. */
import { nearestName } from '#platform/foundation';
import { type CompilerParts, ExpressionCompiler } from '../expression/compile-expression.ts';
import type { Scope, Variable, VariableKind } from '../expression/scope.ts';
import { staticType } from '../expression/static-type.ts';
import type { Rows } from '../expression/subqueries.ts';
import { type Evaluation, type Row, type Run, valuesInSteps } from '../graph/run.ts';
import type { Procedure, Procedures } from '../graph/procedure.port.ts';
import { chained, filtered, flatMapped, shown, type Stage } from '../stage/stage.ts';
import type { CallClause, Expression, YieldItem } from '../syntax/ast.ts';
import { runtimeFault, SyntaxFault } from '../syntax/fault.ts';
import { whyNotOffered } from '../syntax/not-offered.ts';
import { isNumber, typeName, type Value } from '../value/value.ts';

export interface CompiledCall {
  readonly scope: Scope;
  readonly stage: Stage;
  /** Variables of the columns that YIELD names, or of all. */
  readonly columns: readonly Variable[];
}

/** `isAlone`: the call is the whole statement, in which arguments and columns may be left out. */
export function compileCall(clause: CallClause, parts: CompilerParts, isAlone: boolean): CompiledCall {
  const procedure = procedureOf(clause, parts.scope.slots.procedures);
  if (!isAlone) refuseImplicit(clause);
  const args = argumentsOf(clause, procedure, parts);
  const yields = yieldsOf(clause, procedure, isAlone);
  let { scope } = parts;
  const columns = yields.map(({ field, variable: name }) => {
    const declared = scope.declare(name, 'value');
    scope = declared.scope;
    return { variable: declared.variable, at: outputIndex(procedure, field) };
  });
  const call = shown(
    flatMapped((row, run) => rowsOf(procedure, { row, run, args, columns })),
    { name: 'ProcedureCall', details: [procedure.name] },
  );
  const compiler = new ExpressionCompiler({ ...parts, scope });
  const stages = clause.where === undefined ? [call] : [call, filtered(compiler.condition(clause.where))];
  return { scope, stage: chained(stages), columns: columns.map(({ variable }) => variable) };
}

function procedureOf({ procedure: { text, span } }: CallClause, procedures: Procedures): Procedure {
  const found = procedures.find(text);
  if (found !== undefined) return found;
  const code = 'Neo.ClientError.Procedure.ProcedureNotFound';
  const why = whyNotOffered(text);
  if (why !== undefined) {
    throw new SyntaxFault('NotSupported', span, `${text}() is not supported`, { code, hint: why });
  }
  const names = procedures.list().map(({ name }) => name);
  const nearest = nearestName(text, names);
  throw new SyntaxFault('ProcedureNotFound', span, `there is no procedure ${text}()`, {
    code,
    hint: nearest === undefined ? undefined : `did you mean ${nearest}?`,
  });
}

function refuseImplicit({ args, yields, span }: CallClause): void {
  if (args === undefined) {
    const message = 'a call between other clauses has its arguments in parentheses';
    throw new SyntaxFault('InvalidArgumentPassingMode', span, message);
  }
  if (yields !== '*') return;
  throw new SyntaxFault('UnexpectedSyntax', span, 'YIELD * is possible where the call stands alone');
}

/** Without parentheses, parameters of the inputs' names. */
function argumentsOf(clause: CallClause, procedure: Procedure, parts: CompilerParts): readonly Evaluation[] {
  const { inputs, name } = procedure;
  if (clause.args === undefined) {
    const { parameters } = parts.scope.slots;
    return inputs.map((input) => {
      parameters.set(input.name, clause.span);
      return { evaluate: (_, run) => run.parameters.get(input.name) ?? null };
    });
  }
  const { requiredInputs: least = inputs.length } = procedure;
  if (clause.args.length > inputs.length || clause.args.length < least) {
    const expected = least === inputs.length ? String(least) : `${least} to ${inputs.length}`;
    const message = `${name}() takes ${expected} arguments, got ${clause.args.length}`;
    throw new SyntaxFault('InvalidNumberOfArguments', clause.span, message);
  }
  const compiler = new ExpressionCompiler(parts);
  return clause.args.map((arg, index) => {
    const type = inputs[index]?.type ?? 'ANY';
    refuseStatically(arg, type, parts.scope);
    const { evaluate, inSteps } = compiler.evaluation(arg);
    return {
      evaluate: (row, run) => accepted(evaluate(row, run), type, name),
      inSteps:
        inSteps &&
        function* (row, run) {
          return accepted(yield* inSteps(row, run), type, name);
        },
    };
  });
}

const STATIC_KINDS: Readonly<Record<string, readonly VariableKind[]>> = {
  BOOLEAN: ['boolean'],
  STRING: ['string'],
  INTEGER: ['integer'],
  FLOAT: ['integer', 'float'],
  NUMBER: ['integer', 'float'],
  MAP: ['map', 'node', 'link'],
};

/** What is known to be of another type is refused before anything runs. */
function refuseStatically(arg: Expression, type: string, scope: Scope): void {
  const kinds = STATIC_KINDS[plainName(type)];
  const kind = staticType(arg, scope);
  const isNull = arg.kind === 'literal' && arg.value === null;
  if (kinds === undefined || kind === 'value' || kinds.includes(kind) || isNull) return;
  throw new SyntaxFault(
    'InvalidArgumentType',
    arg.span,
    `expected an argument of the type ${plainName(type)}`,
  );
}

function plainName(type: string): string {
  return type.replace(/\?$/, '').trim().toUpperCase();
}

const RUNTIME_TESTS: Readonly<Record<string, (value: Value) => boolean>> = {
  BOOLEAN: (value) => typeof value === 'boolean',
  STRING: (value) => typeof value === 'string',
  INTEGER: (value) => typeof value === 'bigint',
  FLOAT: isNumber,
  NUMBER: isNumber,
};

/** An integer is accepted where a float is expected. */
function accepted(value: Value, type: string, procedure: string): Value {
  const test = RUNTIME_TESTS[plainName(type)];
  if (value === null || test === undefined || test(value)) {
    return plainName(type) === 'FLOAT' && typeof value === 'bigint' ? Number(value) : value;
  }
  const message = `${procedure}(): expected ${plainName(type)}, got ${typeName(value)}`;
  throw runtimeFault('InvalidArgumentType', 'Neo.ClientError.Statement.TypeError', message);
}

function yieldsOf(
  { yields, span }: CallClause,
  { outputs }: Procedure,
  isAlone: boolean,
): readonly YieldItem[] {
  if (yields !== undefined && yields !== '*') return yields;
  if (!isAlone) return [];
  return outputs.map(({ name: text }) => ({ field: { text, span }, variable: { text, span } }));
}

function outputIndex({ name, outputs }: Procedure, { text, span }: YieldItem['field']): number {
  const at = outputs.findIndex((output) => output.name === text);
  if (at >= 0) return at;
  const names = outputs.map((output) => output.name);
  const nearest = nearestName(text, names);
  throw new SyntaxFault('UndefinedVariable', span, `${name}() has no column \`${text}\``, {
    hint: nearest === undefined ? `it has ${names.join(', ') || 'none'}` : `did you mean ${nearest}?`,
  });
}

interface RunningCall {
  readonly row: Row;
  readonly run: Run;
  readonly args: readonly Evaluation[];
  readonly columns: readonly { readonly variable: Variable; readonly at: number }[];
}

function* rowsOf(procedure: Procedure, { row, run, args, columns }: RunningCall): Rows {
  const values = yield* valuesInSteps(args, row, run);
  for (const found of procedure.rows(values, run)) {
    if (found === undefined) {
      yield undefined;
      continue;
    }
    const next = row.slice();
    for (const { variable, at } of columns) next[variable.slot] = found[at] ?? null;
    yield next;
  }
  if (procedure.outputs.length === 0) yield row;
}
