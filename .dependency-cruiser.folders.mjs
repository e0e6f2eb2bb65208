import base from './.dependency-cruiser.mjs';

/**
 * Folders of one package import each other in one direction only. What stands at the root of a package puts
 * its folders together: front doors, modules, programs; nobody imports those from within.
 */
export default {
  forbidden: [
    {
      name: 'no-cycles-between-folders',
      severity: 'error',
      scope: 'folder',
      from: {},
      to: { circular: true },
    },
  ],
  options: {
    ...base.options,
    exclude: { path: String.raw`[.]spec[.]ts$|/test/|/src/(index|main)[.]ts$|[.]module[.]ts$` },
  },
};
