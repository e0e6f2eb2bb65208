/** Counts of a machine, a cluster and a state, which share no code with the connectors. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

/** Kinds of objects with their types; others are not counted. */
const KINDS = {
  Service: 'kube_service',
  StatefulSet: 'kube_stateful_set',
  Deployment: 'kube_deployment',
};

/** What the tools of the system say: packages that are installed, and the lines of its accounts. */
export function countMachine() {
  const lines = (text) => text.split('\n').filter((line) => line.trim() !== '');
  const accounts = (path) =>
    new Set(lines(readFileSync(path, 'utf8')).map((line) => line.split(':')[0])).size;
  const totals = { local_user: accounts('/etc/passwd'), local_group: accounts('/etc/group'), host: 1 };
  if (existsSync('/var/lib/dpkg/status')) {
    const states = execFileSync('dpkg-query', ['-W', '-f', '${db:Status-Status}\n'], { encoding: 'utf8' });
    totals.deb_package = lines(states).filter((line) => line === 'installed').length;
  }
  return { totals };
}

/** Objects of a list by their kind. */
export function countCluster({ items }) {
  const totals = {};
  for (const { kind } of items)
    if (KINDS[kind] !== undefined) totals[KINDS[kind]] = (totals[KINDS[kind]] ?? 0) + 1;
  return { totals };
}

export function withoutOneItem({ items, ...list }) {
  const at = items.findIndex(({ kind }) => KINDS[kind] !== undefined);
  return { ...list, items: items.toSpliced(at, 1) };
}

/** Instances of all resources of a state. */
export function countState({ resources }) {
  const instances = resources.flatMap(({ instances }) => instances);
  return { totals: { terraform_resource: instances.length, terraform_state: 1 } };
}

export function withoutOneResource({ resources, ...state }) {
  return { ...state, resources: resources.slice(0, -1) };
}

/** What a report of Trivy found: packages by the kind of their result, and the pairs of both. */
export function countReport({ Results: results }) {
  const of = (kind, list) =>
    results
      .filter(({ Class: name }) => (name === 'os-pkgs') === (kind === 'os'))
      .flatMap((result) => result[list] ?? []);
  const packages = (kind) => new Set(of(kind, 'Packages').map(({ ID: id }) => id)).size;
  const found = [...of('os', 'Vulnerabilities'), ...of('other', 'Vulnerabilities')];
  return {
    totals: {
      // Without a package URL, as before version 0.48.
      component: packages('os'),
      npm_package: packages('other'),
      vulnerability: new Set(found.map(({ VulnerabilityID: id }) => id)).size,
      HAS: new Set(found.map(({ VulnerabilityID: id, PkgID: name }) => `${id} ${name}`)).size,
    },
  };
}

export function withoutOneFinding(report) {
  const copy = JSON.parse(JSON.stringify(report));
  copy.Results.find(({ Vulnerabilities: found }) => found?.length > 0).Vulnerabilities.pop();
  return copy;
}

/** What a report of Grype found: packages, vulnerabilities by their one CVE if they have one, and pairs. */
export function countMatches({ matches }) {
  const packageOf = ({ artifact: { purl, name, version } }) => purl || `${name}@${version}`;
  const nameOf = ({ vulnerability: { id }, relatedVulnerabilities: related = [] }) => {
    const cves = new Set(related.map((each) => each.id).filter((each) => each.startsWith('CVE-')));
    return id.startsWith('CVE-') || cves.size !== 1 ? id : [...cves][0];
  };
  return {
    totals: {
      CONTAINS: new Set(matches.map(packageOf)).size,
      vulnerability: new Set(matches.map(nameOf)).size,
      HAS: new Set(matches.map((match) => `${packageOf(match)} ${nameOf(match)}`)).size,
    },
  };
}

export function withoutOneMatch({ matches, ...report }) {
  return { ...report, matches: matches.slice(1) };
}

/** What an account holds, by the lists of its authorization details. */
export function countAccount(details) {
  const names = (list, field) => new Set(details[list].map((each) => each[field])).size;
  return {
    totals: {
      aws_iam_user: names('UserDetailList', 'UserName'),
      aws_iam_group: names('GroupDetailList', 'GroupName'),
      aws_iam_role: names('RoleDetailList', 'RoleName'),
      MEMBER_OF: details.UserDetailList.flatMap(({ GroupList }) => GroupList).length,
    },
  };
}

export function withoutOneUser({ UserDetailList: users, ...details }) {
  return { ...details, UserDetailList: users.slice(1) };
}
