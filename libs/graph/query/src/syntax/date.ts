import { parseInstant } from '#graph/model';

/** ISO 8601 from a year to a fraction of a second; an offset may follow a time. */
const DATE =
  /^(\d{4})(?:-(\d\d)(?:-(\d\d)(?:T(\d\d)(?::(\d\d)(?::(\d\d(?:\.\d{1,12})?))?)?(Z|[+-]\d\d:\d\d)?)?)?)?$/i;

/** The first instant of what `date(…)` states, in milliseconds since the epoch; undefined if it is none. */
export function dateMs(text: string): number | undefined {
  const parts = DATE.exec(text);
  if (parts === null) return undefined;
  const [, year, month = '01', day = '01', hour = '00', minute = '00', second = '00', zone = 'Z'] = parts;
  return parseInstant(`${year}-${month}-${day}T${hour}:${minute}:${second}${zone}`);
}
