/** Procedures that tell what kinds of nodes, relationships and properties there are. */
import { pausing } from '../stage/stage.ts';
import type { Run } from '../graph/run.ts';
import { valueTypeName } from '../value/value-type.ts';
import type { CypherMap, Value } from '../value/value.ts';
import type { Procedure, ProcedureRows } from '../graph/procedure.port.ts';
import { fieldsOf } from './procedure-table.ts';

type Walk<T> = Generator<undefined, T>;

/** Every node, with pauses; reading the graph is all that its own changes can be seen by. */
function* nodesOf(run: Run): Generator<number | undefined, void> {
  for (const node of yield* pausing(run.graph.scan({ labels: [], equals: [] }))) {
    if (run.isPauseDue()) yield undefined;
    yield node;
  }
}

/** Every relationship, at its start. */
function* linksOf(run: Run): Generator<number | undefined, void> {
  for (const node of nodesOf(run)) {
    if (node === undefined) yield undefined;
    else for (const link of run.graph.expand(node, 'out', '*').links) yield link;
  }
}

function* collected<T>(items: Generator<T | undefined, void>, add: (item: T) => void): Walk<void> {
  for (const item of items) {
    if (item === undefined) yield undefined;
    else add(item);
  }
}

function* labelsOf(run: Run): Walk<ReadonlySet<string>> {
  const labels = new Set<string>();
  yield* collected(nodesOf(run), (node) => {
    for (const label of run.graph.labels(node)) labels.add(label);
  });
  return labels;
}

function* typesOf(run: Run): Walk<ReadonlySet<string>> {
  const types = new Set<string>();
  yield* collected(linksOf(run), (link) => types.add(run.graph.type(link)));
  return types;
}

function* keysOf(run: Run): Walk<ReadonlySet<string>> {
  const keys = new Set<string>();
  const add = (properties: CypherMap): void => {
    for (const key of properties.keys()) keys.add(key);
  };
  yield* collected(nodesOf(run), (node) => {
    add(run.graph.nodeProperties(node));
  });
  yield* collected(linksOf(run), (link) => {
    add(run.graph.linkProperties(link));
  });
  return keys;
}

function listing(
  name: string,
  column: string,
  { description, of }: { readonly description: string; readonly of: (run: Run) => Walk<ReadonlySet<string>> },
): Procedure {
  return {
    name,
    description,
    mode: 'READ',
    inputs: [],
    outputs: fieldsOf({ [column]: 'STRING' }),
    *rows(_, run): ProcedureRows {
      for (const each of [...(yield* of(run))].sort()) yield [each];
    },
  };
}

/** How the elements of one kind use their properties. */
class PropertyUse {
  readonly #types = new Map<string, Set<string>>();
  readonly #counts = new Map<string, number>();
  #elements = 0;

  add(properties: CypherMap): void {
    this.#elements++;
    for (const [key, value] of properties) {
      this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
      const types = this.#types.get(key) ?? new Set();
      this.#types.set(key, types.add(valueTypeName(value)));
    }
  }

  /** Name, types, and whether every element has it; one row of nulls for none. */
  rows(): readonly (readonly Value[])[] {
    const keys = [...this.#types.keys()].sort();
    if (keys.length === 0) return [[null, null, false]];
    return keys.map((key) => [
      key,
      [...(this.#types.get(key) ?? [])].sort(),
      this.#counts.get(key) === this.#elements,
    ]);
  }
}

function* useBy<T>(
  items: Generator<T | undefined, void>,
  nameOf: (item: T) => string,
  propertiesOf: (item: T) => CypherMap,
): Walk<readonly (readonly [string, PropertyUse])[]> {
  const uses = new Map<string, PropertyUse>();
  yield* collected(items, (item) => {
    const name = nameOf(item);
    const use = uses.get(name) ?? new PropertyUse();
    use.add(propertiesOf(item));
    uses.set(name, use);
  });
  return [...uses].sort(([a], [b]) => (a < b ? -1 : 1));
}

const PROPERTY_COLUMNS = {
  propertyName: 'STRING',
  propertyTypes: 'LIST<STRING>',
  mandatory: 'BOOLEAN',
} as const;

const SEPARATOR = '\0';

export const SCHEMA_PROCEDURES: readonly Procedure[] = [
  listing('db.labels', 'label', { description: 'All labels of nodes.', of: labelsOf }),
  listing('db.relationshipTypes', 'relationshipType', {
    description: 'All types of relationships.',
    of: typesOf,
  }),
  listing('db.propertyKeys', 'propertyKey', {
    description: 'All names of properties of nodes and relationships.',
    of: keysOf,
  }),
  {
    name: 'db.schema.nodeTypeProperties',
    description: 'The properties of the nodes with each set of labels, with the types of their values.',
    mode: 'READ',
    inputs: [],
    outputs: fieldsOf({ nodeType: 'STRING', nodeLabels: 'LIST<STRING>', ...PROPERTY_COLUMNS }),
    *rows(_, run): ProcedureRows {
      const { graph } = run;
      const uses = yield* useBy(
        nodesOf(run),
        (node) => [...graph.labels(node)].sort().join(SEPARATOR),
        (node) => graph.nodeProperties(node),
      );
      for (const [name, use] of uses) {
        const labels = name === '' ? [] : name.split(SEPARATOR);
        const type = labels.map((label) => `:\`${label}\``).join('');
        for (const row of use.rows()) yield [type, labels, ...row];
      }
    },
  },
  {
    name: 'db.schema.relTypeProperties',
    description: 'The properties of the relationships of each type, with the types of their values.',
    mode: 'READ',
    inputs: [],
    outputs: fieldsOf({ relType: 'STRING', ...PROPERTY_COLUMNS }),
    *rows(_, run): ProcedureRows {
      const { graph } = run;
      const uses = yield* useBy(
        linksOf(run),
        (link) => graph.type(link),
        (link) => graph.linkProperties(link),
      );
      for (const [type, use] of uses) for (const row of use.rows()) yield [`:\`${type}\``, ...row];
    },
  },
  {
    name: 'db.schema.visualization',
    description:
      'A node, as a map, for each label, and a relationship for each pair of labels that one joins.',
    mode: 'READ',
    inputs: [],
    outputs: fieldsOf({ nodes: 'LIST<MAP>', relationships: 'LIST<MAP>' }),
    *rows(_, run): ProcedureRows {
      const labels = yield* labelsOf(run);
      const nodes = [...labels].sort().map((name) => new Map<string, Value>([['name', name]]));
      yield [nodes, yield* joinsOf(run)];
    },
  },
];

/** Type, label of the start and label of the end of relationships, each combination once. */
function* joinsOf(run: Run): Walk<readonly Value[]> {
  const { graph } = run;
  const joins = new Map<string, Value>();
  yield* collected(linksOf(run), (link) => {
    for (const from of graph.labels(graph.start(link))) {
      for (const to of graph.labels(graph.end(link))) {
        const parts = { type: graph.type(link), from, to };
        joins.set(Object.values(parts).join(SEPARATOR), new Map<string, Value>(Object.entries(parts)));
      }
    }
  });
  return [...joins].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, join]) => join);
}
