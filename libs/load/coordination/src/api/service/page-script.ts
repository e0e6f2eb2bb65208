/** The page's program: asks for edges and runs each second, and builds text nodes only, never markup. */
export const PAGE_SCRIPT = String.raw`
const PERIOD_MS = 1000;
const HISTORY = 120;
const HISTORY_MIN = 30;
const WINDOW_S = 4;
const SVG = 'http://www.w3.org/2000/svg';
const TONES = { Running: 'busy', Starting: 'warn', Failed: 'bad', held: 'good', failed: 'bad', unknown: 'warn',
  reservations: 'warn', pass: 'good', fail: 'bad',
  inconclusive: 'warn', degraded: 'warn', connected: 'good', stale: 'warn', disconnected: 'bad' };
const find = (selector) => document.querySelector(selector);
const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });
const fine = new Intl.NumberFormat('en', { maximumSignificantDigits: 3 });
const count = (value) => (value == null ? '–' : whole.format(value));
const ms = (value) => (value == null ? '–' : fine.format(value) + ' ms');
const words = (name) => name.replaceAll('_', ' ');

function element(tag, className, ...content) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  made.append(...content.map((item) => (item instanceof Node ? item : String(item))));
  return made;
}
const pill = (word) => element('span', 'pill ' + (TONES[word] || ''), words(word));
const figure = (name, value) => element('div', '', element('b', '', value), element('span', '', name));

/** A column whose name ends in # holds numbers. */
function table(names, rows) {
  const side = (at) => (names[at].endsWith('#') ? 'number' : '');
  const head = element('tr', '', ...names.map((name, at) => element('th', side(at), name.replace('#', ''))));
  const body = rows.map((cells) => element('tr', '', ...cells.map((cell, at) => element('td', side(at), cell))));
  return element('table', '', element('thead', '', head), element('tbody', '', ...body));
}

const rates = [];
let samples = [];
let watched = '';
/** Edges say how far they are once a second: a rate is that of the last few seconds, by the run's own clock. */
function noteRate(run) {
  if (watched !== run.run_id) {
    watched = run.run_id;
    samples = [];
    rates.length = 0;
  }
  const elapsed = run.elapsed_s ?? 0;
  const before = samples.at(-1);
  if (run.elapsed_s === null || (before !== undefined && elapsed <= before.elapsed)) return;
  samples.push({ elapsed, sent: run.progress.sent });
  // What was sent before the page was opened belongs to no second that it has seen.
  if (before === undefined) return;
  while (samples.length > 2 && elapsed - samples[1].elapsed >= WINDOW_S) samples.shift();
  const [first] = samples;
  rates.push((run.progress.sent - first.sent) / (elapsed - first.elapsed));
  if (rates.length > HISTORY) rates.shift();
}

/** The least of 1, 2, 5, 10, 20, 50, … that is not below. */
function roundUp(value) {
  const power = 10 ** Math.floor(Math.log10(value));
  return [1, 2, 5, 10].map((step) => step * power).find((step) => step >= value);
}
function shape(tag, className, points) {
  const made = document.createElementNS(SVG, tag);
  made.setAttribute('class', className);
  made.setAttribute('points', points);
  made.setAttribute('vector-effect', 'non-scaling-stroke');
  return made;
}
const axis = (className, ...labels) =>
  element('div', className, ...labels.map((label) => element('span', 'quiet', label)));

/** The rate of the last two minutes; labels stand beside the drawing, which is stretched to its place. */
function curve() {
  const svg = document.createElementNS(SVG, 'svg');
  const span = Math.max(HISTORY_MIN, rates.length) - 1;
  svg.setAttribute('viewBox', '0 0 ' + span + ' 100');
  svg.setAttribute('preserveAspectRatio', 'none');
  svg.setAttribute('role', 'img');
  svg.setAttribute('aria-label', 'transactions sent a second, the last two minutes');
  const most = roundUp(Math.max(1, ...rates));
  const from = span + 1 - rates.length;
  const line = rates.map((rate, at) => from + at + ',' + (100 - (rate / most) * 100)).join(' ');
  for (const height of [0, 50, 100]) svg.append(shape('polyline', 'grid', '0,' + height + ' ' + span + ',' + height));
  svg.append(shape('polygon', 'area', from + ',100 ' + line + ' ' + span + ',100'), shape('polyline', 'curve', line));
  return element('figure', '', element('figcaption', 'quiet', 'sent a second'),
    element('div', 'plot', axis('y', count(most), fine.format(most / 2), '0'), svg,
      axis('x', span + ' s ago', Math.round(span / 2) + ' s ago', 'now')));
}

/** Of all edges together: each reads the whole feed. */
const FEED = { feed_gaps: 'numbers left out', feed_duplicates: 'duplicates', feed_reorganisations: 'reorganisations',
  feed_disconnects: 'disconnects', correlation_misses: 'transactions missed' };
function factsOf(run) {
  const facts = [];
  if (run.waiting_for.length > 0) facts.push('waits for ' + run.waiting_for.join(', '));
  for (const { edge_id, reason } of run.refusals) facts.push(edge_id + ' refuses: ' + reason);
  if (run.reason !== null && run.verdict === null) facts.push(words(run.reason));
  for (const [check, found] of Object.entries(run.violations))
    if (found > 0 && run.verdict === null) facts.push(check + ': ' + count(found) + ' violations');
  const feed = Object.entries(FEED).filter(([name]) => run.progress[name] > 0);
  if (feed.length > 0 && run.verdict === null)
    facts.push('feed: ' + feed.map(([name, what]) => count(run.progress[name]) + ' ' + what).join(', '));
  for (const { edge_id, is_silent } of run.edges)
    if (is_silent) facts.push(edge_id + ' is silent');
  for (const { code, edge_id, message } of run.findings)
    facts.push((edge_id === null ? words(code) : edge_id) + ': ' + message);
  return facts;
}

/** How a run stands; of one that has ended its verdict tells, and a word that it has ended is no praise. */
function standOf(run) {
  if (run.verdict === null) return pill(run.status);
  const stand = element('span', '', pill(run.status), ' ', pill(run.verdict.state));
  stand.title = run.headline;
  return stand;
}
function verdictOf({ verdict, headline }) {
  if (verdict === null) return [];
  const head = verdict.reasons.length === 0 ? headline : headline.slice(0, headline.indexOf(':'));
  const reasons = verdict.reasons.map(({ message }) => element('li', '', message));
  const box = element('div', 'verdict ' + (TONES[verdict.state] || ''), element('b', '', head));
  if (reasons.length > 0) box.append(element('ul', '', ...reasons));
  return [box];
}

function clockOf({ elapsed_s, planned_s, phase }) {
  if (elapsed_s === null || (phase !== 'steady' && phase !== 'warmup')) return '';
  return ' · ' + count(Math.min(elapsed_s, planned_s)) + ' of ' + count(planned_s) + ' s';
}

function showRun(run) {
  if (run === null) {
    find('#run').replaceChildren(
      element('p', 'quiet', 'No run yet. Start one: bin/plexus-hive run scenario.yaml --wait'));
    return;
  }
  noteRate(run);
  const { progress, latencies } = run;
  const feed = latencies.feed_latency || {};
  const answer = latencies.ack_latency || {};
  const isRunning = run.status === 'Running';
  const head = element('div', 'head', element('b', '', run.name), standOf(run));
  if (run.is_degraded) head.append(pill('degraded'));
  if (run.phase !== null) head.append(element('span', 'quiet', words(run.phase) + clockOf(run)));
  for (const [check, { verdict }] of Object.entries(run.oracle))
    head.append(element('span', 'quiet', check), pill(verdict));
  const parts = [head, ...verdictOf(run), ...factsOf(run).map((fact) => element('p', 'quiet', fact))];
  if (isRunning && run.elapsed_s !== null && run.planned_s > 0) {
    const bar = element('progress', '');
    bar.max = run.planned_s;
    bar.value = Math.max(0, Math.min(run.elapsed_s, run.planned_s));
    parts.push(bar);
  }
  parts.push(element('div', 'figures',
    figure('sent a second', isRunning && rates.length > 0 ? count(rates[rates.length - 1]) : '–'),
    figure('planned', count(progress.planned)), figure('sent', count(progress.sent)),
    figure('not sent', count(progress.not_sent)), figure('included', count(progress.included)),
    figure('reverted', count(progress.reverted)), figure('rejected', count(progress.rejected)),
    figure('in flight', count(progress.in_flight)), figure('unknown', count(progress.unknown)),
    figure('p50 to the feed', ms(feed.p50)), figure('p99 to the feed', ms(feed.p99)),
    figure('p99 to the answer', ms(answer.p99))));
  if (isRunning && rates.length > 1) parts.push(curve());
  find('#run').replaceChildren(...parts);
}

/** What an edge does in the run that goes on. */
function partOf(run, edgeId) {
  const own = run === null ? undefined : run.edges.find(({ edge_id }) => edge_id === edgeId);
  if (own === undefined || run.status === 'Completed' || run.status === 'Failed') return '–';
  return words(own.state) + (own.sent > 0 ? ', ' + count(own.sent) + ' sent' : '');
}

function showEdges(edges, run) {
  const rows = edges.map((edge) => [
    element('b', '', edge.edge_id), pill(edge.status), partOf(run, edge.edge_id), edge.hostname,
    edge.rpc.ok ? 'chain ' + edge.rpc.chain_id : '–',
    edge.feed.connected ? 'at ' + count(edge.feed.last_sequence) : '–',
    edge.clock === null ? '–' : fine.format(edge.clock.offset_ms) + ' ± ' + ms(edge.clock.error_ms),
    edge.last_heartbeat_at === null ? '–' : edge.last_heartbeat_at.slice(11, 19),
  ]);
  find('#edges').replaceChildren(rows.length === 0
    ? element('p', 'quiet', 'No edge is registered. Start one: bin/plexus-edge --config edge.toml')
    : table(['edge', 'link', 'in the run', 'host', 'RPC', 'feed', 'clock#', 'heard (UTC)#'], rows));
}

function showRuns(runs) {
  const rows = runs.map((run) => {
    const link = element('a', '', 'report');
    link.href = '/runs/' + encodeURIComponent(run.run_id) + '/report?format=html';
    link.addEventListener('click', openWithKey);
    const isOver = run.status === 'Completed' || run.status === 'Failed';
    const at = run.created_at.slice(0, 16).replace('T', ' ');
    return [element('code', '', run.run_id), run.name, standOf(run), at, isOver ? link : ''];
  });
  find('#runs').replaceChildren(
    rows.length === 0 ? element('p', 'quiet', 'None.') : table(['run', 'scenario', 'status', 'made (UTC)', ''], rows));
}

const KEY = 'plexus-hive-key';
const keyBox = find('#key');
keyBox.value = sessionStorage.getItem(KEY) ?? '';
keyBox.addEventListener('input', () => sessionStorage.setItem(KEY, keyBox.value));

async function request(path) {
  const key = keyBox.value;
  const reply = await fetch(path, { headers: key === '' ? {} : { authorization: 'Bearer ' + key } });
  if (reply.status === 401) keyBox.hidden = false;
  if (!reply.ok) throw new Error(path + ' answers ' + reply.status);
  return reply;
}
const ask = async (path) => (await request(path)).json();

/** A link carries no key: what it leads to is fetched with it, and shown from memory. */
async function openWithKey(event) {
  if (keyBox.value === '') return;
  event.preventDefault();
  const shown = window.open('', '_blank');
  try {
    const reply = await request(event.currentTarget.getAttribute('href'));
    shown.location = URL.createObjectURL(await reply.blob());
  } catch (error) {
    shown?.close();
    find('#link').textContent = error.message;
  }
}

async function look() {
  try {
    const [{ edges }, { runs }] = await Promise.all([ask('/edges'), ask('/runs')]);
    const run = runs.length === 0 ? null : await ask('/runs/' + encodeURIComponent(runs[0].run_id));
    showRun(run);
    showEdges(edges, run);
    showRuns(runs);
    find('#link').textContent = 'live';
  } catch (error) {
    find('#link').textContent = 'no answer: ' + error.message;
  }
  setTimeout(look, PERIOD_MS);
}
look();
`;
