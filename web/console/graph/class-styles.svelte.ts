/** How the entities of each class are drawn: what people have set on the service, or the default. */
import { ApiError, dataOf } from '../../kit/session/api-error.ts';
import { cellText } from '../../kit/table/table-data.ts';
import { deleteClassStyle, listClassStyles, putClassStyle } from '../api/generated/sdk.gen.ts';
import type { ClassStyleDto } from '../api/generated/types.gen.ts';
import { classColor } from './class-colors.ts';
import type { GraphNode } from './graph-data.ts';

export type ClassStyle = Pick<ClassStyleDto, 'color' | 'icon' | 'caption'>;

const NO_STYLE: ClassStyle = {};

export class ClassStyles {
  #byName = $state.raw<ReadonlyMap<string, ClassStyle>>(new Map());

  /** What was set for a class. */
  of(name: string): ClassStyle {
    return this.#byName.get(name) ?? NO_STYLE;
  }

  /** The styles that were set. Changes only when one of them does. */
  get all(): ReadonlyMap<string, ClassStyle> {
    return this.#byName;
  }

  async load(): Promise<void> {
    const { styles } = await dataOf(listClassStyles());
    this.#byName = new Map(styles.map(({ name, color, icon, caption }) => [name, { color, icon, caption }]));
  }

  /** Sets a style for all users; one without a field is the default. */
  async save(name: string, style: ClassStyle): Promise<void> {
    const { color, icon, caption } = style;
    if ((color ?? icon ?? caption) !== undefined)
      await dataOf(putClassStyle({ path: { name }, body: style }));
    else {
      const { error, response } = await deleteClassStyle({ path: { name } });
      const isGone = response?.ok === true || response?.status === 404;
      if (!isGone) throw ApiError.from(error, response?.status ?? 0);
    }
    await this.load();
  }
}

export function colorOf(name: string, style: ClassStyle): string {
  return style.color ?? classColor(name);
}

/** The text beside a node: the property of its class, or its name. */
export function captionOf({ name, properties }: GraphNode, { caption }: ClassStyle): string {
  const text = caption === undefined ? '' : cellText(properties[caption]);
  return text === '' ? name : text;
}

/** The instance of this page. */
export const classStyles = new ClassStyles();
