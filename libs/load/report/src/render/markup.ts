const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Text as it may stand in HTML and XML, in attributes too; characters that XML forbids are shown as �. */
export function escapeMarkup(text: string): string {
  return text
    .toWellFormed()
    .replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '')
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '\ufffd');
}

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

export interface TableColumn<R> {
  readonly title: string;
  readonly of: (row: R) => Markup | string;
  /** Aligned to the right. */
  readonly isNumber?: boolean;
}

/** A table in a card that scrolls by itself on a narrow screen; nothing without rows. */
export function table<R>(columns: readonly TableColumn<R>[], rows: readonly R[]): Markup | null {
  if (rows.length === 0) return null;
  const side = ({ isNumber }: TableColumn<R>) => (isNumber === true ? 'number' : '');
  return html`<div class="card">
    <table>
      <thead>
        <tr>
          ${columns.map((column) => html`<th class="${side(column)}">${column.title}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          (row) =>
            html`<tr>
              ${columns.map((column) => html`<td class="${side(column)}">${column.of(row)}</td>`)}
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}

export function badge(tone: 'good' | 'bad' | 'unsure', text: string): Markup {
  return html`<span class="badge ${tone}">${text}</span>`;
}
