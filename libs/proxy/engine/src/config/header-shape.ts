import { array, checked, type Reading, type Shape, withDefault, withWrittenDefault } from '#platform/config';
import { isHost } from './host-syntax.ts';
import { camelCaseObject, parsed, parsedSecret, parsedText } from './parsed-shape.ts';
import type { HashKey, HeaderChanges } from './proxy-config.ts';

const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,128}$/;
const VALUE = /^(?:[\x21-\x7e](?:[\t\x20-\x7e]{0,4094}[\x21-\x7e])?)?$/;
const CHANGES_MAX = 100;
/** Written by the proxy only: otherwise one request could be parsed as two. */
const RESERVED: readonly string[] = [
  'connection',
  'content-length',
  'expect',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
];

export function headerChanges(): Shape<HeaderChanges> {
  const names = array(headerName([...RESERVED, 'host']), { min: 0, max: CHANGES_MAX });
  return camelCaseObject<HeaderChanges>({
    set: withWrittenDefault(headerValues(), {}, 'headers by name; they replace headers of the same name'),
    remove: withDefault(names, [], 'names of headers that are removed'),
  });
}

/** `source_ip`, or `header:<name>`. */
export function hashKey(): Shape<HashKey> {
  return parsedText<HashKey>('`source_ip` or `header:<name>`', (text) => {
    if (text === 'source_ip') return Object.freeze({ source: 'ip' });
    const [, header = ''] = /^header:(.*)$/.exec(text) ?? [];
    return NAME.test(header) ? Object.freeze({ source: 'header', header: header.toLowerCase() }) : undefined;
  });
}

/** Reads the name of a header, in lower case. */
function headerName(reserved: readonly string[]): Shape<string> {
  const shape = parsedText('the name of a header', (text) =>
    NAME.test(text) ? text.toLowerCase() : undefined,
  );
  return checked(shape, (name) => {
    const dashed = name.replaceAll(/[_.]/g, '-');
    return reserved.includes(dashed) ? `the proxy writes ${dashed} itself` : undefined;
  });
}

/** A map of names to values, as pairs: a name may be `__proto__`. */
function headerValues(): Shape<HeaderChanges['set']> {
  const shape = parsed(`a table of at most ${CHANGES_MAX} headers`, (value) =>
    isTable(value) && Object.keys(value).length <= CHANGES_MAX ? Object.entries(value) : undefined,
  );
  const names = headerName(RESERVED);
  const values = parsedSecret('a text of printable ASCII, in quotes where it looks like a number', (text) =>
    VALUE.test(text) ? text : undefined,
  );
  const hosts = parsedText('a host, with or without a port', (text) => (isHost(text) ? text : undefined));
  const readPair = ([name, value]: readonly [string, unknown], at: Reading): HeaderChanges['set'] => {
    const inside = { ...at, path: [...at.path, name] };
    const shapeOf = name.toLowerCase() === 'host' ? hosts : values;
    const pair = [names.read(name, inside), shapeOf.read(value, inside)] as const;
    return pair[0] === undefined || pair[1] === undefined ? [] : [[pair[0], pair[1]]];
  };
  return {
    expects: shape.expects,
    read: (value, at) => shape.read(value, at)?.flatMap((pair) => readPair(pair, at)),
  };
}

function isTable(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
