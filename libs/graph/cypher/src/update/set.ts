/** SET and REMOVE: properties and labels of nodes and relationships. */
import { type CompilerParts, ExpressionCompiler } from '../expression/compile-expression.ts';
import { propertiesOf } from '../expression/projected-map.ts';
import { refusePropertyless } from '../expression/static-type.ts';
import { compileNames } from '../expression/labels.ts';
import type { GraphWriter } from '../graph/graph-writer.port.ts';
import type { Evaluation, Row, Run } from '../graph/run.ts';
import type { Stage } from '../stage/stage.ts';
import type {
  Expression,
  LabelsItem,
  PlainLabel,
  PropertyTarget,
  RemoveItem,
  SetItem,
} from '../syntax/ast.ts';
import { SyntaxFault } from '../syntax/fault.ts';
import { typeFault } from '../value/arithmetic.ts';
import { LinkValue, NodeValue, typeName, type Value } from '../value/value.ts';
import { type Change, updated } from './updated.ts';

export function compileSet(items: readonly SetItem[], parts: CompilerParts): Stage {
  return updated(setChanges(items, parts));
}

export function compileRemove(items: readonly RemoveItem[], parts: CompilerParts): Stage {
  const compiler = new ExpressionCompiler(parts);
  return updated(items.map((item) => removal(item, compiler)));
}

/** The items in order: a later one sees what an earlier one has set. */
export function setChanges(items: readonly SetItem[], parts: CompilerParts): readonly Change[] {
  const compiler = new ExpressionCompiler(parts);
  return items.map((item) => assignment(item, compiler));
}

function assignment(item: SetItem, compiler: ExpressionCompiler): Change {
  if (item.kind !== 'labels') refusePattern(item.value);
  switch (item.kind) {
    case 'property':
      return propertySet(item.target, compiler.evaluation(item.value), compiler);
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
  if (item.kind === 'property') return propertySet(item.target, NOTHING, compiler);
  return labelsChanged(item, compiler, (writer, node, label) => {
    writer.removeLabel(node, label);
  });
}

const NOTHING: Evaluation = { evaluate: () => null };

function propertySet(target: PropertyTarget, value: Evaluation, compiler: ExpressionCompiler): Change {
  const { subject } = target;
  refusePropertyless(subject, compiler.scope);
  const key: Evaluation =
    target.kind === 'index' ? compiler.evaluation(target.index) : { evaluate: () => target.key };
  return {
    values: [compiler.evaluation(subject), key, value],
    apply: (_, [element = null, name = null, next = null], __, writer) => {
      if (element === null) return;
      if (typeof name !== 'string') throw typeFault(`expected a String in […], got ${typeName(name)}`);
      setProperty(writer, element, name, next);
    },
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
  return {
    values: [compiler.evaluation(value)],
    apply: (row, [source = null], run, writer) => {
      const element = row[slot] ?? null;
      if (element === null) return;
      const properties = propertiesOf(run.graph, source);
      // Before anything is set: the element may be what its properties are taken from.
      const before = kind === 'replace' ? [...propertiesOf(run.graph, element).keys()] : [];
      const gone = before.filter((key) => !properties.has(key));
      for (const [key, next] of properties) setProperty(writer, element, key, next);
      for (const key of gone) setProperty(writer, element, key, null);
    },
  };
}

function labelsChanged(
  { variable, labels }: LabelsItem,
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
  const names = compilePlainLabels(labels, compiler);
  return {
    values: [],
    apply: (row, _, run, writer) => {
      const element = row[slot] ?? null;
      if (element === null) return;
      if (!(element instanceof NodeValue))
        throw typeFault(`expected a Node before :, got ${typeName(element)}`);
      for (const name of names(row, run)) change(writer, element.node, name);
    },
  };
}

/** The labels of a list without alternatives, in a row. */
export function compilePlainLabels(
  labels: readonly PlainLabel[],
  compiler: ExpressionCompiler,
): (row: Row, run: Run) => readonly string[] {
  const each = labels.map((label) => {
    if (label.kind === 'label') return () => [label.name];
    if (!label.isAny) return compileNames(label, (names) => compiler.compile(names));
    const message = '$any(…) does not say which label: write $(…)';
    throw new SyntaxFault('UnexpectedSyntax', label.span, message);
  });
  return (row, run) => each.flatMap((names) => names(row, run));
}
