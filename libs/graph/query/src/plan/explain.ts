/** Formats a plan as a readable tree, with patterns as written in the query. */
import type { Span } from '../ast/ast.ts';
import { printRepeat } from '../ast/print.ts';
import type { PlanTree } from '../result/query-result.ts';
import type { FindPlan } from './find-plan.ts';
import type { Actual, PatternStep, Factor, Level, RowPlan, SetFilter, SetPlan } from '#graph/execution';
import type { PlannedQuery } from './plan.ts';
import type { EndPlan } from './search-plan.ts';

/** The source of the actual figures of PROFILE. */
export interface Actuals {
  actual(part: object): Actual | undefined;
}

export function planTree({ text, bound, plan }: PlannedQuery, actuals?: Actuals): PlanTree {
  return new TreeWriter(text, bound, actuals).query(plan.query);
}

interface Shown {
  readonly operator: string;
  readonly detail: string;
  readonly rows?: number;
  /** The key of its actual figures. */
  readonly part?: object;
  readonly children?: readonly PlanTree[];
}

class TreeWriter {
  readonly #text: string;
  readonly #elements: ReadonlyMap<number, Span>;
  readonly #actuals: Actuals | undefined;

  constructor(text: string, { body }: PlannedQuery['bound'], actuals: Actuals | undefined) {
    const elements = body.kind === 'find' ? body.elements : [];
    this.#text = text;
    this.#elements = new Map(elements.map((item) => [item.element, item.span]));
    this.#actuals = actuals;
  }

  query(query: PlannedQuery['plan']['query']): PlanTree {
    switch (query.kind) {
      case 'find':
        return this.#find(query);
      case 'path':
        return this.#tree({
          operator: query.all ? 'AllShortestPaths' : 'ShortestPath',
          detail: `${query.each ? 'back to each start' : 'both ways'}, ${this.#step(query.step)}${depthOf(query.depth)}`,
          part: query,
          children: [this.#end(query.from), this.#end(query.to)],
        });
      case 'blast':
        return this.#tree({
          operator: 'BlastRadius',
          detail: `level by level, ${this.#step(query.step)}${depthOf(query.depth)}`,
          part: query,
          children: [this.#end(query.from)],
        });
    }
  }

  #find(plan: FindPlan): PlanTree {
    const { find, skip, limit } = plan;
    let tree = this.#access(plan);
    const wrap = (operator: string, detail: string): void => {
      tree = this.#tree({ operator, detail, children: [tree] });
    };
    if (find.grouping !== undefined && plan.access.kind !== 'group-counts') wrap('Group', 'by its keys');
    if (find.returns?.kind === 'rows' && find.returns.distinct)
      wrap('Distinct', 'rows with equal cells are one');
    if (find.orderBy.length > 0)
      wrap('Order', Number.isFinite(limit) ? `first ${String(skip + limit)}` : 'all');
    if (skip > 0 || Number.isFinite(limit)) wrap('Cut', `skip ${String(skip)}, limit ${String(limit)}`);
    return this.#tree({
      operator: 'Find',
      detail: find.returns?.kind ?? 'entities',
      part: plan,
      children: [tree],
    });
  }

  #access({ access }: FindPlan): PlanTree {
    switch (access.kind) {
      case 'count':
        return this.#tree({ operator: 'Count', detail: `${this.#element(0)}, from the index` });
      case 'group-counts':
        return this.#tree({
          operator: 'GroupCounts',
          detail: `${this.#element(0)} by ${access.fields.join(', ')}, from the index`,
        });
      case 'nodes':
        return this.#set(access.plan);
      case 'rows':
        return this.#rows(access.plan);
    }
  }

  #rows(plan: RowPlan): PlanTree {
    const levels = plan.levels.map((level) => this.#level(level, plan));
    const detail = `of ${plan.slots
      .slice(0, plan.visible)
      .map((element) => this.#element(element))
      .join(', ')}`;
    const counted = plan.star === undefined ? '' : ', by numbers of links where they lead to whole types';
    const factors = plan.factors.map(({ slot, factor }) => this.#factor(factor, plan.slots[slot] ?? -1));
    const children = [this.#set(plan.start), ...levels, ...factors];
    return this.#tree({ operator: 'Rows', detail: `${detail}${counted}`, part: plan, children });
  }

  /** The factors of an element: counted for each node, not enumerated. */
  #factor(factor: Factor, element: number): PlanTree {
    const each = `for each ${this.#element(element)}`;
    if (factor.kind === 'optional') {
      const children = factor.factors.map((inner) => this.#factor(inner, element));
      return this.#tree({ operator: 'Count', detail: `the optional chain, or one, ${each}`, children });
    }
    const path = factor.path.map((step) => this.#step(step)).join(' ');
    const children = factor.factors.map((inner) => this.#factor(inner, factor.element));
    const detail = `${path} to ${this.#element(factor.element)}, ${each}`;
    return this.#tree({ operator: 'Count', detail, children });
  }

  #level(level: Level, { slots }: RowPlan): PlanTree {
    const from = this.#element(slots[level.from] ?? -1);
    if (level.kind === 'optional') {
      return this.#tree({
        operator: 'Optional',
        detail: `from ${from}: next ${String(level.length)}, or null`,
      });
    }
    const path = level.path.map((step) => this.#step(step)).join(' ');
    const to = this.#element(slots[level.slot] ?? -1);
    const joins = level.joins.map(
      (join) => `${this.#step(join)} of ${this.#element(slots[join.slot] ?? -1)}`,
    );
    const isJoined = joins.length > 0;
    return this.#tree({
      operator: isJoined ? 'Intersect' : 'Expand',
      detail: `from ${from} ${path} to ${to}${level.merged === undefined ? '' : `, equal ones of ${level.merged.fields.join(', ') || 'all'} once`}${isJoined ? `, that is also by ${joins.join(', ')}` : ''}`,
    });
  }

  #set(plan: SetPlan): PlanTree {
    const { source } = plan;
    const node = this.#element(plan.element);
    const isSelect = source.kind === 'select';
    const tree = this.#tree({
      operator: isSelect ? 'Select' : 'Hop',
      detail: isSelect ? node : `${this.#step(source.step)} to ${node}`,
      rows: source.rows,
      part: source,
      children: isSelect ? [] : [this.#set(source.from)],
    });
    return this.#filtered(tree, plan.filters);
  }

  #filtered(tree: PlanTree, filters: readonly SetFilter[]): PlanTree {
    return filters.reduce((input, filter) => this.#filter(input, filter), tree);
  }

  #filter(input: PlanTree, filter: SetFilter): PlanTree {
    const { rows } = filter;
    if (filter.kind === 'absent') {
      const body = this.#filtered(
        this.#tree({ operator: 'Input', detail: 'the set at hand' }),
        filter.filters,
      );
      return this.#tree({
        operator: 'Without',
        detail: 'those that pass',
        rows,
        part: filter,
        children: [input, body],
      });
    }
    const step = this.#step(filter.step);
    if (filter.kind === 'backward') {
      const children = [input, this.#set(filter.far)];
      return this.#tree({ operator: 'Keep', detail: `with ${step} to`, rows, part: filter, children });
    }
    const there = this.#tree({ operator: 'Hop', detail: `${step} to ${this.#element(filter.farElement)}` });
    const children = [input, this.#filtered(there, filter.filters)];
    return this.#tree({
      operator: 'Keep',
      detail: `with ${step}, there and back`,
      rows,
      part: filter,
      children,
    });
  }

  #end({ span }: EndPlan): PlanTree {
    return this.#tree({ operator: 'Select', detail: this.#quote(span) });
  }

  #element(element: number): string {
    const span = this.#elements.get(element);
    return span === undefined ? '?' : this.#quote(span);
  }

  #quote({ start, end }: Span): string {
    return this.#text.slice(start, end).replace(/\s+/g, ' ');
  }

  #step({ verbs, direction, repeat }: Pick<PatternStep, 'verbs' | 'direction' | 'repeat'>): string {
    const arrow = { out: ' >>', in: ' <<', any: '' }[direction];
    return `${verbs === '*' ? 'RELATES TO' : verbs.join('|')}${printRepeat(repeat)}${arrow}`;
  }

  #tree({ operator, detail, rows, part, children = [] }: Shown): PlanTree {
    const actual = part && this.#actuals?.actual(part);
    return {
      operator,
      detail,
      ...(rows === undefined ? {} : { estimated_rows: Math.round(rows) }),
      ...(actual === undefined ? {} : { actual_rows: actual.rows, ms: Math.round(actual.ms * 1000) / 1000 }),
      children,
    };
  }
}

function depthOf(depth: number): string {
  return Number.isFinite(depth) ? `, at most ${String(depth)} hops` : '';
}
