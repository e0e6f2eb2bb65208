import { bytesOf, cutOf, fittedItems } from './fitted-items.ts';
import type { PqlReply } from './graph-answers.port.ts';

const LISTS = ['rows', 'groups', 'paths', 'impacted'] as const;
const WARNING_BYTES_MAX = 8 * 1024;
const PLAN_BYTES_MAX = 64 * 1024;
const CLASSES_MAX = 100;

export interface AnswerOptions {
  /** The requested number. */
  readonly limit: number;
  /** How to see the omitted part. */
  readonly hint: string;
}

/** A reply within bounds: the items that the query counts, with its metadata. */
export function pqlAnswer(reply: PqlReply, { limit, hint }: AnswerOptions): Record<string, unknown> {
  const list = LISTS.find((name) => reply[name] !== undefined) ?? 'entities';
  const all = reply[list] ?? [];
  const { items, shortened } = fittedItems(all);
  const hasItems = list !== 'entities' || all.length > 0;
  const cut = hasItems ? cutOf(items.length, reply.count, limit, hint) : undefined;
  const { columns, impacted_by_class: byClass, plan, count, snapshot_version, took_ms } = reply;
  return {
    count,
    ...(columns !== undefined && { columns }),
    ...(hasItems && { [list]: items }),
    ...(byClass !== undefined && { impacted_by_class: firstClasses(byClass) }),
    ...(plan !== undefined && (bytesOf(plan) <= PLAN_BYTES_MAX ? { plan } : { plan_left_out: 'too large' })),
    warnings: fittedItems(reply.warnings, WARNING_BYTES_MAX).items,
    ...(cut !== undefined && { cut }),
    ...(shortened > 0 && { shortened }),
    snapshot_version,
    took_ms,
  };
}

/** Those with most entities. */
function firstClasses(byClass: Readonly<Record<string, number>>): Readonly<Record<string, number>> {
  const sorted = Object.entries(byClass).sort(([, a], [, b]) => b - a);
  return Object.fromEntries(sorted.slice(0, CLASSES_MAX));
}
