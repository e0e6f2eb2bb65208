import { escapeMarkup } from './escape-markup.ts';

/** Markup that is safe to stand in a page: made by `html`, or SVG of the chart library. */
export class Markup {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Part = Markup | string | number | null | readonly (Markup | string | null)[];

/** A template whose texts are escaped, each of them, always; lists are joined, null is nothing. */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Markup {
  return new Markup(
    strings.map((text, at) => text + (at < parts.length ? render(parts[at] ?? null) : '')).join(''),
  );
}

function render(part: Part): string {
  if (part === null) return '';
  if (part instanceof Markup) return part.text;
  if (typeof part === 'object') return part.map(render).join('');
  return escapeMarkup(String(part));
}
