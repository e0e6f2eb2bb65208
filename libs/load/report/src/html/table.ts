import { html, type Markup } from './markup.ts';

export interface Column<R> {
  readonly title: string;
  readonly of: (row: R) => Markup | string;
  /** Aligned to the right. */
  readonly isNumber?: boolean;
}

/** A table in a card that scrolls by itself on a narrow screen; nothing without rows. */
export function table<R>(columns: readonly Column<R>[], rows: readonly R[]): Markup | null {
  if (rows.length === 0) return null;
  const side = ({ isNumber }: Column<R>) => (isNumber === true ? 'number' : '');
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
