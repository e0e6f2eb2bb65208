/** DELETE and DETACH DELETE of nodes, relationships and paths; null is nothing to delete. */
import { type CompilerParts, ExpressionCompiler } from '../expression/compile-expression.ts';
import { KIND_NAMES, staticType } from '../expression/static-type.ts';
import type { Scope, VariableKind } from '../expression/scope.ts';
import type { GraphWriter } from '../graph/graph-writer.port.ts';
import type { Stage } from '../stage/stage.ts';
import type { DeleteClause, Expression } from '../syntax/ast.ts';
import { SyntaxFault } from '../syntax/fault.ts';
import { typeFault } from '../value/arithmetic.ts';
import { LinkValue, NodeValue, PathValue, typeName, type Value } from '../value/value.ts';
import { type Change, updated } from './updated.ts';

export function compileDelete({ isDetach, targets }: DeleteClause, parts: CompilerParts): Stage {
  const compiler = new ExpressionCompiler(parts);
  const values = targets.map((target) => {
    refuseTarget(target, parts.scope);
    return compiler.evaluation(target);
  });
  // All targets are what they were before the first of them was deleted.
  const apply: Change['apply'] = (_, values, __, writer) => {
    for (const value of values) deleteValue(value, writer, isDetach);
  };
  return updated([{ values, apply }]);
}

const DELETABLE: ReadonlySet<VariableKind> = new Set(['node', 'link', 'path', 'value']);

function refuseTarget(target: Expression, scope: Scope): void {
  if (target.kind === 'label-test') {
    const message = 'a label or a type is not deleted: use REMOVE for labels';
    throw new SyntaxFault('InvalidDelete', target.span, message);
  }
  const kind = staticType(target, scope);
  if (DELETABLE.has(kind)) return;
  const message = `expected a Node, a Relationship or a Path to delete, got ${KIND_NAMES[kind]}`;
  throw new SyntaxFault('InvalidArgumentType', target.span, message);
}

function deleteValue(value: Value, writer: GraphWriter, isDetach: boolean): void {
  if (value === null) return;
  if (value instanceof NodeValue) deleteNode(value.node, writer, isDetach);
  else if (value instanceof LinkValue) writer.deleteLink(value.link);
  else if (value instanceof PathValue) {
    for (const { link } of value.links) writer.deleteLink(link);
    for (const { node } of value.nodes) deleteNode(node, writer, isDetach);
  } else throw typeFault(`expected a Node, a Relationship or a Path to delete, got ${typeName(value)}`);
}

function deleteNode(node: number, writer: GraphWriter, isDetach: boolean): void {
  if (isDetach) for (const link of writer.linksOf(node)) writer.deleteLink(link);
  writer.deleteNode(node);
}
