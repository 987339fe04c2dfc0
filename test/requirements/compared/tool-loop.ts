import type { Comparison } from './comparison.ts';

export const toolLoop: Comparison = {
  system: 'FIM One',
  rows: [
    {
      does: 'An agent can work in two phases: a loop of tool calls, then one more call that writes the answer from the record of the turn.',
      shown: [
        [
          'test/runtime/engine/turns/answer.test.ts',
          'one more call writes the answer, and nobody sees the inline answer',
        ],
      ],
    },
    {
      does: 'Every turn has a second phase: another model call writes its answer.',
      differs:
        'A second call costs time and money in every turn, and a short answer is not better for it.',
      instead:
        'By default the answer streams from the loop. An agent chooses with `answer`: `synthesize` as there, or `auto` for turns with several results.',
      shown: [
        [
          'test/runtime/engine/turns/answer.test.ts',
          'auto writes the answer of a turn with three results if its own answer is short',
        ],
      ],
    },
    {
      does: 'The loop ends as soon as the model signals that it is done.',
      shown: [
        [
          'test/runtime/engine/turns/turn.test.ts',
          'after a prompt the model thinks, calls a tool, and its answer closes the turn',
        ],
      ],
    },
    {
      does: 'Model calls of the loop do not stream, because users do not need partial decisions.',
      differs:
        'A reply that can no longer be used, or that a steer makes useless, is stopped while it is written.',
      instead:
        'Every call streams to the runtime; people see the text fields that are meant for them, never the decision.',
      shown: [
        [
          'test/runtime/engine/ask/weak-replies.test.ts',
          'a refused action stops the generation, and the notice names the action',
        ],
        [
          'test/runtime/engine/turns/turn.test.ts',
          'clients are streamed exactly what the log holds, and a denied answer is never shown',
        ],
      ],
    },
    {
      does: 'The answer is shown token by token while it is written.',
      shown: [
        [
          'test/runtime/client/written-answer.test.ts',
          'a client receives the written answer alone, in pieces, with the usage of all roles',
        ],
        [
          'test/runtime/engine/ask/answer-reader.test.ts',
          'any cut of a text gives the same answer, and clients see all of it',
        ],
      ],
    },
    {
      does: 'The result of the loop has the whole history: the task, the question, every reply and every result.',
      shown: [
        [
          'test/runtime/timeline/render/trace.test.ts',
          'the record has the question, each call with its result, every event, the draft and the request',
        ],
      ],
    },
    {
      does: 'A result takes at most 2,000 characters of what the answer is written from, however many tools ran.',
      shown: [
        ['test/runtime/timeline/render/trace.test.ts', 'a result takes at most 2,000 characters'],
      ],
    },
    {
      does: 'One turn uses one model for all its rounds and its answer.',
      shown: [
        [
          'test/runtime/cli/wiring/live-agents.test.ts',
          'a turn keeps the bundles it began with, the next uses the newest, and unused ones are disposed of',
        ],
        [
          'test/runtime/cli/models/models.test.ts',
          'an agent uses the model of its bundle, else of the installation; an unset role uses decision',
        ],
      ],
    },
    {
      does: 'To use another model, another agent is constructed.',
      differs:
        'One agent needs models of different strength: for decisions, for the choice of tools, for summaries, for answers.',
      instead:
        'An agent names a model for each role, and a fallback that answers while a model is overloaded; every call records which one answered.',
      shown: [
        [
          'test/runtime/engine/turns/spending.test.ts',
          'the end of a turn states its usage by model role',
        ],
        [
          'test/runtime/adapters/models/fallback.test.ts',
          'after %s the fallback answers, for a while',
        ],
      ],
    },
    {
      does: 'Each step of a plan gets an agent of its own, with the model that its hint names, right before it starts.',
      shown: [
        [
          'test/runtime/engine/calls/plans.test.ts',
          'a step with the hint %s works with the model %s',
        ],
      ],
    },
    {
      does: 'In JSON mode the tools are described in the system text, and the model replies with one object: a tool call or the final answer.',
      shown: [
        [
          'test/runtime/channels/readers/object-reader.test.ts',
          '%s: the reply is the decision object alone',
        ],
        [
          'test/runtime/engine/agent/instruction.test.ts',
          'tools that are offered beside the text are not listed in it',
        ],
      ],
    },
    {
      does: 'In JSON mode the observation of a tool goes back as a message of the user.',
      shown: [
        [
          'test/runtime/timeline/render/message-round.test.ts',
          'json: a reply is one decision object, with a program in its parameters',
        ],
      ],
    },
    {
      does: 'In native mode the tools go through the API of the provider, and calls come back structured.',
      shown: [
        [
          'test/runtime/channels/readers/native-reader.test.ts',
          'a call is a decision, whatever is written in its arguments',
        ],
        [
          'test/runtime/adapters/models/requests.test.ts',
          '%s: tools are offered with each kind of choice',
        ],
      ],
    },
    {
      does: 'The mode follows from what the model supports; native calling is the preferred one where it is supported.',
      shown: [
        [
          'test/runtime/engine/protocols/protocol-choice.test.ts',
          'option %s with abilities %j: %s',
        ],
      ],
    },
    {
      does: 'An agent can switch native calling off, and then works in JSON mode although its model could call tools.',
      shown: [
        [
          'test/runtime/engine/protocols/protocol-choice.test.ts',
          'option %s with abilities %j: %s',
        ],
      ],
    },
    {
      does: 'In JSON mode one tool runs per iteration.',
      shown: [
        [
          'test/runtime/engine/calls/multi-action.test.ts',
          'native tools have bundle as their default, every other protocol one action',
        ],
      ],
    },
    {
      does: 'In native mode all calls of a reply run at the same time.',
      differs:
        'Calls with side effects that run at once can disturb each other, and an effect cannot be taken back.',
      instead:
        'All calls of a reply run, in order. Adjacent calls of tools that are marked as safe run side by side, at most four at a time.',
      shown: [
        [
          'test/runtime/engine/calls/parallel-calls.test.ts',
          'safe calls of one decision run in parallel, and each result is appended when the call ends',
        ],
        [
          'test/runtime/engine/calls/multi-action.test.ts',
          'at most four safe calls of a bundle run at the same time',
        ],
      ],
    },
    {
      does: 'A reply that cannot be parsed is asked for again with the required form.',
      shown: [
        [
          'test/runtime/engine/turns/turn.test.ts',
          'the model gets a full notice about a broken decision, and the turn continues',
        ],
      ],
    },
    {
      does: 'Writing the answer works the same, however the loop was run.',
      shown: [
        [
          'test/runtime/engine/turns/answer.test.ts',
          'the answer is written from the record of the turn, without the form of the conversation',
        ],
      ],
    },
  ],
};
