/**
 * The page's program. It builds text nodes only, never markup of what it is told, and keeps elements by key,
 * so that a page with a thousand endpoints is not built anew each second.
 */
export const PAGE_SCRIPT = String.raw`
const HISTORY = 60;
const EVENTS_SHOWN = 200;
const CLASSES = ['2xx', '3xx', '4xx', '5xx'];
const SVG = 'http://www.w3.org/2000/svg';
const find = (selector) => document.querySelector(selector);
const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });
const fine = new Intl.NumberFormat('en', { maximumFractionDigits: 1 });
const short = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });
const count = (value) => (value < 10000 ? whole : short).format(value);
const rate = (value) => (value === undefined ? '–' : (value < 10 ? fine : whole).format(value));
const ms = (value) => (value == null ? '–' : (value < 10 ? fine : whole).format(value));
const sum = (list, of) => list.reduce((total, item) => total + of(item), 0);
const answers = (item) => sum(Object.values(item.requests_by_class), (value) => value);

function element(tag, className = '', text = undefined) {
  const made = document.createElement(tag);
  if (className !== '') made.className = className;
  if (text !== undefined) made.textContent = text;
  return made;
}
function put(target, text, className = undefined) {
  if (target.textContent !== text) target.textContent = text;
  if (className !== undefined && target.className !== className) target.className = className;
}
/** Brings the children in line with the items: kept by key, made, moved and removed as needed. */
function keyed(parent, items, keyOf, make, update) {
  const known = new Map([...parent.children].map((child) => [child.dataset.key, child]));
  let place = parent.firstElementChild;
  for (const item of items) {
    const key = keyOf(item);
    let child = known.get(key);
    if (child === undefined) {
      child = make(item);
      child.dataset.key = key;
    }
    known.delete(key);
    if (child === place) place = place.nextElementSibling;
    else parent.insertBefore(child, place);
    update(child, item);
  }
  for (const child of known.values()) child.remove();
}
function cells(row, names, className) {
  row.className = 'row ' + className;
  for (const [label, style] of names) {
    const cell = element('div', style);
    if (label !== '') cell.dataset.name = label;
    row.append(cell);
  }
  return row;
}
function tagList(cell, tags) {
  keyed(cell, tags, ([text]) => text, () => element('span'), (tag, [text, kind]) => put(tag, text, 'tag ' + kind));
}

/* How fast counters rise: from one snapshot to the next, by key. */
const before = new Map();
function perSecond(key, total, at) {
  const last = before.get(key);
  before.set(key, { total, at });
  if (last === undefined || at <= last.at || total < last.total) return undefined;
  return ((total - last.total) * 1000) / (at - last.at);
}
const history = { requests: [], connections: [] };
function remember(list, value) {
  list.push(value ?? 0);
  if (list.length > HISTORY) list.shift();
}
function drawCurve(svg, values) {
  const top = Math.max(1, ...values);
  const points = values.map((value, i) => (HISTORY - values.length + i) + ',' + (30 - (28 * value) / top).toFixed(1));
  const [area, curve] = svg.children;
  curve.setAttribute('points', points.join(' '));
  area.setAttribute('points', (HISTORY - values.length) + ',32 ' + points.join(' ') + ' ' + (HISTORY - 1) + ',32');
}
function figure({ curve }) {
  const made = element('div', 'figure');
  made.append(element('span', 'name'), element('b'), element('span', 'quiet small'));
  if (curve === undefined) return made;
  const svg = document.createElementNS(SVG, 'svg');
  svg.setAttribute('viewBox', '0 0 ' + (HISTORY - 1) + ' 32');
  svg.setAttribute('preserveAspectRatio', 'none');
  svg.setAttribute('aria-hidden', 'true');
  for (const [tag, className] of [['polygon', 'area'], ['polyline', 'curve']]) {
    const shape = document.createElementNS(SVG, tag);
    shape.setAttribute('class', className);
    svg.append(shape);
  }
  made.append(svg);
  return made;
}
function showFigures(now) {
  const endpoints = now.clusters.flatMap((cluster) => cluster.endpoints);
  const healthy = endpoints.filter((endpoint) => endpoint.healthy).length;
  const perS = perSecond('all', sum(now.listeners, answers), now.uptime_ms);
  remember(history.requests, perS);
  remember(history.connections, now.downstream_cx_active);
  const figures = [
    { name: 'Requests a second', value: rate(perS), curve: history.requests,
      more: count(sum(now.listeners, answers)) + ' answered' },
    { name: 'Open connections', value: count(now.downstream_cx_active), curve: history.connections,
      more: count(now.downstream_cx_total) + ' accepted' },
    { name: 'Healthy endpoints', value: healthy + ' of ' + endpoints.length, isBad: healthy < endpoints.length,
      more: now.clusters.length + (now.clusters.length === 1 ? ' cluster, ' : ' clusters, ') + now.route_count +
        (now.route_count === 1 ? ' route' : ' routes') },
    { name: 'Refused by breakers', value: count(now.circuit_breaker_rejected),
      more: sum(now.clusters, (cluster) => cluster.no_healthy_endpoint) + ' without a healthy endpoint' },
  ];
  keyed(find('#figures'), figures, ({ name }) => name, figure, (box, { name, value, more, isBad, curve }) => {
    put(box.children[0], name);
    put(box.children[1], value, isBad ? 'bad' : '');
    put(box.children[2], more);
    if (curve !== undefined) drawCurve(box.children[3], curve);
  });
}

const LISTENER = [['', 'address'], ['', 'quiet'], ['open', 'number'], ['accepted', 'number'], ['req/s', 'number'],
  ['', 'codes wide']];
function showListeners(now) {
  const rows = find('#listeners .rows');
  if (rows.children.length === 0) {
    const head = cells(element('div'), LISTENER, 'head listener');
    ['Name', 'Protocol', 'Open', 'Accepted', 'Req/s', 'Answers'].forEach((text, i) => put(head.children[i], text));
    head.dataset.key = ' head';
    rows.append(head);
  }
  const items = [undefined, ...now.listeners];
  const make = () => {
    const row = cells(element('div'), LISTENER, 'listener');
    row.firstElementChild.append(element('span'), element('span', 'quiet'));
    return row;
  };
  keyed(rows, items, (item) => (item === undefined ? ' head' : item.name), make, (row, item) => {
    if (item === undefined) return;
    const [name, protocol, active, total, perS, codes] = row.children;
    put(name.children[0], item.name);
    put(name.children[1], item.address);
    put(protocol, item.protocol);
    put(active, count(item.cx_active));
    put(total, count(item.cx_total));
    put(perS, item.protocol === 'http' ? rate(perSecond('l ' + item.name, answers(item), now.uptime_ms)) : '–');
    const timeouts = item.header_timeouts + item.idle_timeouts + item.request_timeouts;
    const facts = [
      ...CLASSES.map((code) => [code, item.requests_by_class[code], { '4xx': 'warn', '5xx': 'bad' }[code] ?? '']),
      ['malformed', item.parse_errors, 'warn'], ['timeouts', timeouts, 'warn'], ['unrouted', item.unrouted, 'warn'],
      ['refused', item.cx_refused, 'bad'], ['TLS errors', item.tls_errors, 'warn'],
    ].filter(([, value]) => value > 0);
    keyed(codes, facts, ([label]) => label, () => element('span'), (part, [label, value, kind]) => {
      put(part, count(value) + ' ' + label, kind);
    });
  });
}

const ENDPOINT = [['', 'address'], ['active', 'number'], ['req/s', 'number'], ['ms', 'number'], ['', 'small wide']];
function showEndpoint(row, endpoint, cluster, at) {
  const [name, active, perS, latency, check] = row.children;
  if (name.firstElementChild === null) name.append(element('i'), element('span'), element('div', 'small'));
  const kind = endpoint.is_disabled ? 'off' : endpoint.healthy ? 'good' : endpoint.is_ejected ? 'warn' : '';
  put(name.children[0], '', 'dot ' + kind);
  name.children[0].title = endpoint.healthy ? 'healthy' : 'not healthy';
  put(name.children[1], endpoint.address);
  const failures = endpoint.connect_failures + endpoint.resets + endpoint.timeouts;
  const until = endpoint.ejected_until_ms === null ? '' : ' until ' + clock(endpoint.ejected_until_ms);
  const targets = endpoint.targets.filter((target) => target.address !== endpoint.address);
  tagList(name.children[2], [
    ...(endpoint.is_disabled ? [['disabled', '']] : []),
    ...(endpoint.is_ejected ? [['ejected' + until, 'warn']] : []),
    ...(failures > 0 ? [[count(failures) + ' failed', 'bad']] : []),
    ...(endpoint.requests_by_class['5xx'] > 0 ? [[count(endpoint.requests_by_class['5xx']) + ' 5xx', 'bad']] : []),
    ...(endpoint.resolve_fault === null ? [] : [[endpoint.resolve_fault, 'bad']]),
    ...targets.map((target) => [target.address, target.healthy ? '' : 'bad']),
  ]);
  put(active, count(endpoint.active_requests));
  put(perS, rate(perSecond('e ' + cluster + ' ' + row.dataset.key, endpoint.requests_total, at)));
  const times = endpoint.durations;
  put(latency, times === null ? '–' : [times.p50_ms, times.p90_ms, times.p99_ms].map(ms).join(' / '));
  put(check, checkText(endpoint.last_check));
}
function checkText(check) {
  if (check === null) return 'not checked';
  const streak = check.streak > 1 ? ', ' + count(check.streak) + ' in a row' : '';
  return check.result + ' in ' + ms(check.latency_ms) + ' ms' + streak +
    (check.result === 'failed' ? ': ' + check.reason : '');
}
function makeCluster() {
  const card = element('div', 'card');
  const top = element('div', 'top');
  top.append(element('h3'), element('span', 'pill'), element('span', 'quiet'));
  const rows = element('div');
  const head = cells(element('div'), ENDPOINT, 'head endpoint');
  ['Endpoint', 'Active', 'Req/s', 'p50 / p90 / p99 ms', 'Last check'].forEach((text, i) => put(head.children[i], text));
  top.append(element('div', 'limits'));
  card.append(top, head, rows);
  return card;
}
function showCluster(card, cluster, at) {
  const [top, , rows] = card.children;
  const limits = top.children[3];
  const healthy = cluster.endpoints.filter((endpoint) => endpoint.healthy).length;
  const all = cluster.endpoints.length;
  const kind = healthy === all ? 'good' : healthy === 0 ? 'bad' : 'warn';
  put(top.children[0], cluster.name);
  put(top.children[1], healthy + ' of ' + all + ' healthy', 'pill ' + kind);
  const { retries } = cluster;
  put(top.children[2], [cluster.lb_policy.replaceAll('_', ' '),
    ...(retries.made > 0 ? [count(retries.made) + ' retries'] : []),
    ...(cluster.no_healthy_endpoint > 0 ? [count(cluster.no_healthy_endpoint) + ' found no endpoint'] : []),
  ].join(' · '));
  const known = Object.entries(cluster.breaker).filter(([, { limit }]) => limit > 0);
  keyed(limits, known, ([name]) => name, makeLimit, (box, [name, { used, limit, rejected }]) => {
    const text = name.split('_')[1] + ' ' + count(used) + '\u00a0/\u00a0' + count(limit);
    put(box.children[0], text + (rejected > 0 ? ' · ' + count(rejected) + ' refused' : ''), rejected > 0 ? 'bad' : '');
    const share = Math.min(1, used / limit);
    box.children[1].firstElementChild.setAttribute('width', (100 * share).toFixed(1));
    box.children[1].setAttribute('class', 'bar' + (share >= 1 ? ' bad' : share > 0.8 ? ' warn' : ''));
  });
  const make = () => cells(element('div'), ENDPOINT, 'endpoint');
  const seen = new Map();
  const keyOf = ({ address }) => {
    seen.set(address, (seen.get(address) ?? 0) + 1);
    return address + ' ' + seen.get(address);
  };
  keyed(rows, cluster.endpoints, keyOf, make, (row, endpoint) => {
    showEndpoint(row, endpoint, cluster.name, at);
  });
}
function makeLimit() {
  const box = element('div', 'limit');
  const bar = document.createElementNS(SVG, 'svg');
  bar.setAttribute('viewBox', '0 0 100 4');
  bar.setAttribute('preserveAspectRatio', 'none');
  bar.setAttribute('aria-hidden', 'true');
  const rect = document.createElementNS(SVG, 'rect');
  rect.setAttribute('height', '4');
  bar.append(rect);
  box.append(element('span'), bar);
  return box;
}

function span(milliseconds) {
  const seconds = Math.floor(milliseconds / 1000);
  const parts = [[86400, 'd'], [3600, 'h'], [60, 'min'], [1, 's']];
  const first = parts.findIndex(([size]) => seconds >= size);
  if (first === -1) return '0 s';
  let rest = seconds;
  return parts.slice(first, first + 2).map(([size, unit]) => {
    const whole = Math.floor(rest / size);
    rest -= whole * size;
    return whole + ' ' + unit;
  }).join(' ');
}
const clock = (at) => new Date(at).toLocaleTimeString('en-GB');
const STATES = { LIVE: 'good', DRAINING: 'warn', INITIALIZING: 'warn', PRE_INITIALIZING: 'warn' };
function show(now) {
  put(find('#state'), now.state, 'pill ' + (STATES[now.state] ?? 'bad'));
  put(find('#uptime'), 'up ' + span(now.uptime_ms));
  document.title = (now.state === 'LIVE' ? '' : now.state + ' · ') + 'Plexus proxy';
  showFigures(now);
  showListeners(now);
  keyed(find('#clusters .cards'), now.clusters, ({ name }) => name, makeCluster, (card, cluster) => {
    showCluster(card, cluster, now.uptime_ms);
  });
}

const place = (event) => event.cluster + ' ' + event.address +
  (event.target !== undefined && event.target !== event.address ? ' (' + event.target + ')' : '');
const TELL = {
  endpoint_health: (e) => [e.healthy ? 'good' : '', place(e) + (e.healthy ? ' is healthy: ' : ' is not healthy: ') + e.reason],
  endpoint_ejected: (e) => ['warn', place(e) + ' is ejected until ' + clock(e.until_ms) + ': ' + e.reason],
  endpoint_returned: (e) => ['good', place(e) + ' is back from its ejection'],
  endpoint_switched: (e) => [e.is_enabled ? 'good' : 'off', place(e) + (e.is_enabled ? ' was enabled' : ' was disabled')],
  endpoint_resolved: (e) => [e.fault === undefined ? 'good' : '', place(e) +
    (e.fault === undefined ? ' resolves to ' + (e.targets.join(', ') || 'nothing') : ' cannot be resolved: ' + e.fault)],
  breaker_tripped: (e) => ['', e.cluster + ' refuses requests: ' + e.limit + ' of ' + e.max + ' reached, ' + e.rejected + ' refused'],
  upstream_failure: (e) => ['', e.cluster + ': ' + e.failures + ' failed, ' + e.reason.replaceAll('_', ' ') +
    (e.code === undefined ? '' : ' (' + e.code + ')') + (e.target === undefined ? '' : ' at ' + e.target)],
  config_reload: (e) => [e.result === 'rejected' ? '' : 'good', 'configuration ' + e.result +
    (e.faults.length === 0 ? '' : ': ' + e.faults.join('; '))],
  server_state: (e) => [STATES[e.state] ?? '', 'the proxy is ' + e.state],
};
function tell(event) {
  const [kind, text] = TELL[event.type](event);
  const line = element('li');
  const time = element('time', 'quiet', clock(event.at));
  time.dateTime = new Date(event.at).toISOString();
  line.append(time, element('i', 'dot ' + kind), element('span', '', text));
  const list = find('#events ol');
  list.prepend(line);
  if (list.children.length > EVENTS_SHOWN) list.lastElementChild.remove();
}

const stream = new EventSource('/admin/v1/events?snapshots=true');
const isStale = (stale, text) => {
  document.body.classList.toggle('stale', stale);
  put(find('#link'), text);
};
stream.addEventListener('open', () => isStale(false, 'connected'));
stream.addEventListener('error', () => isStale(true, 'connection lost, trying again'));
stream.addEventListener('snapshot', ({ data }) => show(JSON.parse(data)));
for (const type of Object.keys(TELL)) stream.addEventListener(type, ({ data }) => tell(JSON.parse(data)));
`;
