import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { declaredChannels } from '../../../../runtime/channels/protocol/channel.ts';
import { protocols } from '../../../../runtime/channels/protocol/reply-piece.ts';
import {
  instructionOf,
  instructionVersionOf,
  systemText,
} from '../../../../runtime/engine/agent/instruction.ts';
import { systemTokensMax } from '../../../../runtime/engine/limits.ts';
import { countTokens } from '../../../../runtime/timeline/tokens.ts';

// proves: engine.instruction

const instruction = instructionOf({ protocol: 'channels' });

test.each(protocols)('the %s instruction has a version and stays within its limit', (protocol) => {
  expect(instructionVersionOf({ protocol })).toMatch(/^timeloom-(\w+-)?\d+$/);
  expect(countTokens(instructionOf({ protocol }))).toBeLessThanOrEqual(systemTokensMax);
});

test('the instruction explains every declared channel', () => {
  for (const { name } of declaredChannels) expect(instruction).toContain(`<channel:${name}`);
});

/** A changed text needs a new version; with both unchanged, prompts of running conversations keep their cache. */
test.each([
  [true, '17279a2e93e78a8fe1168d010a942b5d4c7d7b7df1271bb1807fca815675dbe4'],
  [false, '880e562cd92aea559891c5584ced066b925b91cb98997ea3fccb69cf36ded755'],
] as const)(
  'the instruction for channels (with programs: %s) has the bytes of its version',
  (hasPrograms, digest) => {
    const text = instructionOf({ protocol: 'channels', hasPrograms });
    expect(instructionVersionOf({ protocol: 'channels' })).toBe('timeloom-21');
    expect(createHash('sha256').update(text).digest('hex')).toBe(digest);
  },
);

test.each(['channels', 'native-tools'] as const)(
  'the %s instruction lists what may share a reply with a program',
  (protocol) => {
    const text = instructionOf({ protocol });
    for (const first of ['pull', 'write or patch'])
      expect(text).toMatch(new RegExp(`^- fine: .*${first} .*\\+ (?:read or )?program`, 'm'));
  },
);

// proves: steer.work
test.each(protocols)(
  'the %s instruction says what becomes of an open plan after a steer',
  (protocol) => {
    const text = instructionOf({ protocol });
    expect(text).toMatch(/STEER DURING TURN.*open plan that still fits; else replace or close it/);
  },
);

test.each(protocols)(
  'the %s instruction of an agent without exec tools does not mention programs',
  (protocol) => {
    const text = instructionOf({ protocol, hasPrograms: false });
    expect(text).not.toMatch(/\bprograms?\b|\bexec|channel:code|OUTPUT_DIR/i);
    expect(text).toContain('# Finishing');
  },
);

test('tools that are offered beside the text are not listed in it', () => {
  const text = systemText({
    protocol: 'native-tools',
    agent: '',
    tools: '',
    skills: '',
    channels: [],
  });
  expect(text).not.toContain('# Tools');
  expect(text).not.toContain('ReactDecisionOutV2');
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
