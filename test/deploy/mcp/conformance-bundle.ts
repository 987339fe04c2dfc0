import { crc32, deflateSync } from 'node:zlib';
import { z } from 'zod';
import {
  defineAgent,
  defineBundle,
  defineKnowledge,
  defineSkill,
  defineTool,
  refuse,
} from '../../../runtime/sdk/index.ts';

const nothing = z.object({});

const texts = ['simple_text', 'logging_tool'].map((name) =>
  defineTool({
    id: `test.${name}`,
    description: 'Returns a text.',
    input: nothing,
    effects: 'none',
    run: () => 'This is a simple text response for testing.',
  }),
);
const logging = defineTool({
  id: 'test.tool_with_logging',
  description: 'Says what it does.',
  input: nothing,
  async *run() {
    yield 'Tool execution started';
    yield 'Tool processing data';
    yield 'Tool execution completed';
    return 'done';
  },
});
const defaults = defineTool({
  id: 'test.elicitation_sep1034_defaults',
  description: 'Asks a person first, who sees the defaults.',
  input: z.object({
    name: z.string().default('John Doe'),
    age: z.int().default(30),
    score: z.number().default(95.5),
    status: z.enum(['active', 'inactive', 'pending']).default('active'),
    verified: z.boolean().default(true),
  }),
  approval: 'always',
  run: (input) => JSON.stringify(input),
});
const named = (value: string, title: string) => z.literal(value).meta({ title });
const enums = defineTool({
  id: 'test.elicitation_sep1330_enums',
  description: 'Asks a person first, who chooses.',
  input: z.object({
    untitledSingle: z.enum(['option1', 'option2', 'option3']).optional(),
    titledSingle: z.union([named('value1', 'First'), named('value2', 'Second')]).optional(),
    legacyEnum: z
      .enum(['opt1', 'opt2'])
      .meta({ enumNames: ['Option One', 'Option Two'] })
      .optional(),
    untitledMulti: z.array(z.enum(['option1', 'option2', 'option3'])).optional(),
    titledMulti: z.array(z.union([named('value1', 'First'), named('value2', 'Second')])).optional(),
  }),
  approval: 'always',
  run: (input) => JSON.stringify(input),
});
const fail = defineTool({
  id: 'test.error_handling',
  description: 'Fails.',
  input: nothing,
  run: () => refuse('intended', 'This tool intentionally returns an error for testing'),
});
const progress = defineTool({
  id: 'test.tool_with_progress',
  description: 'Says how far it is.',
  input: nothing,
  async *run() {
    for (const step of [0, 50, 100]) yield `${step} %`;
    return 'done';
  },
});
const image = defineTool({
  id: 'test.image_content',
  description: 'Draws a pixel.',
  input: nothing,
  run: async (_, ctx) => (await ctx.files.write('outputs/pixel.png', pixel())).path,
});
const audio = defineTool({
  id: 'test.audio_content',
  description: 'Plays silence.',
  input: nothing,
  run: async (_, ctx) => (await ctx.files.write('outputs/silence.wav', silence())).path,
});
const page = defineTool({
  id: 'test.embedded_resource',
  description: 'Writes a text.',
  input: nothing,
  run: async (_, ctx) => (await ctx.files.write('outputs/note.txt', 'A text.')).path,
});
const mixed = defineTool({
  id: 'test.multiple_content_types',
  description: 'Draws and writes.',
  input: nothing,
  async run(_, ctx) {
    await ctx.files.write('outputs/pixel.png', pixel());
    await ctx.files.write('outputs/note.json', '{"test":"data"}');
    return 'Multiple content types test:';
  },
});
/** Under each of these names the suite asks for a tool that asks a person first. */
const asking = [
  ...['elicitation', 'streaming_elicitation'],
  ...['elicitation', 'request_state', 'tampered_state', 'capabilities'].map(
    (name) => `input_required_result_${name}`,
  ),
].map((name) =>
  defineTool({
    id: `test.${name}`,
    description: 'Asks a person first.',
    input: z.looseObject({}),
    approval: 'always',
    run: () => 'allowed',
  }),
);

const greeting = defineSkill({
  id: 'test-simple-prompt',
  name: 'test-simple-prompt',
  description: 'A greeting.',
  text: 'This is a simple prompt for testing.',
});

const filled = defineSkill({
  id: 'test-prompt-with-arguments',
  name: 'test-prompt-with-arguments',
  description: 'A text with two arguments.',
  text: "Prompt with arguments: arg1='{{arg1}}', arg2='{{arg2}}'",
  arguments: [
    { name: 'arg1', description: 'First test argument', required: true, values: ['test', 'tell'] },
    { name: 'arg2', description: 'Second test argument', required: true },
  ],
});

const embedding = defineSkill({
  id: 'test-prompt-with-embedded-resource',
  name: 'test-prompt-with-embedded-resource',
  description: 'A text that names a page, which comes with it.',
  text: 'Please process the page {{resourceUri}}.',
  arguments: [{ name: 'resourceUri', description: 'URI of the page', required: true }],
});
const picturing = defineSkill({
  id: 'test-prompt-with-image',
  name: 'test-prompt-with-image',
  description: 'A text that names an image, which comes with it.',
  text: 'Please analyze the image ks:static-binary.',
});

const pages: Readonly<Record<string, { mime: string; body: string | Uint8Array }>> = {
  'example-resource': { mime: 'text/plain', body: 'Embedded resource content for testing.' },
  'static-text': { mime: 'text/plain', body: 'This is the content of the static text resource.' },
  'static-binary': { mime: 'image/png', body: pixel() },
};
const knowledge = defineKnowledge({
  search: async () => [],
  async read(path) {
    const [, id] = /^template\/(\w+)\/data$/.exec(path) ?? [];
    if (id !== undefined) return { mime: 'application/json', body: JSON.stringify({ id }) };
    return pages[path];
  },
});

const main = defineAgent({ id: 'main', instruction: 'Help.', tools: texts });

/** What the suite can change in the bundle: its lists, by loading it again. */
export type Changes = {
  /** Things that the bundle has beside those that it always has. */
  readonly more: { tools: number; prompts: number };
  /** Loads the bundle with them. */
  reload(): Promise<unknown>;
};

function changing({ more, reload }: Changes) {
  const trigger = (list: keyof Changes['more']) => async () => {
    more[list] += 1;
    await reload();
    return `the ${list} have changed`;
  };
  return [
    ['test.trigger_tool_change', trigger('tools')] as const,
    ['test.trigger_prompt_change', trigger('prompts')] as const,
  ].map(([id, run]) =>
    defineTool({ id, description: 'Loads the bundle with one more.', input: nothing, run }),
  );
}

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

/** What the conformance suite of MCP asks a server to have, as a bundle. */
export function conformanceBundle(changes: Changes) {
  const { more } = changes;
  const added = numbers(more.tools).map((n) =>
    defineTool({ id: `test.added_${n}`, description: 'New.', input: nothing, run: () => n }),
  );
  const skills = numbers(more.prompts).map((n) =>
    defineSkill({ id: `added-${n}`, name: `added-${n}`, description: 'New.', text: 'New.' }),
  );
  const tools = [...texts, logging, defaults, enums, fail, progress, image, audio, page, mixed];
  return defineBundle({
    id: 'conformance',
    version: '1',
    agents: [main],
    skills: [greeting, filled, embedding, picturing, ...skills],
    knowledge,
    mcp: {
      expose: [{ id: 'suite', tools: [...tools, ...asking, ...changing(changes), ...added] }],
    },
  });
}

/** A PNG of one red pixel. */
function pixel(): Uint8Array {
  const header = Buffer.from([0, 0, 0, 1, 0, 0, 0, 1, 8, 2, 0, 0, 0]);
  const chunks = [
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(Buffer.from([0, 255, 0, 0]))),
    chunk('IEND', Buffer.alloc(0)),
  ];
  return Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), ...chunks]);
}

function chunk(type: string, data: Uint8Array): Buffer {
  const [length, body] = [Buffer.alloc(4), Buffer.concat([Buffer.from(type), data])];
  length.writeUInt32BE(data.length);
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}

/** A WAV file without samples. */
function silence(): Uint8Array {
  const header = Buffer.alloc(44);
  header.write('RIFF', 0);
  header.writeUInt32LE(36, 4);
  header.write('WAVEfmt ', 8);
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(8_000, 24);
  header.writeUInt32LE(8_000, 28);
  header.writeUInt16LE(1, 32);
  header.writeUInt16LE(8, 34);
  header.write('data', 36);
  return header;
}
