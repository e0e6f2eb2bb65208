/** CREATE: a new node or relationship for each part of the patterns that has no value yet. */
import type { CompilerParts } from '../expression/compile-expression.ts';
import { ExpressionCompiler } from '../expression/compile-expression.ts';
import type { Scope } from '../expression/scope.ts';
import type { Rows } from '../expression/subqueries.ts';
import type { Evaluation, Row, Run } from '../graph/run.ts';
import type { Stage } from '../stage/stage.ts';
import type {
  LabelExpression,
  LinkPattern,
  NodePattern,
  PathPattern,
  PlainLabel,
  Span,
} from '../syntax/ast.ts';
import { runtimeFault, SyntaxFault } from '../syntax/fault.ts';
import { typeFault } from '../value/arithmetic.ts';
import { type CypherMap, isMap, LinkValue, NodeValue, PathValue, type Value } from '../value/value.ts';
import { compilePlainLabels } from './set.ts';
import { type ApplyChanges, type Change, inOrder, updatedInSteps } from './updated.ts';

export interface CompiledCreate {
  readonly scope: Scope;
  readonly stage: Stage;
}

/** Makes one element in a row that is being extended. */
type Step = Change<Value[]>;

export function compileCreate(patterns: readonly PathPattern[], parts: CompilerParts): CompiledCreate {
  const { scope, create } = compileCreation(patterns, parts, 'CREATE');
  const stage = updatedInSteps(function* (row, run, writer): Rows {
    const next = row.slice();
    const pauses = create(next, run, writer);
    if (pauses !== undefined) yield* pauses;
    yield next;
  });
  return { scope, stage };
}

export interface Creation {
  readonly scope: Scope;
  /** Puts the new elements into a row. */
  readonly create: ApplyChanges<Value[]>;
}

/** MERGE takes no null for a property, may leave the direction open, and claims what it creates. */
export function compileCreation(
  patterns: readonly PathPattern[],
  parts: CompilerParts,
  clause: 'CREATE' | 'MERGE',
): Creation {
  const compiler = new CreateCompiler(parts, clause === 'MERGE');
  for (const pattern of patterns) compiler.addPath(pattern);
  return { scope: compiler.scope, create: inOrder(compiler.steps) };
}

class CreateCompiler {
  readonly steps: Step[] = [];
  scope: Scope;
  readonly #parts: CompilerParts;
  readonly #isMerge: boolean;

  constructor(parts: CompilerParts, isMerge: boolean) {
    this.#parts = parts;
    this.#isMerge = isMerge;
    this.scope = parts.scope;
  }

  addPath({ nodes, links, variable, shortest, span }: PathPattern): void {
    if (shortest !== undefined)
      throw new SyntaxFault('UnexpectedSyntax', span, 'a new path is not a shortest one');
    const isPath = links.length > 0;
    const nodeSlots = nodes.map((node) => this.#node(node, isPath));
    const linkSlots = links.map((link, index) =>
      this.#link(link, { left: nodeSlots[index] ?? 0, right: nodeSlots[index + 1] ?? 0 }),
    );
    if (variable === undefined) return;
    const { scope, variable: path } = this.scope.declare(variable, 'path');
    this.scope = scope;
    const apply = (row: Value[]): void => {
      const parts = nodeSlots.map((slot) => row[slot]).filter((value) => value instanceof NodeValue);
      const between = linkSlots.map((slot) => row[slot]).filter((value) => value instanceof LinkValue);
      row[path.slot] = new PathValue(parts, between);
    };
    this.steps.push({ values: [], apply });
  }

  /** A known variable stands for its node, in a path only and with nothing more to say of it. */
  #node({ variable, labels, properties, span }: NodePattern, isInPath: boolean): number {
    const known = variable && this.scope.find(variable.text);
    if (variable !== undefined && known !== undefined) {
      if (known.kind !== 'node' && known.kind !== 'value') {
        throw new SyntaxFault('VariableTypeConflict', variable.span, `\`${variable.text}\` is not a node`);
      }
      if (isInPath && labels === undefined && properties === undefined) return known.slot;
      throw new SyntaxFault(
        'VariableAlreadyBound',
        span,
        `the variable \`${variable.text}\` is already defined`,
      );
    }
    const values = this.#properties(properties);
    const namesOf = compilePlainLabels(plainLabels(labels), this.#compiler);
    const slot = this.#declare(variable, 'node');
    const apply: Step['apply'] = (row, [map = null], run, writer) => {
      const [names, own] = [namesOf(row, run), this.#ownProperties(map)];
      if (this.#isMerge) writer.claimNode(names, own);
      row[slot] = new NodeValue(writer.createNode(names, own));
    };
    this.steps.push({ values, apply });
    return slot;
  }

  #link(link: LinkPattern, ends: { readonly left: number; readonly right: number }): number {
    const { variable, properties, direction, span } = link;
    if (variable !== undefined) this.scope.refuseTaken(variable);
    if (link.range !== undefined)
      throw new SyntaxFault('CreatingVarLength', span, 'a new relationship has one hop');
    const typeOf = this.#singleType(link);
    if (direction === 'any' && !this.#isMerge) {
      throw new SyntaxFault('RequiresDirectedRelationship', span, 'a new relationship has a direction');
    }
    const [from, to] = direction === 'in' ? [ends.right, ends.left] : [ends.left, ends.right];
    const values = this.#properties(properties);
    const slot = this.#declare(variable, 'link');
    const apply: Step['apply'] = (row, [map = null], run, writer) => {
      const pair = { from: nodeAt(row, from), to: nodeAt(row, to) };
      const [type, own] = [typeOf(row, run), this.#ownProperties(map)];
      if (this.#isMerge) writer.claimLink(type, pair, own);
      row[slot] = new LinkValue(writer.createLink(type, pair, own));
    };
    this.steps.push({ values, apply });
    return slot;
  }

  #declare(variable: NodePattern['variable'], kind: 'node' | 'link'): number {
    if (variable === undefined) return this.scope.slots.next();
    const declared = this.scope.declare(variable, kind);
    this.scope = declared.scope;
    return declared.variable.slot;
  }

  /** With the variables so far. */
  get #compiler(): ExpressionCompiler {
    return new ExpressionCompiler({ ...this.#parts, scope: this.scope });
  }

  #properties(properties: NodePattern['properties']): readonly Evaluation[] {
    return [properties === undefined ? NO_PROPERTIES : this.#compiler.evaluation(properties)];
  }

  #ownProperties(map: Value): CypherMap {
    if (!isMap(map)) throw typeFault('expected a Map of properties');
    if (this.#isMerge) refuseNulls(map);
    return map;
  }

  #singleType({ types, span }: LinkPattern): (row: Row, run: Run) => string {
    if (types?.kind !== 'label' && types?.kind !== 'dynamic') throw manyTypes(span);
    const names = compilePlainLabels([types], this.#compiler);
    return (row, run) => {
      const [name, ...others] = names(row, run);
      if (name !== undefined && others.length === 0) return name;
      throw typeFault(`expected exactly one type in $(…), got ${String(names(row, run).length)}`);
    };
  }
}

function refuseNulls(properties: CypherMap): void {
  for (const [key, value] of properties) {
    if (value !== null) continue;
    throw runtimeFault(
      'MergeReadOwnWrites',
      'Neo.ClientError.Statement.SemanticError',
      `MERGE takes no null: the property \`${key}\` would never be found`,
    );
  }
}

function nodeAt(row: Row, slot: number): number {
  const value = row[slot];
  if (value instanceof NodeValue) return value.node;
  throw runtimeFault(
    'InvalidArgumentValue',
    'Neo.ClientError.Statement.SemanticError',
    'a new relationship needs nodes at both ends, got Null',
  );
}

const NO_PROPERTIES: Evaluation = { evaluate: () => new Map() };

function manyTypes(span: Span): SyntaxFault {
  return new SyntaxFault('NoSingleRelationshipType', span, 'a new relationship has exactly one type');
}

function plainLabels(labels: LabelExpression | undefined): readonly PlainLabel[] {
  if (labels === undefined) return [];
  if (labels.kind === 'label' || labels.kind === 'dynamic') return [labels];
  if (labels.kind === 'and') return labels.items.flatMap(plainLabels);
  throw new SyntaxFault('UnexpectedSyntax', labels.span, 'a new node has plain labels: `:A:B`');
}
