import { expect, test } from 'vitest';
import { declaredChannels } from '../../../../runtime/channels/protocol/channel.ts';
import {
  instruction,
  instructionVersion,
  systemText,
} from '../../../../runtime/engine/agent/instruction.ts';
import { systemTokensMax } from '../../../../runtime/engine/limits.ts';
import { countTokens } from '../../../../runtime/timeline/tokens.ts';

// proves: engine.instruction
test('the instruction has a version and stays within its token limit', () => {
  expect(instructionVersion).toMatch(/^timeloom-\d+$/);
  expect(countTokens(instruction)).toBeLessThanOrEqual(systemTokensMax);
});

test('the instruction explains every declared channel', () => {
  for (const { name } of declaredChannels) expect(instruction).toContain(`<channel:${name}`);
});

test('catalogues follow the protocol in a stable order, and an empty one has no heading', () => {
  const bare = systemText({ agent: '', tools: '', skills: '', channels: [] });
  expect(bare.startsWith(instruction)).toBe(true);
  expect(bare).not.toContain('# Skills');
  const risk = { id: 'risk', format: 'markdown', description: 'What could go wrong.' };
  const full = systemText({ agent: 'Be kind.', tools: 'T', skills: 'S', channels: [risk] });
  const places = ['<channel:risk>', 'Be kind.', '# Tools\nT', '# Skills\nS'].map((text) =>
    full.indexOf(text),
  );
  expect(places).toEqual(places.toSorted((a, b) => a - b));
  expect(places.every((place) => place > 0)).toBe(true);
});
