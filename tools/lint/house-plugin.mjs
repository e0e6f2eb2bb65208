/**
 * Rules of this repository that no published plugin has; rules that a selector can express are in
 * eslint.config.js.
 */

/** Comments above the first statement that is not an import: the place of the hot-path mark. */
function headerOf(sourceCode) {
  const first = sourceCode.ast.body.find((statement) => statement.type !== 'ImportDeclaration');
  const end = first === undefined ? Infinity : first.range[0];
  const comments = sourceCode.getAllComments().filter((comment) => comment.range[0] < end);
  return comments.map((comment) => comment.value).join('\n');
}

const isIndexed = (node) => node.type === 'MemberExpression' && node.computed;

const nonNullOnHotPath = {
  create(context) {
    const isHotPath = /hot path/i.test(headerOf(context.sourceCode));
    const isTestFile = /\.(e2e-)?spec\.ts$/.test(context.filename);
    return {
      TSNonNullExpression(node) {
        if (isTestFile || (isHotPath && isIndexed(node.expression))) return;
        context.report({
          node,
          message: 'no non-null assertion, but on an index in a file whose header says: hot path',
        });
      },
    };
  },
};

const VAGUE_NAMES = new Set(['utils', 'util', 'helpers', 'helper', 'common', 'types', 'misc', 'shared']);
const FILE_NAME = /^\.?[a-z0-9]+(-[a-z0-9]+)*(\.[a-z0-9]+(-[a-z0-9]+)*)*$/;
const FRONT_DOOR = /(^|\/)libs\/(testing|[^/]+\/[^/]+(\/[^/]+)?)\/src\/index\.ts$/;

function nameFault(path) {
  const name = path.slice(path.lastIndexOf('/') + 1);
  if (name === 'index.ts')
    return FRONT_DOOR.test(path) ? undefined : 'index.ts is for the front door of a library';
  if (!FILE_NAME.test(name)) return `file names are in kebab-case, got ${name}`;
  const stem = name.slice(0, name.indexOf('.'));
  return VAGUE_NAMES.has(stem) ? `a file is named by the noun it exports, got ${name}` : undefined;
}

const fileName = {
  create(context) {
    return {
      Program(node) {
        const message = nameFault(context.filename.replaceAll('\\', '/'));
        if (message !== undefined) context.report({ node, loc: { line: 1, column: 0 }, message });
      },
    };
  },
};

export const housePlugin = {
  rules: { 'file-name': fileName, 'non-null-on-hot-path': nonNullOnHotPath },
};
