const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Text escaped for HTML and XML, including attributes; characters forbidden in XML are replaced by �. */
export function escapeMarkup(text: string): string {
  return text
    .toWellFormed()
    .replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '')
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '\ufffd');
}

/** Safe markup: built by `html`, or SVG of the chart library. */
export class Markup {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Part = Markup | string | number | null | readonly (Markup | string | null)[];

/** A template that always escapes its texts; lists are joined, null is empty. */
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
  /** Right-aligned. */
  readonly isNumber?: boolean;
}

/** A table in a card that scrolls on a narrow screen; empty without rows. */
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
