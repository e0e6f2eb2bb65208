/**
 * What a bill of materials of npm holds, counted without the connector: one pass over the document, with sets
 * of texts. Only what these documents hold is counted.
 */

/** `{totals}`: the number of entities of each type, and of relationships of each verb. */
export function countBill(document) {
  const seen = new Map();
  const add = (kind, text) => seen.set(kind, (seen.get(kind) ?? new Set()).add(text));
  if (document.bomFormat !== undefined) countCycloneDx(document, add);
  else if (document.spdxVersion !== undefined) countSpdx(document, add);
  else countLock(document, add);
  return { totals: Object.fromEntries([...seen].map(([kind, texts]) => [kind, texts.size])) };
}

/** The document without its last dependency. */
export function withoutOne(document) {
  const copy = JSON.parse(JSON.stringify(document));
  if (copy.dependencies !== undefined)
    copy.dependencies.findLast((each) => each.dependsOn?.length > 0).dependsOn.pop();
  else if (copy.relationships !== undefined)
    copy.relationships.splice(
      copy.relationships.findLastIndex((each) => /DEPENDENCY_OF/.test(each.relationshipType)),
      1,
    );
  else {
    const root = copy.packages[''];
    root.devDependencies = Object.fromEntries(Object.entries(root.devDependencies).slice(0, -1));
  }
  return copy;
}

const licencesIn = (text) =>
  /^SEE LICEN|[^\w.+:()\s-]/.test(text)
    ? [text]
    : text.split(/\s+WITH\s+\S+|[()\s]+|\b(?:AND|OR)\b/).filter((word) => word !== undefined && word !== '');

function licence(add, owner, text) {
  for (const each of licencesIn(text)) {
    add('license', each);
    add('LICENSED_UNDER', `${owner} ${each}`);
  }
}

function purlName(purl) {
  return decodeURIComponent(purl.replace(/^pkg:npm\//, '').replace(/[?#].*$/, '')).toLowerCase();
}

function countCycloneDx({ metadata, components, dependencies }, add) {
  const subject = metadata.component;
  const names = new Map([[subject['bom-ref'], 'the project']]);
  add('npm_project', 'the project');
  for (const { purl, 'bom-ref': ref, licenses = [] } of [subject, ...components]) {
    const name = names.get(ref) ?? purlName(purl);
    names.set(ref, name);
    if (ref !== subject['bom-ref']) add('npm_package', name);
    for (const { license, expression } of licenses)
      licence(add, name, expression ?? license.id ?? license.name);
  }
  for (const { ref, dependsOn = [] } of dependencies)
    for (const other of dependsOn)
      if (names.get(ref) !== names.get(other)) add('DEPENDS_ON', `${names.get(ref)} ${names.get(other)}`);
}

function countSpdx({ packages, relationships, documentDescribes }, add) {
  const names = new Map();
  for (const { SPDXID: id, externalRefs, licenseDeclared = 'NOASSERTION' } of packages) {
    const isSubject = documentDescribes.includes(id);
    const name = isSubject
      ? 'the project'
      : purlName(externalRefs.find((each) => each.referenceType === 'purl').referenceLocator);
    names.set(id, name);
    add(isSubject ? 'npm_project' : 'npm_package', name);
    if (licenseDeclared !== 'NOASSERTION') licence(add, name, licenseDeclared);
  }
  for (const { spdxElementId: from, relatedSpdxElement: to, relationshipType: type } of relationships) {
    if (type.endsWith('DEPENDENCY_OF') || type === 'PREREQUISITE_FOR')
      add('DEPENDS_ON', `${names.get(to)} ${names.get(from)}`);
  }
}

function countLock({ packages }, add) {
  const nameOf = (path) => {
    const { name = path.replace(/^.*node_modules\//, ''), version } = packages[path];
    return path === '' ? 'the project' : `${name}@${version}`.toLowerCase();
  };
  const target = (path) => (packages[path]?.link ? packages[path].resolved : path);
  for (const [path, entry] of Object.entries(packages)) {
    if (entry.link) continue;
    const owner = nameOf(path);
    add(path === '' ? 'npm_project' : 'npm_package', owner);
    if (typeof entry.license === 'string') licence(add, owner, entry.license);
    const wanted = ['dependencies', 'devDependencies', 'optionalDependencies', 'peerDependencies'];
    for (const name of new Set(wanted.flatMap((list) => Object.keys(entry[list] ?? {})))) {
      const found = installed(packages, path, name);
      if (found !== undefined) add('DEPENDS_ON', `${owner} ${nameOf(target(found))}`);
    }
  }
}

/** Node's search: from the folder of the package upwards. */
function installed(packages, path, name) {
  for (let folder = path; ; folder = folder.replace(/\/?node_modules\/(?:@[^/]+\/)?[^/]+$/, '')) {
    const candidate = `${folder === '' ? '' : `${folder}/`}node_modules/${name}`;
    if (packages[candidate] !== undefined) return candidate;
    if (folder === '') return undefined;
  }
}
