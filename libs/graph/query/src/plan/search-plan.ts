import type { Selection } from '#graph/model';
import type { Span } from '../ast/ast.ts';
import type {
  BoundBlast,
  BoundEnd,
  BoundMembership,
  BoundPath,
  BoundVia,
  Constant,
  FieldOperand,
  RowExpression,
} from '../binder/bound-query.ts';
import { equalsTest } from '../value/value-test.ts';
import type { Constants } from './constants.ts';
import type { PathDemand, PatternStep, RowCondition } from '#graph/execution';
import { selectionOf } from './pattern-builder.ts';
import { ExpressionResolver, type KindCheck } from './resolve-expression.ts';

const BLAST_DEPTH = 4;
const ENTITY_ID = /^[0-9a-f]{32}$/;

/** The start or end of a search: a selection by an index, and possibly one entity by its id. */
export interface EndPlan {
  readonly selection: Selection;
  readonly id?: string;
  /** The requested literal keys, for hints. */
  readonly keys: readonly string[];
  /** Its position in the query's text. */
  readonly span: Span;
}

/** `depth` is Infinity without DEPTH. */
export interface PathPlan extends PathDemand {
  readonly kind: 'path';
  readonly from: EndPlan;
  readonly to: EndPlan;
}

export interface BlastPlan {
  readonly kind: 'blast';
  readonly from: EndPlan;
  readonly step: PatternStep;
  readonly depth: number;
  readonly limit: number;
}

export function planPath(path: BoundPath, constants: Constants, checks: KindCheck[]): PathPlan {
  return Object.freeze({
    kind: 'path',
    all: path.all,
    each: path.each,
    from: planEnd(path.from, constants, checks),
    to: planEnd(path.to, constants, checks),
    step: stepOf(path.via),
    depth: path.depth ?? Infinity,
    limit: constants.count(path.limit) ?? Infinity,
  });
}

export function planBlast(blast: BoundBlast, constants: Constants, checks: KindCheck[]): BlastPlan {
  return Object.freeze({
    kind: 'blast',
    from: planEnd(blast.from, constants, checks),
    step: stepOf(blast.via),
    depth: blast.depth ?? BLAST_DEPTH,
    limit: constants.count(blast.limit) ?? Infinity,
  });
}

function planEnd(end: BoundEnd, constants: Constants, checks: KindCheck[]): EndPlan {
  if (end.kind === 'key') {
    const selection: Selection = {
      names: '*',
      filter: { kind: 'test', field: '_key', test: equalsTest([end.text]) },
    };
    const { span } = end;
    const plan: EndPlan = { selection, keys: [end.text], span };
    return ENTITY_ID.test(end.text) ? { ...plan, id: end.text } : plan;
  }
  const resolver = new ExpressionResolver(constants, checks);
  const conditions = end.filter === undefined ? [] : [resolver.resolve(end.filter) as RowCondition];
  return { selection: selectionOf(end, conditions), keys: keysIn(end.filter, constants), span: end.span };
}

/** The values to which a condition compares `_key` for equality. */
function keysIn(filter: RowExpression | undefined, constants: Constants): readonly string[] {
  if (filter?.kind === 'and' || filter?.kind === 'or') {
    return filter.items.flatMap((item) => keysIn(item, constants));
  }
  if (filter?.kind === 'in') return isKey(filter) ? wantedKeys(filter, constants) : [];
  const isEqual = filter?.kind === 'compare' && filter.operator === '=';
  return isEqual && isKey(filter) ? texts([filter.right], constants) : [];
}

function isKey({ left }: { readonly left: FieldOperand }): boolean {
  return left.field === '_key';
}

function wantedKeys(
  { values, negated }: BoundMembership<FieldOperand>,
  constants: Constants,
): readonly string[] {
  if (negated) return [];
  if (!('kind' in values)) return texts(values, constants);
  return constants.parameters.list(values.name).filter((value) => typeof value === 'string');
}

function texts(values: readonly (Constant | FieldOperand)[], constants: Constants): readonly string[] {
  return values
    .filter((value) => value.kind !== 'field')
    .map((value) => constants.value(value))
    .filter((value) => typeof value === 'string');
}

function stepOf({ verbs, direction }: BoundVia): PatternStep {
  return { element: -1, verbs: verbs === '*' ? '*' : verbs.map((verb) => verb.text), direction };
}
