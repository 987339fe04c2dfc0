import type { Comparison } from './comparison.ts';

export const roundsAndChannels: Comparison = {
  system: 'KDCube',
  rows: [
    {
      does: 'One loop decides, acts and observes; no planner and no gate stand beside it.',
      shown: [
        [
          'test/runtime/engine/turns/turn.test.ts',
          'after a prompt the model thinks, calls a tool, and its answer closes the turn',
        ],
      ],
    },
    {
      does: 'A round makes one decision and executes one action: a call or the answer.',
      shown: [
        [
          'test/runtime/channels/reply/reply.test.ts',
          'with multi-action off only the first action runs',
        ],
      ],
    },
    {
      does: 'Several actions in one reply are a mode that operators switch on.',
      shown: [
        [
          'test/runtime/engine/calls/multi-action.test.ts',
          'native tools have bundle as their default, every other protocol one action',
        ],
      ],
    },
    {
      does: 'In that mode the calls of a reply run one after the other, in the order in which they were written.',
      shown: [
        [
          'test/runtime/engine/calls/multi-action.test.ts',
          'a bundle runs its calls in order, and surplus calls are recorded as not executed',
        ],
      ],
    },
    {
      does: 'A call must not depend on the result of an earlier one of the same reply.',
      shown: [
        [
          'test/runtime/channels/reply/multi-action.test.ts',
          'a call that writes the file of an earlier call is declined',
        ],
      ],
    },
    {
      does: 'The number of rounds comes from the settings of the bundle, then of the installation, and is 15 otherwise.',
      shown: [
        [
          'test/runtime/cli/bundles/open-bundles.test.ts',
          'bundles.yaml overrides the agent, the agent overrides the installation, and ceilings limit all of them',
        ],
        [
          'test/runtime/timeline/render/announce.test.ts',
          'ANNOUNCE of a simple turn contains its budget, its time, its turn and no plans',
        ],
      ],
    },
    {
      does: 'The version of the loop is chosen by a setting of the installation.',
      differs:
        'Two loops would have to be kept correct, and a conversation would depend on which one ran.',
      instead:
        'One loop; the version of its instruction is recorded with every round, and a change is a declared break of the cache.',
      shown: [
        [
          'test/runtime/engine/agent/instruction.test.ts',
          'the %s instruction has a version and stays within its limit',
        ],
        [
          'test/runtime/engine/compact/cache-break.test.ts',
          'a change of instruction or tools between two turns is declared once, before the first round that uses it',
        ],
      ],
    },
    {
      does: 'Every step is a block that can be inspected, and limits, permissions and approvals apply at its boundary.',
      shown: [
        [
          'test/runtime/testing/hooks-turn.test.ts',
          'observers see every block of a turn once, in order, and an error in one has no effect',
        ],
        [
          'test/runtime/engine/calls/parked.test.ts',
          'a call does not run before its approval, and then runs once',
        ],
        ['test/runtime/engine/turns/budget.test.ts', 'once the time of its turn is over %s'],
      ],
    },
    {
      does: 'What happened in a turn can be proved afterwards from the record.',
      shown: [
        [
          'test/runtime/engine/ask/replayed-prompts.test.ts',
          'a replay of a log gives the same blocks from its replies and the same bytes for its prompts',
        ],
        [
          'test/runtime/timeline/verify/verify.test.ts',
          'a valid log has no problems, and neither has any prefix of it',
        ],
      ],
    },
    {
      does: 'The model is asked in a form of the runtime, not through the tool calls of its provider.',
      shown: [
        [
          'test/runtime/channels/scan/scanner.test.ts',
          'channels are split, numbered and named canonically',
        ],
        [
          'test/runtime/engine/protocols/same-blocks.test.ts',
          'the same script gives the same blocks in every protocol',
        ],
      ],
    },
    {
      does: 'Channels that are repeated are parsed as instances of their own and routed apart.',
      shown: [
        [
          'test/runtime/channels/scan/scanner.test.ts',
          'channels are split, numbered and named canonically',
        ],
        [
          'test/runtime/channels/scan/scanner-properties.test.ts',
          'for any output, instances open once, close once and contain their text in between',
        ],
      ],
    },
    {
      does: 'The model is asked for one thinking block per reply, and a second one is tolerated.',
      shown: [
        [
          'test/runtime/channels/scan/scanner.test.ts',
          'channels are split, numbered and named canonically',
        ],
      ],
    },
    {
      does: 'The prompt has the memory of compacted turns first, then pruned turns, recent turns, the current turn, SOURCES and ANNOUNCE.',
      shown: [
        [
          'test/runtime/timeline/prune/prune.test.ts',
          'an old turn is replaced by its summary and its kept items, under headings that exist only after a prune',
        ],
        ['test/runtime/timeline/render/items.test.ts', 'a turn with a round, as a model reads it'],
        [
          'test/runtime/timeline/render/announce.test.ts',
          'ANNOUNCE of a simple turn contains its budget, its time, its turn and no plans',
        ],
      ],
    },
    {
      does: 'ANNOUNCE stands in the tail that no cache holds.',
      shown: [
        [
          'test/runtime/timeline/render/render.test.ts',
          '%s: there are at most three checkpoints, the last on the last cached part, none in SOURCES or ANNOUNCE',
        ],
      ],
    },
    {
      does: 'A decision is one of three actions: call a tool, complete or exit.',
      shown: [
        [
          'test/runtime/channels/reply/decision.test.ts',
          'a tool call and an answer are read, with defaults for missing fields',
        ],
        ['test/runtime/engine/turns/answer.test.ts', 'an answer of exit is delivered as it is'],
      ],
    },
    {
      does: 'One channel holds one decision; several objects in it are an error.',
      shown: [
        ['test/runtime/channels/reply/reply.test.ts', '%s and %s may be in one reply'],
        [
          'test/runtime/channels/reply/reply.test.ts',
          'actions after a refused one are counted, not evaluated',
        ],
      ],
    },
    {
      does: 'Backticks in a program do not hide the end of its channel.',
      shown: [
        ['test/runtime/channels/scan/scanner.test.ts', 'raw code ends at any tag, quoted or not'],
        [
          'test/runtime/channels/scan/scanner.test.ts',
          'a channel opened with an id may contain any text and is closed only by that id',
        ],
      ],
    },
    {
      does: 'An agent is made of tools, skills and functions that search and read its knowledge, and answers a payload.',
      shown: [
        ['test/guide/library/bundle.test.ts', 'a book is found, cited and lent'],
        [
          'test/runtime/sdk/knowledge/open-knowledge.test.ts',
          "an agent searches and reads pages through the author's functions, and sees their errors",
        ],
      ],
    },
    {
      does: 'The canvas channel streams HTML, Markdown or JSON for a widget.',
      shown: [
        [
          'test/runtime/engine/ask/canvas.test.ts',
          'a canvas with valid attributes, or with none, is shown and kept',
        ],
        [
          'test/e2e/conversation.test.ts',
          'the page shows a whole conversation: file upload, thinking, code, a growing board and the report',
        ],
      ],
    },
    {
      does: 'The timeline_text channel streams short text into the chat.',
      shown: [
        [
          'test/runtime/channels/reply/reply.test.ts',
          'a parsed reply contains every channel, without the line breaks at the tags',
        ],
        [
          'test/runtime/client/chat.test.ts',
          'channels stream under their labels; a line typed during a turn is a followup, !text a steer',
        ],
      ],
    },
    {
      does: 'The internal channel keeps short notes that users do not see, for later turns.',
      shown: [
        [
          'test/runtime/tools/react/write.test.ts',
          'internal is for the agent, a file is not a canvas, timeline text is a message, a scratchpad is a note',
        ],
        [
          'test/runtime/tools/react/write-more.test.ts',
          'a scratchpad with several tagged lines becomes several notes of their kinds',
        ],
      ],
    },
    {
      does: 'An answer may carry a hidden summary, which is the working summary of the turn and is found by a memory search.',
      shown: [
        ['test/runtime/channels/reply/reply.test.ts', 'a summary is kept only with an answer'],
        [
          'test/runtime/timeline/search/snippet.test.ts',
          'the index keeps the anchors of a summary separate from its text',
        ],
      ],
    },
    {
      does: 'Code, thinking, decisions and canvases stream independently of each other, while the agent still works.',
      shown: [
        [
          'test/runtime/client/chat.test.ts',
          'channels stream under their labels; a line typed during a turn is a followup, !text a steer',
        ],
        [
          'test/runtime/tools/services/turn-services.test.ts',
          'a canvas is streamed and becomes one block when its writer closes it or the call ends',
        ],
      ],
    },
    {
      does: 'Widgets of a bundle are served by the platform; embedding them in a frame is left to the client.',
      shown: [
        [
          'test/runtime/gateway/routes/widget-routes.test.ts',
          'a widget is served to users, to a role, or publicly, according to its access',
        ],
        [
          'test/runtime/client/widget-host.test.ts',
          'a widget uses the client of its page and leaves it open',
        ],
      ],
    },
    {
      does: 'A separate coding agent is configured by files in its workspace, MCP settings and project skills.',
      shown: [
        [
          'test/runtime/sdk/agents/external-agent.test.ts',
          'an agent program gets the files of its workspace folder, its instruction and its skills',
        ],
        [
          'test/runtime/sdk/agents/external-agent.test.ts',
          'the servers of .mcp.json are read at the load, and a file that no program could read stops it',
        ],
        [
          'test/runtime/engine/external/external-turn.test.ts',
          'a turn of an agent program is thoughts, calls, files and one answer',
        ],
      ],
    },
  ],
};
