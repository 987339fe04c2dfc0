import { expect, test } from 'vitest';
import { hashPrompt } from '../../../../runtime/engine/agent/prompt-hash.ts';
import { toCallId } from '../../../../runtime/timeline/ids.ts';
import type { RenderPart } from '../../../../runtime/timeline/render/parts.ts';

// proves: prompt.form-choice

const call = { kind: 'call', call: toCallId('tc_1'), tool: 'a.b', input: { x: 1 } } as const;
const result = { kind: 'result', call: toCallId('tc_1'), ok: true, text: 'yes' } as const;
const blob = { hash: 'sha256:1', size: 1 };

test('the hash of a prompt covers whose message a part is in, calls, results and reasoning', () => {
  const prompts: readonly RenderPart[] = [
    { kind: 'text', text: 'yes' },
    { kind: 'text', text: 'yes', role: 'assistant' },
    { kind: 'text', text: 'yes', checkpoint: true },
    call,
    { ...call, input: { x: 2 } },
    { ...call, tool: 'a.c' },
    result,
    { ...result, ok: false },
    { kind: 'carry', blob },
    { kind: 'carry', blob: { ...blob, hash: 'sha256:2' } },
  ];
  const hashes = prompts.map((part) => hashPrompt({ system: '', parts: [part] }));
  expect(new Set(hashes).size).toBe(prompts.length);
});
