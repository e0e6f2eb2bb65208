/** CREATE: a new node or relationship for each part of the patterns that has no value yet. */
import type { CompilerParts } from '../expression/compile-expression.ts';
import { ExpressionCompiler } from '../expression/compile-expression.ts';
import type { Row, Run } from '../graph/run.ts';
import type { Scope } from '../expression/scope.ts';
import type { GraphWriter } from '../graph/graph-writer.port.ts';
import type { Stage } from '../stage/stage.ts';
import type { LabelExpression, LinkPattern, NodePattern, PathPattern } from '../syntax/ast.ts';
import { runtimeFault, SyntaxFault } from '../syntax/fault.ts';
import { typeFault } from '../value/arithmetic.ts';
import { type CypherMap, isMap, LinkValue, NodeValue, PathValue, type Value } from '../value/value.ts';
import { updated } from './updated.ts';

export interface CompiledCreate {
  readonly scope: Scope;
  readonly stage: Stage;
}

/** Makes one element in a row that is being extended. */
type Step = (row: Value[], run: Run, writer: GraphWriter) => void;

export function compileCreate(patterns: readonly PathPattern[], parts: CompilerParts): CompiledCreate {
  const { scope, create } = compileCreation(patterns, parts, 'CREATE');
  return { scope, stage: updated(create) };
}

export interface Creation {
  readonly scope: Scope;
  /** The row with the new elements. */
  readonly create: (row: Row, run: Run, writer: GraphWriter) => Row;
}

/** MERGE takes no null for a property, may leave the direction open, and claims what it creates. */
export function compileCreation(
  patterns: readonly PathPattern[],
  parts: CompilerParts,
  clause: 'CREATE' | 'MERGE',
): Creation {
  const compiler = new CreateCompiler(parts, clause === 'MERGE');
  for (const pattern of patterns) compiler.addPath(pattern);
  const { scope, steps } = compiler;
  const create = (row: Row, run: Run, writer: GraphWriter): Row => {
    const next = row.slice();
    for (const step of steps) step(next, run, writer);
    return next;
  };
  return { scope, create };
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
    this.steps.push((row) => {
      const parts = nodeSlots.map((slot) => row[slot]).filter((value) => value instanceof NodeValue);
      const between = linkSlots.map((slot) => row[slot]).filter((value) => value instanceof LinkValue);
      row[path.slot] = new PathValue(parts, between);
    });
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
    const evaluate = this.#properties(properties);
    const names = plainLabels(labels);
    const slot = this.#declare(variable, 'node');
    this.steps.push((row, run, writer) => {
      const values = evaluate(row, run);
      if (this.#isMerge) writer.claimNode(names, values);
      row[slot] = new NodeValue(writer.createNode(names, values));
    });
    return slot;
  }

  #link(link: LinkPattern, ends: { readonly left: number; readonly right: number }): number {
    const { variable, properties, direction, span } = link;
    if (variable !== undefined) this.scope.refuseTaken(variable);
    if (link.range !== undefined)
      throw new SyntaxFault('CreatingVarLength', span, 'a new relationship has one hop');
    const type = singleType(link);
    if (direction === 'any' && !this.#isMerge) {
      throw new SyntaxFault('RequiresDirectedRelationship', span, 'a new relationship has a direction');
    }
    const [from, to] = direction === 'in' ? [ends.right, ends.left] : [ends.left, ends.right];
    const evaluate = this.#properties(properties);
    const slot = this.#declare(variable, 'link');
    this.steps.push((row, run, writer) => {
      const pair = { from: nodeAt(row, from), to: nodeAt(row, to) };
      const values = evaluate(row, run);
      if (this.#isMerge) writer.claimLink(type, pair, values);
      row[slot] = new LinkValue(writer.createLink(type, pair, values));
    });
    return slot;
  }

  #declare(variable: NodePattern['variable'], kind: 'node' | 'link'): number {
    if (variable === undefined) return this.scope.slots.next();
    const declared = this.scope.declare(variable, kind);
    this.scope = declared.scope;
    return declared.variable.slot;
  }

  #properties(properties: NodePattern['properties']): (row: Row, run: Run) => CypherMap {
    if (properties === undefined) return () => new Map();
    const evaluate = new ExpressionCompiler({ ...this.#parts, scope: this.scope }).compile(properties);
    return (row, run) => {
      const value = evaluate(row, run);
      if (!isMap(value)) throw typeFault('expected a Map of properties');
      if (this.#isMerge) refuseNulls(value);
      return value;
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

function singleType({ types, span }: LinkPattern): string {
  if (types?.kind === 'label') return types.name;
  throw new SyntaxFault('NoSingleRelationshipType', span, 'a new relationship has exactly one type');
}

function plainLabels(labels: LabelExpression | undefined): readonly string[] {
  if (labels === undefined) return [];
  if (labels.kind === 'label') return [labels.name];
  if (labels.kind === 'and') return labels.items.flatMap(plainLabels);
  throw new SyntaxFault('UnexpectedSyntax', labels.span, 'a new node has plain labels: `:A:B`');
}
