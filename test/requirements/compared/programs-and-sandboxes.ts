import type { Comparison } from './comparison.ts';

export const programsAndSandboxes: Comparison = {
  system: 'KDCube',
  rows: [
    {
      does: 'The agent writes programs, which run in isolation and return one normalised result.',
      shown: [
        [
          'test/integration/exec/cases/results.ts',
          'a program that only prints has its output as its result',
        ],
        ['test/integration/exec/cases/results.ts', 'an exit code is the outcome'],
      ],
    },
    {
      does: 'Generated code has no network, no descriptors, no secrets and a user of its own.',
      shown: [
        ['test/attack/docker.test.ts', 'no probe in Python gets out'],
        [
          'test/attack/process.test.ts',
          'nothing of ours is in the environment of what starts a program',
        ],
      ],
    },
    {
      does: 'It writes only to its two folders.',
      shown: [
        [
          'test/attack/process.test.ts',
          'of the machine a program sees the system’s programs, and these settings',
        ],
      ],
    },
    {
      does: 'Its tool calls go to a supervisor, which has network, settings and secrets.',
      shown: [
        [
          'test/runtime/tools/exec/exec-tools.test.ts',
          'calls of a program run under their own ids and keys; their blocks are kept, and the result lists them',
        ],
        [
          'test/integration/supervisors/server.test.ts',
          'a server with separate supervisors answers turns and programs through them',
        ],
      ],
    },
    {
      does: 'Tools of bundles, of MCP servers and of the platform are reached in the same way.',
      shown: [
        [
          'test/integration/mcp/turns.test.ts',
          'generated code in %s calls the tools that its agent sees, and no other',
        ],
      ],
    },
    {
      does: 'Tools that a program calls stream their events to the client.',
      shown: [
        [
          'test/runtime/tools/exec/program-calls.test.ts',
          'progress of a tool that a program calls is shown with the program, by the id of its call',
        ],
      ],
    },
    {
      does: 'Docker is the default: supervisor and executor are two containers, and one combined container is an option.',
      differs: 'Docker is not everywhere, and one container less is faster.',
      instead:
        '`auto` takes Docker if it answers, else a sandbox of processes with the same promises; the combined container is chosen explicitly.',
      shown: [
        [
          'test/integration/exec/docker.test.ts',
          'auto takes Docker when it answers; said of it: %s',
        ],
        [
          'test/integration/exec/open.test.ts',
          'auto takes the process sandbox when no Docker answers, and says what it tried',
        ],
        [
          'test/runtime/cli/config/config.test.ts',
          'a combined container is used only if it is configured',
        ],
      ],
    },
    {
      does: 'The executor of the split form mounts its folders and the socket of its supervisor, nothing else.',
      shown: [['test/attack/docker.test.ts', 'no probe in Python gets out']],
    },
    {
      does: 'An operator sets image, processors, memory and the number of processes of the container.',
      shown: [
        ['test/integration/exec/open.test.ts', 'what an operator gives is what a program has'],
        [
          'test/integration/exec/docker.test.ts',
          'a runtime that the engine does not know is refused with what to do, and no other taken',
        ],
      ],
    },
    {
      does: 'An operator sets its network mode, and any further argument of the container.',
      differs:
        'With a network, generated code could reach everything; one argument of a container can undo every limit.',
      instead:
        'No program has a network. Layout, runtime and each limit have a setting of their own; any other key stops the start.',
      shown: [
        [
          'test/runtime/cli/config/exec-settings.test.ts',
          'a network or an argument of the container stops the start',
        ],
        ['test/attack/docker.test.ts', 'no probe in Python gets out'],
      ],
    },
    {
      does: 'A bundle chooses the runtime of its programs, by a profile of the installation.',
      shown: [
        [
          'test/integration/exec/places.test.ts',
          'programs of one conversation run in the sandboxes that their agents choose',
        ],
      ],
    },
    {
      does: 'Fargate runs the same programs as tasks, for long work.',
      shown: [
        [
          'test/integration/exec/fargate.test.ts',
          'every task, secret and object of what has run is gone',
        ],
        [
          'test/integration/exec/places.test.ts',
          'programs of one conversation run in the sandboxes that their agents choose',
        ],
      ],
    },
    {
      does: 'A task starts in 10 to 30 seconds.',
      differs: 'A conversation cannot wait that long.',
      instead:
        'The same, unless tasks wait for programs (`pool`): then a program has its first line from a task that is there.',
      shown: [
        [
          'test/integration/fargate/pool.test.ts',
          'a program has its first line from a task that waited, which serves it alone and is replaced',
        ],
      ],
    },
    {
      does: 'A program has WORKDIR, OUTPUT_DIR, EXECUTION_ID and AGENT_IO_CONTEXT.',
      shown: [
        ['test/integration/exec/cases/results.ts', 'the four names are variables and environment'],
      ],
    },
    {
      does: 'Docker gets the launch payload inline, a task the name of a temporary secret, which is removed with it.',
      shown: [
        [
          'test/runtime/adapters/fargate/launch.test.ts',
          'a launch payload that just fits a secret is whole, one byte more is refused',
        ],
        [
          'test/integration/exec/fargate.test.ts',
          'every task, secret and object of what has run is gone',
        ],
      ],
    },
    {
      does: 'Descriptors of the installation are copied into the supervisor of each execution.',
      differs: 'What is copied can leak, and grows with the installation.',
      instead:
        'Tools run in the worker, or in a process of their bundle that gets only its own settings and secrets when it asks for them.',
      shown: [
        [
          'test/integration/supervisors/life.test.ts',
          'a process sees nothing of another tenant, and nothing of its own in arguments or environment',
        ],
      ],
    },
    {
      does: 'A bundle reads settings and its secrets in its tools wherever they run.',
      shown: [['test/integration/supervisors/tools.test.ts', 'secrets and props are its own']],
    },
    {
      does: 'Workspaces go to S3 for a task, and its files come back from there.',
      shown: [
        [
          'test/integration/exec/places.test.ts',
          'programs of one conversation run in the sandboxes that their agents choose',
        ],
        [
          'test/integration/exec/fargate.test.ts',
          'every task, secret and object of what has run is gone',
        ],
      ],
    },
    {
      does: 'The result is the same for every backend: ok, files, error, report, the end of the output and of the errors.',
      shown: [
        [
          'test/integration/exec/cases/results.ts',
          'a program that only prints has its output as its result',
        ],
        [
          'test/integration/exec/cases/results.ts',
          'an exception fails the program and names its line',
        ],
      ],
    },
    {
      does: 'A task that does not start, is too slow or cannot be restored is an error of the same form.',
      shown: [
        [
          'test/runtime/adapters/fargate/watch-task.test.ts',
          'a task that takes too long is a failure that says so',
        ],
        [
          'test/runtime/adapters/fargate/serve-task.test.ts',
          'why an executor ended before it was ready is reported before its task ends',
        ],
      ],
    },
    {
      does: 'A worker has a bounded number of turns at work.',
      shown: [
        [
          'test/runtime/engine/lease/turns-max.test.ts',
          'a worker limited to one conversation starts the next one when it is done',
        ],
      ],
    },
    {
      does: 'The number of processes of a program is limited.',
      shown: [
        ['test/integration/exec/open.test.ts', 'what an operator gives is what a program has'],
        ['test/integration/exec/pool.test.ts', 'files without end are held by the limit'],
      ],
    },
  ],
};
