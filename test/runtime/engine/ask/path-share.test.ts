import { expect, test } from 'vitest';
import { z } from 'zod';
import type { Reply } from '../../../../runtime/adapters/models/scripted/reply.ts';
import { createScriptedModel } from '../../../../runtime/adapters/models/scripted/scripted-model.ts';
import type { Model, ModelRequest } from '../../../../runtime/engine/ports/model.ts';
import { refsIn } from '../../../../runtime/timeline/compact/refs.ts';
import { emptyView, foldArchive } from '../../../../runtime/timeline/fold/fold.ts';
import { resolve } from '../../../../runtime/timeline/resolve/resolve.ts';
import { countTokens } from '../../../../runtime/timeline/tokens.ts';
import { createTool } from '../../../../runtime/tools/definition/create-tool.ts';
import { controlTools } from '../../../../runtime/tools/react/control-tools.ts';
import { patient } from '../../../tools/machine-speed.ts';
import { envelope, execTool } from '../../tools/exec/kit.ts';
import { openHarness } from '../kit/harness.ts';

const turns = 8;

const query = createTool({
  id: 'data.query',
  description: 'Rows of a table, as a file too.',
  kind: 'bundle',
  traits: ['exploration'],
  input: z.object({ table: z.string() }),
  run: async ({ table }, { services }) => {
    const rows = Array.from({ length: 75 }, (_, day) => ({ day, rain_mm: (day * 7) % 13 }));
    const csv = rows.map(({ day, rain_mm }) => `${day},${rain_mm}`).join('\n');
    const filepath = `outputs/${table}.csv`;
    const file = await services.writeFile({ filepath, bytes: new TextEncoder().encode(csv) });
    const url = `https://data.example/${table}`;
    await services.addSources([{ url, title: `Rainfall, table ${table}` }]);
    return { result: { ok: true, ret: { rows, file: { ...file } } } };
  },
});

const program = execTool(async function* (request) {
  const artifacts = request.contract.map((item) => ({
    ...item,
    mime: 'text/html',
    blob: { hash: 'sha256:00', size: 12_345 },
  }));
  const files = artifacts.map(
    ({ filepath }) => `- ${filepath} (12,345 bytes, text/html, external)`,
  );
  const printed = Array.from({ length: 48 }, (_, n) => `month ${n + 1}: mean ${n * 1.7} mm`);
  const report_text = `Status: ok\n\n## Files\n${files.join('\n')}\n\n## stdout\n${printed.join('\n')}`;
  yield envelope(request, { artifacts, report_text });
});

/** An agent that copies its paths from the prompt, as a model does. */
function analyst(): Model & { readonly prompts: string[] } {
  const prompts: string[] = [];
  return {
    id: 'scripted:analyst',
    contextTokens: 200_000,
    costUsd: () => 0,
    prompts,
    async *stream(request: ModelRequest, options) {
      const prompt = request.parts.map(({ text }) => text).join('');
      prompts.push(prompt);
      yield* createScriptedModel([replyTo(prompt)], { id: 'scripted:analyst' }).stream(
        request,
        options,
      );
    },
  };
}

function replyTo(prompt: string): Reply {
  const round = Number(/ANNOUNCE - Round (\d+)/.exec(prompt)?.[1]);
  const turn = prompt.split('[USER MESSAGE]').length - 1;
  const last = (pattern: RegExp) => [...prompt.matchAll(pattern)].at(-1)?.[0] ?? '';
  const thinking = `Round ${round}: what came back looks complete, the units are millimetres, and the next thing to do is clear.`;
  const notes = 'Looking at the rainfall of the last two years';
  const made = last(/\bfi:\S+\.outputs\/[\w.]+/g);
  const table = `rain_${turn}`;
  switch (round) {
    case 1:
      return {
        thinking,
        call: { tool: 'react.memsearch', input: { query: 'rainfall of spring' }, notes },
      };
    case 2:
      return { thinking, call: { tool: 'data.query', input: { table }, notes } };
    case 3:
      return { thinking, call: { tool: 'react.read', input: { paths: [made] }, notes } };
    case 4: {
      const contract = [{ filepath: `outputs/report_${turn}.html`, description: 'the report' }];
      const code = `rows = open(f"{OUTPUT_DIR}/outputs/${table}.csv").read().splitlines()\nfor row in rows:\n    day, mm = row.split(",")\n    print(day, float(mm))\n`;
      return {
        thinking,
        code,
        call: { tool: 'exec_tools.execute_code_python', input: { contract }, notes },
      };
    }
    case 5: {
      const content = `# Findings\n\n${'The wettest month had twice the rain of the driest one. '.repeat(6)}\n\nSee ${made}.`;
      return {
        thinking,
        call: {
          tool: 'react.write',
          input: { path: `files/notes_${turn}.md`, channel: 'internal', content },
          notes,
        },
      };
    }
    default:
      return {
        thinking,
        answer: `${'The rain of spring was above the mean of the last ten years. '.repeat(5)}[[S:1]]`,
        summary: `Goal: rainfall of table ${table}. Outcome: report made. Open: nothing. Key facts: 12 months. Refs: ${made}. Anchors: rainfall, ${table}`,
      };
  }
}

// proves: paths.share, paths.short-in-prompts
test(
  'paths take at most 8 % of the tokens of a long timeline, and every one of them resolves',
  async () => {
    const model = analyst();
    await using harness = await openHarness([], {
      through: () => model,
      tools: [query, program, ...controlTools],
    });
    for (let turn = 1; turn <= turns; turn += 1) {
      await harness.say(
        `Please look at the rainfall of table ${turn} and tell me what is unusual in it.`,
      );
      await harness.closed(turn);
      await harness.idle();
    }
    const prompt = model.prompts.at(-1) ?? '';
    const paths = prompt.match(/\b(?:ar|tc|fi|ws|su|so):[^\s"'`<>()|,;]+/g) ?? [];
    const tokens = paths.reduce((sum, path) => sum + countTokens(path), 0);
    expect(paths.length).toBeGreaterThan(150);
    expect(tokens / countTokens(prompt)).toBeLessThanOrEqual(0.08);
    expect(prompt).not.toMatch(/turn_[0-9a-z]{20}|tc_[0-9a-z]{20}/);
    const archive = foldArchive(emptyView, await harness.blocks());
    const lost = refsIn(prompt).filter((path) => resolve(archive, path) === undefined);
    expect(lost).toEqual(['so:sources_pool[n]']);
  },
  patient(60_000),
);
