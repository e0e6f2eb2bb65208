import {
  array,
  boolean,
  oneOf,
  optional,
  required,
  section,
  type Shape,
  string,
  withDefault,
  withWrittenDefault,
} from '#platform/config';
import { camelCaseObject } from './camel-case-object.ts';
import { duration } from './duration-shape.ts';
import { headerChanges } from './header-shape.ts';
import { hostPattern } from './host-name-shape.ts';
import { name } from './name-shape.ts';
import type { RouteConfig } from './proxy-config.ts';

/** What the file says of a route: its line is found later. */
export type WrittenRoute = Omit<RouteConfig, 'line'>;

const LISTENERS_MAX = 1_000;

export function route(): Shape<WrittenRoute> {
  const prefix = string(
    'a path that begins with a slash, without ? and #',
    /^\/(?:(?![?#])[\x21-\x7e]){0,1023}$/,
  );
  return camelCaseObject<WrittenRoute>({
    host: withDefault(hostPattern(), '*', 'for which hosts: one, `*.suffix`, or `*` for any'),
    prefix: required(prefix, 'compared with the path as it was sent, byte by byte: `/old` takes `/older`'),
    cluster: optional(name(), 'where it leads'),
    redirect: optional(oneOf(['https']), 'answers with 308 to the same place under `https`'),
    listeners: optional(
      array(name(), { min: 1, max: LISTENERS_MAX }),
      'on which; without it, on all of `http`',
    ),
    timeoutMs: withWrittenDefault(
      duration({ zero: true }),
      '15s',
      'how long the endpoint may be silent, before its answer begins and within it; `0s`: for ever',
    ),
    stripPrefix: withDefault(boolean(), false, 'leaves the prefix out of the path that is passed on'),
    websocket: withDefault(boolean(), false, 'lets requests upgrade to WebSocket'),
    requestHeaders: section(headerChanges(), 'changes what is passed on'),
  });
}
