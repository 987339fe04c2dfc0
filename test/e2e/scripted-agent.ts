import { toCallId } from '../../runtime/timeline/ids.ts';
import { toBlockPath } from '../../runtime/timeline/paths.ts';
import type { Player } from '../runtime/gateway/stage.ts';

const thinking = `The question compares years, so it needs a yardstick: the climate normals.
I profile the table first, then one program computes months and years.`;

const code = `import csv
from collections import defaultdict

rain = defaultdict(float)
with open(f"{OUTPUT_DIR}/attachments/weather.csv", newline="") as file:
    for row in csv.DictReader(file):
        rain[row["date"][:7]] += float(row["precipitation"])
print(max(rain, key=rain.get), round(max(rain.values()), 1), "mm")
`;

export const report = `<!doctype html><style>body{font:15px Georgia;margin:24px;color:#26241f}
h1{font-size:22px}td{padding:4px 14px;border-bottom:1px solid #e7e3d8}</style>
<h1>Four years of weather</h1><p>What was measured, month by month.</p>
<table><tr><td>2012</td><td>1,226 mm</td></tr><tr><td>2013</td><td>828 mm</td></tr>
<tr><td>2014</td><td>1,232 mm</td></tr><tr><td>2015</td><td>1,139 mm</td></tr></table>
<script>document.body.innerHTML = 'a script ran'</script>`;

export const drawing = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 400 120">
<rect x="20" y="40" width="60" height="70" rx="4" fill="#4a7fb5"/><rect x="110" y="20" width="60" height="90" rx="4" fill="#4a7fb5"/>
<rect x="200" y="60" width="60" height="50" rx="4" fill="#d9742b"/><rect x="290" y="10" width="60" height="100" rx="4" fill="#4a7fb5"/></svg>`;

export const answer = `The four years differ **mostly in rain**: 2014 had 1,232 mm, 2013 only 828 mm [Climate normals](https://example.org/normals).

| Year | Mean high | Rain |
| --- | ---: | ---: |
| 2012 | 15.3 °C | 1,226 mm |
| 2013 | 16.1 °C | 828 mm |
| 2014 | 17.0 °C | 1,232 mm |

1. November and December are the wettest months.
2. Summers got warmer, by \`0.4 °C\` a year.

> Four years are short for a trend.`;

async function stream(
  player: Player,
  [marker, text]: readonly [string, string],
  more: object = {},
): Promise<void> {
  for (let at = 0; at < text.length; at += 40) {
    await player.delta(marker, text.slice(at, at + 40), more);
  }
}

/** One turn as a worker would perform it, in parts that a test can look between. */
export const actor = {
  async think(player: Player): Promise<void> {
    const data = { round: 1, phase: 'decision', landed: [{ event_id: 'first', seq: 2 }] };
    await player.append({ type: 'round.open', author: 'system', data });
    await stream(player, ['thinking', thinking]);
  },

  async plan(player: Player): Promise<void> {
    const at = `${player.turn}.1`;
    await player.append(
      {
        type: 'react.thinking',
        author: 'agent',
        text: thinking,
        data: { stream: `${at}.thinking.1` },
      },
      {
        type: 'react.notes',
        author: 'agent',
        text: 'Profiling the table, then comparing months',
        data: { stream: `${at}.notes.1` },
      },
      {
        type: 'react.plan',
        author: 'agent',
        path: toBlockPath(`ar:${player.turn}.react.plan.p1`),
        data: {
          plan_id: 'p1',
          steps: ['Profile the table', 'Compare with the normals', 'Write the report'],
          status: { 1: 'done', 2: 'in_progress', 3: 'pending' },
          current: true,
        },
      },
      {
        type: 'react.tool.call',
        author: 'agent',
        call: toCallId('tc_1'),
        path: toBlockPath(`tc:${player.turn}.tc_1.call`),
        data: {
          tool: 'weather.profile',
          input: { path: toBlockPath('fi:weather.csv') },
          key: 'k',
          effects: 'none',
        },
      },
    );
  },

  async program(player: Player): Promise<void> {
    await player.append({
      type: 'react.tool.result',
      author: 'tool',
      call: toCallId('tc_1'),
      path: toBlockPath(`tc:${player.turn}.tc_1.result`),
      text: '1,461 rows',
      data: { ok: true, ret: { rows: 1461, columns: ['date', 'precipitation', 'temp_max'] } },
    });
    await stream(player, ['code', code]);
    const data = { language: 'python', stream: `${player.turn}.1.code.1` };
    const call = { author: 'agent' as const, call: toCallId('tc_2') };
    await player.append(
      {
        ...call,
        type: 'react.code',
        path: toBlockPath(`fi:${player.turn}.code.tc_2`),
        mime: 'text/x-python',
        text: code,
        data,
      },
      {
        ...call,
        type: 'react.tool.call',
        path: toBlockPath(`tc:${player.turn}.tc_2.call`),
        data: { tool: 'exec_tools.execute_code_python', input: {}, key: 'k2', effects: 'unkeyed' },
      },
    );
    for (let n = 0; n < 3; n += 1)
      player.live('chat.exec.call', {
        call: toCallId('tc_2'),
        id: `${n}`,
        tool: 'weather.normals',
        status: 'started',
      });
    player.live('chat.exec.output', {
      call: toCallId('tc_2'),
      stream: 'stdout',
      text: '2014-11 214.8 mm\n',
    });
  },

  async draw(player: Player): Promise<void> {
    const page = { name: 'report.html', mime: 'text/html', title: 'Report' };
    await stream(player, ['canvas', report], { artifact: page });
    const chart = { name: 'chart.svg', mime: 'image/svg+xml', title: 'Rain' };
    await stream(player, ['canvas', drawing], {
      artifact: chart,
      stream: `${player.turn}.1.canvas.2`,
      instance: 2,
    });
  },

  async answer(player: Player, files: { svg: { hash: string; size: number } }): Promise<void> {
    const at = `${player.turn}.1`;
    await player.append(
      {
        type: 'canvas',
        author: 'agent',
        path: toBlockPath(`ar:${player.turn}.canvas.report.html`),
        mime: 'text/html',
        text: report,
        data: { stream: `${at}.canvas.1`, name: 'report.html', title: 'Report' },
      },
      {
        type: 'canvas',
        author: 'agent',
        path: toBlockPath(`ar:${player.turn}.canvas.chart.svg`),
        mime: 'image/svg+xml',
        text: drawing,
        data: { stream: `${at}.canvas.2`, name: 'chart.svg', title: 'Rain' },
      },
      {
        type: 'react.tool.result',
        author: 'tool',
        call: toCallId('tc_2'),
        path: toBlockPath(`tc:${player.turn}.tc_2.result`),
        text: 'ok',
        data: { ok: true, ret: {} },
      },
      {
        type: 'artifact.file',
        author: 'tool',
        call: toCallId('tc_2'),
        path: toBlockPath(`fi:${player.turn}.outputs/rain.svg`),
        mime: 'image/svg+xml',
        blob: files.svg,
        data: { filename: 'rain.svg', size: files.svg.size, visibility: 'external' },
      },
      {
        type: 'artifact.file',
        author: 'tool',
        call: toCallId('tc_2'),
        path: toBlockPath(`fi:${player.turn}.outputs/report.html`),
        mime: 'text/html',
        text: report,
        data: { filename: 'report.html', size: report.length, visibility: 'external' },
      },
      {
        type: 'source.row',
        author: 'tool',
        path: toBlockPath('so:sources_pool[1]'),
        data: { sid: 1, title: 'Climate normals', url: 'https://example.org/normals' },
      },
    );
    await stream(player, ['answer', answer]);
  },

  async end(player: Player): Promise<void> {
    const followups = ['Which month was the wettest?', 'Show me the summers'];
    await player.answer(answer, { followups });
    await player.close(answer);
  },
};
