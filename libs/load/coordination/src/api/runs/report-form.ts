import type { FastifyReply } from 'fastify';
import { type ReportComparison, renderComparison, renderHtml, renderJUnit, type Report } from '#load/report';

export type ReportForm = 'json' | 'html' | 'junit';

const HTML = 'text/html; charset=utf-8';
/** The page runs no script and makes no network requests. */
const PAGE_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'";

/** The form of a report: the query parameter, else the `Accept` header, else JSON. */
export function formOf(format: ReportForm | undefined, accept: string | undefined): ReportForm {
  if (format !== undefined) return format;
  const types = (accept ?? '').split(',').map((type) => type.split(';')[0]?.trim().toLowerCase() ?? '');
  const wanted = types.find((type) => type === 'text/html' || type === 'application/json');
  return wanted === 'text/html' ? 'html' : 'json';
}

export function sendReport(reply: FastifyReply, report: Report, form: ReportForm): void {
  if (form === 'html') sendPage(reply, renderHtml(report));
  else if (form === 'junit') reply.type('application/xml; charset=utf-8').send(renderJUnit(report));
  else reply.send(report);
}

export function sendComparison(reply: FastifyReply, comparison: ReportComparison, form: ReportForm): void {
  if (form === 'html') sendPage(reply, renderComparison(comparison));
  else reply.send(comparison);
}

function sendPage(reply: FastifyReply, page: string): void {
  reply.type(HTML).header('Content-Security-Policy', PAGE_POLICY).send(page);
}
