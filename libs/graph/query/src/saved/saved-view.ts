/** Named views: a query with its values, how its result is shown, and what was drawn of it. */
import {
  array,
  boolean,
  checked,
  number,
  object,
  oneOf,
  optional,
  orEmpty,
  readShape,
  required,
  string,
  withDefault,
} from '#platform/config';
import { parseInstant } from '#graph/model';
import type { Clock } from '#platform/foundation';
import { PreparedQuery } from '../execute/engine/prepared-query.ts';
import { type DocumentLog, type DocumentStore, NamedDocuments } from './named-documents.ts';
import { PARAMETER_VALUES_SHAPE, type ParameterValue } from './query-parameter.ts';
import { jsonFault } from './query-set.ts';
import { DESCRIPTION_LENGTH_MAX, line, lines, NAME_LENGTH_MAX, TEXT_LENGTH_MAX } from './saved-query.ts';

export const RESULT_VIEWS = ['table', 'graph', 'json'] as const;
const VIEWS_MAX = 200;
/** All views are held in memory. */
const NODES_MAX = 5_000;
const EDGES_MAX = 10_000;
const CLASSES_MAX = 1_000;
const PLACE_MAX = 1e9;
const MOMENT_LENGTH_MAX = 40;

export interface PlacedNode {
  readonly id: string;
  readonly x: number;
  readonly y: number;
  /** Layouts do not move it. */
  readonly pinned: boolean;
}

/** What was drawn, and where. */
export interface SavedCanvas {
  readonly nodes: readonly PlacedNode[];
  /** The ids of the drawn relationships. */
  readonly relationships: readonly string[];
  readonly hidden_classes: readonly string[];
}

export interface SavedView {
  readonly name: string;
  readonly description: string;
  /** Text of the query in PQL. */
  readonly text: string;
  readonly parameters: Readonly<Record<string, ParameterValue>>;
  readonly view: (typeof RESULT_VIEWS)[number];
  readonly canvas?: SavedCanvas | undefined;
  /** RFC 3339: the moment of the result; default: now. */
  readonly as_of?: string;
  /** RFC 3339: an earlier moment with which it is compared. */
  readonly since?: string;
}

const id = string('32 hexadecimal digits', /^[0-9a-f]{32}$/);
const place = number({ min: -PLACE_MAX, max: PLACE_MAX });

const CANVAS_SHAPE = object({
  nodes: required(
    array(
      object({
        id: required(id, 'of an entity'),
        x: required(place, 'to the right'),
        y: required(place, 'upwards'),
        pinned: withDefault(boolean(), false, 'whether layouts leave it where it is'),
      }),
      { min: 0, max: NODES_MAX },
    ),
    'the drawn entities',
  ),
  relationships: withDefault(array(id, { min: 0, max: EDGES_MAX }), [], 'ids of the drawn relationships'),
  hidden_classes: withDefault(
    array(string('the name of a class'), { min: 0, max: CLASSES_MAX }),
    [],
    'classes whose entities are not shown',
  ),
});

/** A time stays what it is: a number would name another batch after a restore. */
const MOMENT = checked(line(MOMENT_LENGTH_MAX), (text) =>
  parseInstant(text) === undefined ? 'expected a time (RFC 3339)' : undefined,
);

const SAVED_VIEW_SHAPE = object({
  name: required(line(NAME_LENGTH_MAX), 'unique, for people'),
  description: orEmpty(withDefault(lines(DESCRIPTION_LENGTH_MAX), '', 'what it shows')),
  text: required(
    checked(lines(TEXT_LENGTH_MAX), (text) => (text.trim() === '' ? 'expected a query' : undefined)),
    'PQL',
  ),
  parameters: orEmpty(withDefault(PARAMETER_VALUES_SHAPE, {}, 'values of those that the text names')),
  view: withDefault(oneOf(RESULT_VIEWS), 'table', 'how the result is shown'),
  canvas: orEmpty(optional(CANVAS_SHAPE, 'of a graph')),
  as_of: orEmpty(optional(MOMENT, 'of the result; default: now')),
  since: orEmpty(optional(MOMENT, 'with which the result is compared')),
});

/** A view, whose text must parse, bind, and name the parameters. Throws PQL_SYNTAX or INVALID_REQUEST. */
export function parseSavedView(value: unknown): SavedView {
  const { name, description, text, parameters, view, canvas, as_of, since } = readShape(
    SAVED_VIEW_SHAPE,
    value,
    ({ path, message }) => jsonFault(path, message),
  );
  const named = new PreparedQuery(text).bound.parameters.map((parameter) => parameter.name);
  const idle = Object.keys(parameters).find((each) => !named.includes(each));
  if (idle !== undefined) throw jsonFault(['parameters', idle], `the text does not name $${idle}`);
  return {
    name,
    description,
    text,
    parameters,
    view,
    ...(canvas !== undefined && { canvas }),
    ...(as_of !== undefined && { as_of }),
    ...(since !== undefined && { since }),
  };
}

/** The saved views, by name. */
export class SavedViews extends NamedDocuments<SavedView> {
  static async open(documents: DocumentStore, clock: Clock, log: DocumentLog): Promise<SavedViews> {
    const views = new SavedViews(
      {
        namespace: 'view',
        noun: 'saved view',
        max: VIEWS_MAX,
        unreadable: 'view.saved_unreadable',
        parse: parseSavedView,
        canonical: ({ parameters, ...rest }) =>
          JSON.stringify([
            [rest.name, rest.description, rest.text, Object.entries(parameters).sort(), rest.view],
            [rest.canvas, rest.as_of, rest.since],
          ]),
      },
      { documents, clock, log },
    );
    await views.read();
    return views;
  }
}
