/** Which hints about statements a client wants: from HELLO, and from what a transaction begins with. */
import type { Notification } from '#graph/cypher';
import { invalidRequest } from '../failure/bolt-fault.ts';
import { type Dictionary, textsOf } from './dictionary.ts';

const SEVERITIES = ['INFORMATION', 'WARNING', 'OFF'] as const;
type Severity = (typeof SEVERITIES)[number];

/** A part that is undefined is as elsewhere: in HELLO as by default, in a transaction as in HELLO. */
export interface NotificationWishes {
  readonly minimum: Severity | undefined;
  readonly disabled: readonly string[] | undefined;
}

export const NO_WISHES: NotificationWishes = { minimum: undefined, disabled: undefined };

/** Categories are called classifications from Bolt 5.5 on. */
export function wishesOf(extra: Dictionary, where: string): NotificationWishes {
  const names = ['notifications_disabled_categories', 'notifications_disabled_classifications'];
  const stated = names.filter((name) => (extra.get(name) ?? null) !== null);
  return {
    minimum: severityOf(extra.get('notifications_minimum_severity') ?? null, where),
    disabled:
      stated.length === 0
        ? undefined
        : stated.flatMap((name) => textsOf(extra.get(name), `${where}: ${name}`)).map(upperCased),
  };
}

export function wanted(
  notifications: readonly Notification[],
  own: NotificationWishes,
  inherited: NotificationWishes,
): readonly Notification[] {
  const minimum = SEVERITIES.indexOf(own.minimum ?? inherited.minimum ?? 'INFORMATION');
  const disabled = own.disabled ?? inherited.disabled ?? [];
  return notifications.filter(
    (each) => SEVERITIES.indexOf(each.severity) >= minimum && !disabled.includes(categoryOf(each)),
  );
}

/** As Neo4j groups its notifications. */
export function categoryOf({ code }: Notification): string {
  if (code.includes('.Schema.')) return 'SCHEMA';
  return code.includes('.Statement.Unknown') ? 'UNRECOGNIZED' : 'GENERIC';
}

function severityOf(value: unknown, where: string): Severity | undefined {
  if (value === null) return undefined;
  const known = SEVERITIES.find((name) => typeof value === 'string' && name === value.toUpperCase());
  if (known !== undefined) return known;
  throw invalidRequest(`${where}: expected notifications_minimum_severity to be ${SEVERITIES.join(', ')}`);
}

function upperCased(text: string): string {
  return text.toUpperCase();
}
