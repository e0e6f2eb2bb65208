/** How the entities of a class are drawn: set by people, for all users of the service. */
import { object, oneOf, optional, orEmpty, readShape, required, string } from '#platform/config';
import type { Clock } from '#platform/foundation';
import { type DocumentLog, type DocumentStore, NamedDocuments } from './named-documents.ts';
import { jsonFault } from './query-set.ts';

const STYLES_MAX = 1_000;

export const CLASS_ICONS = [
  'person',
  'people',
  'key',
  'lock',
  'shield',
  'server',
  'laptop',
  'phone',
  'container',
  'database',
  'bucket',
  'cloud',
  'network',
  'globe',
  'function',
  'code',
  'package',
  'document',
  'certificate',
  'bug',
  'alert',
  'building',
] as const;

export interface ClassStyle {
  /** The class. */
  readonly name: string;
  /** `#rrggbb` */
  readonly color?: string | undefined;
  readonly icon?: (typeof CLASS_ICONS)[number] | undefined;
  /** The property that is shown beside an entity, instead of its display name. */
  readonly caption?: string | undefined;
}

const CLASS_STYLE_SHAPE = object({
  name: required(string('the name of a class', /^[^\0]{1,256}$/u), 'of the class'),
  color: orEmpty(optional(string('a colour such as #3b82c4', /^#[0-9a-f]{6}$/), 'of its entities')),
  icon: orEmpty(optional(oneOf(CLASS_ICONS), 'in its entities')),
  caption: orEmpty(optional(string('the name of a property', /^[^\0]{1,256}$/u), 'shown beside an entity')),
});

/** Throws INVALID_REQUEST. */
export function parseClassStyle(value: unknown): ClassStyle {
  const { name, color, icon, caption } = readShape(CLASS_STYLE_SHAPE, value, ({ path, message }) =>
    jsonFault(path, message),
  );
  return {
    name,
    ...(color !== undefined && { color }),
    ...(icon !== undefined && { icon }),
    ...(caption !== undefined && { caption }),
  };
}

/** The styles, by class. */
export class ClassStyles extends NamedDocuments<ClassStyle> {
  static async open(documents: DocumentStore, clock: Clock, log: DocumentLog): Promise<ClassStyles> {
    const styles = new ClassStyles(
      {
        namespace: 'class_style',
        noun: 'style of a class',
        max: STYLES_MAX,
        unreadable: 'view.style_unreadable',
        parse: parseClassStyle,
        canonical: ({ name, color, icon, caption }) => JSON.stringify([name, color, icon, caption]),
      },
      { documents, clock, log },
    );
    await styles.read();
    return styles;
  }
}
