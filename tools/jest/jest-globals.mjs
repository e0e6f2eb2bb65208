/**
 * `@jest/globals`. A test file gets the objects that Jest has created for it. A module that outlives the
 * file, such as a conformance kit, gets delegates to those of the current file.
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
/** Reached through the global object: a loader hook returns text only. */
const DOOR = Symbol.for('plexus.jest-globals');

let own = {};

const leadingTo = (name) =>
  new Proxy(() => undefined, {
    get: (_, key) => own[name][key],
    apply: (_, self, args) => Reflect.apply(own[name], self, args),
  });
const lasting = Object.fromEntries(NAMES.map((name) => [name, leadingTo(name)]));

/** Sets `describe`, `it` and the rest for the current file. */
export function setJestGlobals(globals) {
  own = globals;
  globalThis[DOOR] = { own, lasting };
}

/** The URL that a module imports in place of `@jest/globals`, while a test file runs. */
export function jestGlobalsUrl(url, testUrl) {
  return url === testUrl ? `${SCHEME}${testUrl}` : LASTING_URL;
}

/** Undefined for another module. */
export function jestGlobalsSource(url) {
  if (!url.startsWith(SCHEME)) return undefined;
  const which = url === LASTING_URL ? 'lasting' : 'own';
  return `export const { ${NAMES.join(', ')} } = globalThis[Symbol.for('${DOOR.description}')].${which};`;
}
