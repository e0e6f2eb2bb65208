/**
 * `@jest/globals`. A test file is given what Jest has made for it. A module that outlives the file, as the
 * kits of conformance tests do, is given what leads to that of the file which runs now.
 */
const NAMES = [
  'afterAll',
  'afterEach',
  'beforeAll',
  'beforeEach',
  'describe',
  'expect',
  'it',
  'jest',
  'test',
];
const SCHEME = 'jest-globals:';
const LASTING_URL = `${SCHEME}lasting`;
/** Of the global object: a hook hands on text, from which the objects have to be reached. */
const DOOR = Symbol.for('plexus.jest-globals');

let own = {};

const leadingTo = (name) =>
  new Proxy(() => undefined, {
    get: (_, key) => own[name][key],
    apply: (_, self, args) => Reflect.apply(own[name], self, args),
  });
const lasting = Object.fromEntries(NAMES.map((name) => [name, leadingTo(name)]));

/** What `describe`, `it` and the rest are from now on. */
export function setJestGlobals(globals) {
  own = globals;
  globalThis[DOOR] = { own, lasting };
}

/** What a module of this URL imports, while a test file runs. */
export function jestGlobalsUrl(url, testUrl) {
  return url === testUrl ? `${SCHEME}${testUrl}` : LASTING_URL;
}

/** Undefined for another module. */
export function jestGlobalsSource(url) {
  if (!url.startsWith(SCHEME)) return undefined;
  const which = url === LASTING_URL ? 'lasting' : 'own';
  return `export const { ${NAMES.join(', ')} } = globalThis[Symbol.for('${DOOR.description}')].${which};`;
}
