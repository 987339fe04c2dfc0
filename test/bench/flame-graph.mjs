import { readFileSync, writeFileSync } from 'node:fs';

/**
 * Draws a processor profile as a flame graph: `node test/bench/flame-graph.mjs PROFILE SVG TITLE`. The width of a frame is
 * its share of the busy time. Node's own frames below the first frame of the program are left out, since most of our
 * code continues from a promise and has no caller.
 */
const [, , file, target, title] = process.argv;
const { nodes, samples, timeDeltas } = JSON.parse(readFileSync(file, 'utf8'));
const [width, row, shareMin, depthMax] = [1200, 16, 0.004, 18];

const byId = new Map(nodes.map((node) => [node.id, node]));
for (const node of nodes) for (const child of node.children ?? []) byId.get(child).parent = node;

/** Colours by where the code is from. */
const areas = [
  ['channels', /\/runtime\/channels\//, '#e8a33d'],
  ['timeline', /\/runtime\/timeline\//, '#6fae5c'],
  ['engine, tools', /\/runtime\/(engine|tools|sdk)\//, '#e0694e'],
  ['adapters', /\/runtime\/adapters\//, '#4f8fc4'],
  ['other rooms', /\/(runtime|supervisor|test)\//, '#b08ac9'],
  ['libraries', /node_modules/, '#b9b9a8'],
  ['Node', /./, '#d9d9d4'],
];
const areaOf = ({ callFrame: { url } }) =>
  areas.find(([, pattern]) => pattern.test(url || 'native'));
const isNode = ({ callFrame: { url } }) => url === '' || url.startsWith('node:');
const ignored = new Set(['(idle)', '(root)', 'post', 'cpuUsage']);

const root = { name: '', value: 0, children: new Map() };
samples.forEach((id, index) => {
  const stack = stackOf(byId.get(id));
  if (ignored.has(stack.at(-1).callFrame.functionName)) return;
  const first = stack.findIndex((node) => !isNode(node));
  const shown = first < 0 ? stack.slice(-3) : stack.slice(first);
  root.value += timeDeltas[index];
  add(root, shown.slice(0, depthMax), timeDeltas[index]);
});

function stackOf(node) {
  return node === undefined ? [] : [...stackOf(node.parent), node];
}

function add(parent, [node, ...above], time) {
  if (node === undefined) return;
  const { functionName, url } = node.callFrame;
  const name = functionName || '(anonymous)';
  const key = `${name} ${url}`;
  const child = parent.children.get(key) ?? {
    name,
    area: areaOf(node),
    value: 0,
    children: new Map(),
  };
  parent.children.set(key, child);
  child.value += time;
  add(child, above, time);
}

const escaped = (text) => text.replace(/[<>&"]/g, (char) => `&#${char.charCodeAt(0)};`);
const frames = [];
let deepest = 0;
function draw(node, left, depth) {
  let x = left;
  for (const child of [...node.children.values()].sort((a, b) => b.value - a.value)) {
    const share = child.value / root.value;
    if (share < shareMin) continue;
    const w = share * width;
    const label = w > 40 ? child.name.slice(0, Math.floor(w / 6.5)) : '';
    frames.push({
      x,
      depth,
      w,
      label,
      colour: child.area[2],
      tip: `${child.name} ${(share * 100).toFixed(1)} %`,
    });
    deepest = Math.max(deepest, depth);
    draw(child, x, depth + 1);
    x += w;
  }
}
draw(root, 0, 0);

const height = (deepest + 1) * row + 60;
const legend = areas.map(
  ([name, , colour], index) =>
    `<rect x="${10 + index * 130}" y="32" width="12" height="12" fill="${colour}"/><text x="${26 + index * 130}" y="42">${name}</text>`,
);
const drawn = frames.map(({ x, depth, w, label, colour, tip }) => {
  const y = height - (depth + 1) * row;
  const text = label
    ? `<text x="${(x + 3).toFixed(1)}" y="${y + 12}">${escaped(label)}</text>`
    : '';
  return `<g><title>${escaped(tip)}</title><rect x="${x.toFixed(1)}" y="${y}" width="${Math.max(0.5, w - 0.5).toFixed(1)}" height="${row - 1}" fill="${colour}"/>${text}</g>`;
});
writeFileSync(
  target,
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="11" role="img">
<title>${escaped(title)}</title>
<rect width="${width}" height="${height}" fill="#ffffff"/>
<text x="10" y="20" font-size="14">${escaped(title)}</text>
${[...legend, ...drawn].join('\n')}
</svg>
`,
);
