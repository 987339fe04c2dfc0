import { connect } from '/assets/client.js';
import { toFindings } from './findings.js';

const board = document.querySelector('#board');
const state = document.querySelector('#state');
let stream;
let text = '';

for await (const delta of connect().canvas()) {
  if (delta.stream !== stream) {
    stream = delta.stream;
    text = '';
  }
  text = text.slice(0, delta.offset) + delta.text;
  show(toFindings(text, { whole: delta.completed }), delta.completed);
}

/** Keeps the cards that are there, so that only a new one moves. */
function show(findings, completed) {
  findings.forEach((finding, index) => {
    const key = JSON.stringify(finding);
    const card = board.children[index];
    if (card?.dataset.key === key) return;
    const next = toCard(finding, key);
    if (card) card.replaceWith(next);
    else board.append(next);
  });
  while (board.children.length > findings.length) board.lastElementChild.remove();
  const count = `${findings.length} ${findings.length === 1 ? 'finding' : 'findings'}`;
  state.textContent = completed ? count : `${count}, more coming`;
  state.classList.toggle('live', !completed);
}

function toCard({ label, value, note, tone, series }, key) {
  const card = document.createElement('article');
  card.dataset.key = key;
  card.style.setProperty('--tone', `var(--${tone})`);
  card.append(element('h2', label), element('strong', value));
  if (note) card.append(element('p', note));
  if (series.length > 1) card.append(toChart(series));
  return card;
}

function element(name, text) {
  const made = document.createElement(name);
  made.textContent = text;
  return made;
}

function toChart(series) {
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  const most = Math.max(...series, 0.001);
  const step = 100 / series.length;
  svg.setAttribute('viewBox', '0 0 100 34');
  svg.setAttribute('preserveAspectRatio', 'none');
  series.forEach((value, index) => {
    const bar = document.createElementNS(svg.namespaceURI, 'rect');
    const height = Math.max(1, (33 * Math.max(0, value)) / most);
    const box = { x: index * step + step * 0.1, y: 34 - height, width: step * 0.8, height };
    for (const [name, size] of Object.entries(box)) bar.setAttribute(name, String(size));
    svg.append(bar);
  });
  return svg;
}
