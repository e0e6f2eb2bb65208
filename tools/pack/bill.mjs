/** A CycloneDX 1.6 bill of materials, reproducible: it has no time and no serial number. */
export function billOf({ name, version, packages, node }) {
  const own = {
    type: 'application',
    'bom-ref': `pkg:generic/${name}@${version}`,
    name,
    version,
    licenses: [licence('Apache-2.0')],
  };
  const runtime = {
    type: 'platform',
    'bom-ref': `pkg:generic/node@${node}`,
    name: 'node',
    version: node,
    purl: `pkg:generic/node@${node}`,
    licenses: [licence('MIT')],
  };
  const known = new Map(packages.map((each) => [each.folder, purlOf(each)]));
  const components = new Map(packages.map((each) => [purlOf(each), componentOf(each)]));
  const dependencies = packages.map((each) => ({
    ref: purlOf(each),
    dependsOn: sorted(
      each.dependencies.flatMap((wanted) => known.get(resolve(known, each.folder, wanted)) ?? []),
    ),
  }));
  const top = packages.filter(({ folder }) => folder.lastIndexOf('node_modules/') === 0).map(purlOf);
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { component: own },
    components: [runtime, ...sorted(components.keys()).map((purl) => components.get(purl))],
    dependencies: [
      { ref: own['bom-ref'], dependsOn: sorted([runtime['bom-ref'], ...top]) },
      ...unique(dependencies),
    ],
  };
}

function componentOf({ name, version, licence: id, isBundled }) {
  const [, group, short = name] = /^(@[^/]+)\/(.*)$/.exec(name) ?? [];
  return {
    type: 'library',
    'bom-ref': purlOf({ name, version }),
    ...(group !== undefined && { group }),
    name: short,
    version,
    purl: purlOf({ name, version }),
    ...(id !== undefined && { licenses: [licence(id)] }),
    ...(isBundled && { description: 'bundled into the programs or the pages' }),
  };
}

/** A licence identifier, or an expression. */
function licence(id) {
  return /[\s()]/.test(id) ? { expression: id } : { license: { id } };
}

function purlOf({ name, version }) {
  return `pkg:npm/${name.replace('@', '%40')}@${version}`;
}

/** As Node resolves it: in the package's own node_modules, then in the outer ones. */
function resolve(known, folder, wanted) {
  for (let at = folder; ; at = at.slice(0, at.lastIndexOf('/node_modules/'))) {
    if (known.has(`${at}/node_modules/${wanted}`)) return `${at}/node_modules/${wanted}`;
    if (!at.includes('/node_modules/')) return `node_modules/${wanted}`;
  }
}

const sorted = (texts) => [...new Set(texts)].sort();

/** The same version in two folders is one component. */
function unique(dependencies) {
  const byRef = new Map();
  for (const { ref, dependsOn } of dependencies)
    byRef.set(ref, sorted([...(byRef.get(ref) ?? []), ...dependsOn]));
  return sorted(byRef.keys()).map((ref) => ({ ref, dependsOn: byRef.get(ref) }));
}
