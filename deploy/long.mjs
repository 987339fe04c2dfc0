import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { environmentOf, fetchNode, requireNode } from './require-node.mjs';
import { build, installPackages, root, run, say } from './steps.mjs';

/**
 * `npm run test:long [-- part…]`: tests that take too long for every change. Each step is a command that must exit with 0:
 * old and new versions of Node, the full matrix of executions, programs under load, kills, a failing fleet, simulated
 * schedules, stories, replies interrupted at every byte, malformed requests, cut connections, suites of other protocols, other
 * browsers, an upload of 1 GiB, properties with new seeds, the server image, benchmarks.
 */
await requireNode();
run(process.execPath, [join(root, 'deploy/prepare-test-machine.mjs')]);
installPackages();
build();

const vitest = [
  'node_modules/vitest/vitest.mjs',
  'run',
  ...['--root', '.', '--config', 'test/tools/vitest.config.ts'],
  ...['--reporter=dot', '--reporter=./test/tools/failures-at-once.ts'],
];
const fast = [...vitest, '--project', 'fast'];
const real = [...vitest, '--project', 'real'];

/** Too old to run Timeloom, which then downloads a supported version. */
const oldNodes = ['18', '20'];
const supportedNodes = ['22.19', '24', 'latest'];

const parts = {
  nodes: [
    ...oldNodes.map((version) => on(version, 'commands', ['deploy/start.mjs', '--version'])),
    ...supportedNodes.flatMap((version) => [
      on(version, 'fast tests', fast),
      on(version, 'process sandbox', [...real, 'test/integration/exec/process']),
      on(version, 'demo', ['deploy/start.mjs', 'demo', '--port', '0']),
    ]),
  ],
  matrix: [
    step(
      'every case on every backend',
      [...real, 'integration/exec/', 'fargate', 'attack/docker'],
      {
        MATRIX: 'full',
      },
    ),
  ],
  load: [
    step('500 programs on a loaded machine', [...real, 'test/integration/exec/load'], {
      LOAD_PROGRAMS: '500',
    }),
  ],
  kills: [step('500 kills', [...real, 'test/attack/kill'], { KILLS: '500' })],
  fleet: [
    step('1,000 conversations with a failing fleet', [...real, 'test/attack/fleet'], {
      FLEET: 'full',
      SEED: 'random',
    }),
  ],
  schedules: [
    // 190 for each run.
    step('10,000 simulated schedules', [...fast, 'test/runtime/engine/simulation'], {
      RUNS: '53',
      SEED: 'random',
    }),
  ],
  stories: [
    step('stories', [...real, 'test/integration/timeline/stories'], { STORY_ROUNDS: '100000' }),
  ],
  interrupts: [
    step(
      'fifty replies of each protocol, interrupted at every byte',
      [...fast, 'protocols/every-byte', 'protocols/interrupted-pieces'],
      { MATRIX: 'full' },
    ),
  ],
  endpoints: [
    // 200 to 300 for each run.
    step(
      '10,000 malformed requests to each endpoint',
      [
        ...fast,
        ...['endpoints/fuzz.test', 'endpoints/a2a-fuzz', 'endpoints/langgraph-fuzz'],
        ...['mcp/mcp-fuzz', 'openai/openai-fuzz', 'contract/messages-fuzz'],
      ],
      { RUNS: '50', SEED: 'random' },
    ),
    step('connections that a proxy cuts after 5 s', [...fast, 'following/cut'], {
      CUT_MS: '5000',
      // For the time that a test may take.
      RUNS: '10',
    }),
  ],
  clients: [
    step('the conformance suite and the Inspector of MCP', [
      ...['--import', 'tsx', '--conditions=timeloom-source', 'test/deploy/mcp/conformance.ts'],
    ]),
    step('the Python samples of the guides, with their official packages', [
      ...[
        '--import',
        'tsx',
        '--conditions=timeloom-source',
        'test/deploy/python/python-clients.ts',
      ],
    ]),
    step('CopilotKit over AG-UI, in Chromium', [
      ...[
        '--import',
        'tsx',
        '--conditions=timeloom-source',
        'test/deploy/copilotkit/copilotkit.ts',
      ],
    ]),
  ],
  browsers: [
    step('Firefox and WebKit from Debian', ['deploy/prepare-browsers.mjs']),
    ...Object.entries({
      'the chat page in Firefox and WebKit': 'browsers',
      'the accessibility of the chat page, by Lighthouse': 'lighthouse',
    }).map(([name, file]) =>
      step(name, [
        ...['--import', 'tsx', '--conditions=timeloom-source', `test/deploy/browsers/${file}.ts`],
      ]),
    ),
  ],
  soak: [step('properties with new seeds', fast, { SEED: 'random', RUNS: '50' })],
  uploads: [
    step('an upload of 1 GiB', [...real, 'test/integration/server/large-upload'], {
      UPLOAD_MB: '1024',
    }),
  ],
  image: [
    step('the server image', [
      ...['--import', 'tsx', '--conditions=timeloom-source', 'test/deploy/server-image.ts'],
    ]),
  ],
  agents: Object.entries({
    'Claude Code': 'claude-code',
    'The example of the ACP SDK': 'acp-example',
    Codex: 'codex',
    'Gemini CLI': 'gemini',
  }).map(([name, file]) =>
    step(`${name} as an agent program`, [
      ...['--import', 'tsx', '--conditions=timeloom-source', `test/deploy/${file}.ts`],
    ]),
  ),
  docs: [step('the documents as a site', ['deploy/docs.mjs'])],
  bench: [step('benchmarks beside the documents', ['--import', 'tsx', 'test/bench/documented.ts'])],
};

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !Object.hasOwn(parts, name));
if (unknown.length > 0) {
  say(`unknown part: ${unknown.join(', ')}; known parts: ${Object.keys(parts).join(', ')}`);
  process.exit(2);
}
const steps = Object.entries(parts).flatMap(([name, list]) =>
  wanted.length === 0 || wanted.includes(name) ? list : [],
);
const failed = steps.filter((each) => !passes(each));
for (const { name } of failed) say(`failed: ${name}`);
process.stdout.write(
  `\n${steps.length - failed.length} passed, ${failed.length} failed, 0 skipped\n`,
);
process.exit(failed.length === 0 ? 0 : 1);

function on(version, what, args) {
  return { name: `Node ${version}: ${what}`, args, version };
}

function step(name, args, variables = {}) {
  const named = Object.entries(variables).map(([key, value]) => [`TIMELOOM_${key}`, value]);
  return { name, args, variables: Object.fromEntries(named) };
}

function passes({ name, args, version, variables }) {
  const node = version === undefined ? process.execPath : fetchNode(version);
  const began = Date.now();
  say(name);
  const env = { ...environmentOf(node), ...variables };
  const { status } = spawnSync(node, args, { cwd: root, env, stdio: 'inherit' });
  const minutes = ((Date.now() - began) / 60_000).toFixed(1);
  say(`${name}: ${status === 0 ? 'passed' : `failed (exit ${status})`}, ${minutes} min`);
  return status === 0;
}
