/** SET and REMOVE: properties and labels of nodes and relationships. */
import { type CompilerParts, ExpressionCompiler } from '../expression/compile-expression.ts';
import { propertiesOf } from '../expression/projected-map.ts';
import { refusePropertyless } from '../expression/static-type.ts';
import type { GraphWriter } from '../graph/graph-writer.port.ts';
import type { Evaluate, Row, Run } from '../graph/run.ts';
import type { Stage } from '../stage/stage.ts';
import type { Expression, Name, PropertyExpression, RemoveItem, SetItem } from '../syntax/ast.ts';
import { SyntaxFault } from '../syntax/fault.ts';
import { typeFault } from '../value/arithmetic.ts';
import { LinkValue, NodeValue, typeName, type Value } from '../value/value.ts';
import { updated } from './updated.ts';

type Change = (row: Row, run: Run, writer: GraphWriter) => void;

export function compileSet(items: readonly SetItem[], parts: CompilerParts): Stage {
  return changing(setChanges(items, parts));
}

export function compileRemove(items: readonly RemoveItem[], parts: CompilerParts): Stage {
  const compiler = new ExpressionCompiler(parts);
  return changing(items.map((item) => removal(item, compiler)));
}

/** The items in order: a later one sees what an earlier one has set. */
export function setChanges(items: readonly SetItem[], parts: CompilerParts): readonly Change[] {
  const compiler = new ExpressionCompiler(parts);
  return items.map((item) => assignment(item, compiler));
}

function changing(changes: readonly Change[]): Stage {
  return updated((row, run, writer) => {
    for (const change of changes) change(row, run, writer);
    return row;
  });
}

function assignment(item: SetItem, compiler: ExpressionCompiler): Change {
  if (item.kind !== 'labels') refusePattern(item.value);
  switch (item.kind) {
    case 'property':
      return propertySet(item.target, compiler.compile(item.value), compiler);
    case 'labels':
      return labelsChanged(item, compiler, (writer, node, label) => {
        writer.addLabel(node, label);
      });
    default:
      return mapSet(item, compiler);
  }
}

function refusePattern({ kind, span }: Expression): void {
  if (kind !== 'pattern') return;
  throw new SyntaxFault('UnexpectedSyntax', span, 'a pattern is a condition: write exists((a)-->(b))');
}

function removal(item: RemoveItem, compiler: ExpressionCompiler): Change {
  if (item.kind === 'property') return propertySet(item.target, () => null, compiler);
  return labelsChanged(item, compiler, (writer, node, label) => {
    writer.removeLabel(node, label);
  });
}

function propertySet(
  { subject, key }: PropertyExpression,
  value: Evaluate,
  compiler: ExpressionCompiler,
): Change {
  refusePropertyless(subject, compiler.scope);
  const target = compiler.compile(subject);
  return (row, run, writer) => {
    const element = target(row, run);
    if (element !== null) setProperty(writer, element, key, value(row, run));
  };
}

function setProperty(writer: GraphWriter, element: Value, key: string, value: Value): void {
  if (element instanceof NodeValue) writer.setNodeProperty(element.node, key, value);
  else if (element instanceof LinkValue) writer.setLinkProperty(element.link, key, value);
  else throw typeFault(`expected a Node or a Relationship to set .${key}, got ${typeName(element)}`);
}

/** `n = map` removes what the map has not; `n += map` keeps it. */
function mapSet(
  { kind, variable, value }: Extract<SetItem, { kind: 'replace' | 'add' }>,
  compiler: ExpressionCompiler,
): Change {
  const { slot } = compiler.scope.resolve(variable.text, variable.span);
  const evaluate = compiler.compile(value);
  return (row, run, writer) => {
    const element = row[slot] ?? null;
    if (element === null) return;
    const properties = propertiesOf(run.graph, evaluate(row, run));
    // Before anything is set: the element may be what its properties are taken from.
    const before = kind === 'replace' ? [...propertiesOf(run.graph, element).keys()] : [];
    const gone = before.filter((key) => !properties.has(key));
    for (const [key, next] of properties) setProperty(writer, element, key, next);
    for (const key of gone) setProperty(writer, element, key, null);
  };
}

function labelsChanged(
  { variable, labels }: { readonly variable: Name; readonly labels: readonly Name[] },
  compiler: ExpressionCompiler,
  change: (writer: GraphWriter, node: number, label: string) => void,
): Change {
  const { slot, kind } = compiler.scope.resolve(variable.text, variable.span);
  if (kind !== 'node' && kind !== 'value') {
    throw new SyntaxFault(
      'InvalidArgumentType',
      variable.span,
      `\`${variable.text}\` is not a node: it has no labels`,
    );
  }
  return (row, _, writer) => {
    const element = row[slot] ?? null;
    if (element === null) return;
    if (!(element instanceof NodeValue))
      throw typeFault(`expected a Node before :, got ${typeName(element)}`);
    for (const { text } of labels) change(writer, element.node, text);
  };
}
