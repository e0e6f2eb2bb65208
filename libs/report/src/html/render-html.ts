import type { Report } from '../report.ts';
import { escapeMarkup } from './escape-markup.ts';

/** The report as one self-contained page. */
export function renderHtml(report: Report): string {
  return `<!doctype html><title>${escapeMarkup(report.name)}</title><pre>${escapeMarkup(JSON.stringify(report, null, 2))}</pre>`;
}
