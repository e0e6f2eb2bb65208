/** CREATE: a new node or relationship for each part of the patterns that has no value yet. */
import type { CompilerParts } from '../expression/compile-expression.ts';
import { ExpressionCompiler } from '../expression/compile-expression.ts';
import type { Evaluate, Row, Run } from '../graph/run.ts';
import type { Scope } from '../expression/scope.ts';
import type { GraphWriter } from '../graph/graph-writer.port.ts';
import type { LabelExpression, LinkPattern, NodePattern, PathPattern } from '../syntax/ast.ts';
import { runtimeFault, SyntaxFault } from '../syntax/fault.ts';
import { type CypherMap, isMap, LinkValue, NodeValue, PathValue, type Value } from '../value/value.ts';
import { mapped, type Stage } from '../stage/stage.ts';

export interface CompiledCreate {
  readonly scope: Scope;
  readonly stage: Stage;
}

/** Makes one element in a row that is being extended. */
type Step = (row: Value[], run: Run, writer: GraphWriter) => void;

export function compileCreate(patterns: readonly PathPattern[], parts: CompilerParts): CompiledCreate {
  const compiler = new CreateCompiler(parts);
  for (const pattern of patterns) compiler.addPath(pattern);
  const { scope, steps } = compiler;
  const stage = mapped((row, run) => {
    const { writer } = run;
    if (writer === undefined) throw readOnlyFault();
    const next = row.slice();
    for (const step of steps) step(next, run, writer);
    return next;
  });
  return { scope, stage };
}

class CreateCompiler {
  readonly steps: Step[] = [];
  scope: Scope;
  readonly #parts: CompilerParts;

  constructor(parts: CompilerParts) {
    this.#parts = parts;
    this.scope = parts.scope;
  }

  addPath({ nodes, links, variable, shortest, span }: PathPattern): void {
    if (shortest !== undefined)
      throw new SyntaxFault('UnexpectedSyntax', span, 'CREATE takes no shortest path');
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
      row[slot] = new NodeValue(writer.createNode(names, evaluate(row, run)));
    });
    return slot;
  }

  #link(link: LinkPattern, ends: { readonly left: number; readonly right: number }): number {
    const { variable, properties, direction, span } = link;
    if (variable !== undefined) this.scope.refuseTaken(variable);
    if (link.range !== undefined)
      throw new SyntaxFault('CreatingVarLength', span, 'a new relationship has one hop');
    const type = singleType(link);
    if (direction === 'any') {
      throw new SyntaxFault('RequiresDirectedRelationship', span, 'a new relationship has a direction');
    }
    const [from, to] = direction === 'out' ? [ends.left, ends.right] : [ends.right, ends.left];
    const evaluate = this.#properties(properties);
    const slot = this.#declare(variable, 'link');
    this.steps.push((row, run, writer) => {
      const pair = { from: nodeAt(row, from), to: nodeAt(row, to) };
      row[slot] = new LinkValue(writer.createLink(type, pair, evaluate(row, run)));
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
    const evaluate: Evaluate = new ExpressionCompiler({ ...this.#parts, scope: this.scope }).compile(
      properties,
    );
    return (row, run) => {
      const value = evaluate(row, run);
      if (isMap(value)) return value;
      throw runtimeFault(
        'InvalidArgumentType',
        'Neo.ClientError.Statement.TypeError',
        'expected a Map of properties',
      );
    };
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

function readOnlyFault(): Error {
  return runtimeFault(
    'NotSupported',
    'Neo.ClientError.Statement.SemanticError',
    'this statement may only read',
  );
}
