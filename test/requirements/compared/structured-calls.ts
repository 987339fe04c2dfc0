import type { Comparison } from './comparison.ts';

export const structuredCalls: Comparison = {
  system: 'FIM One',
  rows: [
    {
      does: 'Whatever needs data of a schema from a model goes through one function with three levels.',
      shown: [
        [
          'test/runtime/engine/model/structured-call.test.ts',
          'whatever a wire does: the ceiling holds, the level is the one that worked, every request is paid',
        ],
      ],
    },
    {
      does: 'Level one forces a call of one tool, whose arguments are the data.',
      shown: [
        [
          'test/runtime/engine/model/structured-call.test.ts',
          'a model with tools is made to call one tool, whose input is the answer',
        ],
      ],
    },
    {
      does: 'If the arguments do not fit, the next level is tried.',
      shown: [
        [
          'test/runtime/engine/model/structured-call.test.ts',
          'a retry shows the model its answer and why it did not fit',
        ],
        [
          'test/runtime/engine/model/structured-call.test.ts',
          'a provider that refuses a level is asked at the next one',
        ],
      ],
    },
    {
      does: 'Level two asks for a JSON object and repeats the request once with what was wrong.',
      shown: [
        [
          'test/runtime/engine/model/structured-call.test.ts',
          'a model without forced choice is asked for a JSON reply',
        ],
        [
          'test/runtime/engine/model/structured-call.test.ts',
          'a retry shows the model its answer and why it did not fit',
        ],
      ],
    },
    {
      does: 'Level three takes the data out of plain text, also by a pattern that the caller gives, and repeats once.',
      shown: [
        [
          'test/runtime/engine/model/structured-call.test.ts',
          'a pattern recovers the answer from plain text alone',
        ],
        [
          'test/runtime/engine/model/structured-call.test.ts',
          'a text is taken as it is written at the last level, and refused if it is empty',
        ],
      ],
    },
    {
      does: 'A structured call makes at most five requests, four with JSON mode alone, two with plain text.',
      shown: [
        [
          'test/runtime/engine/model/structured-call.test.ts',
          'a model %s has its ceiling of requests',
        ],
      ],
    },
    {
      does: 'A model that can only write text still gives structured data.',
      shown: [
        [
          'test/runtime/engine/model/internal-call.test.ts',
          'a model that only writes text is given two attempts, then a fault is thrown',
        ],
      ],
    },
    {
      does: 'The result has the parsed value, the level that succeeded and the tokens of all attempts.',
      shown: [
        [
          'test/runtime/engine/model/structured-call.test.ts',
          'whatever a wire does: the ceiling holds, the level is the one that worked, every request is paid',
        ],
      ],
    },
    {
      does: 'The caller maps the data to an object of its own, and may give a value for total failure.',
      shown: [
        ['test/runtime/engine/model/structured-call.test.ts', 'the fallback is taken if %s'],
        [
          'test/runtime/sdk/context/turn-context.test.ts',
          'generate returns text or schema-checked output, and fails without a model',
        ],
      ],
    },
    {
      does: 'The planner, the analysis of a plan and the choice of tools use it.',
      shown: [
        [
          'test/runtime/testing/delegation/run-plan.test.ts',
          'another model call judges the results, and a further plan builds on the steps that are done',
        ],
        [
          'test/runtime/engine/select/selection.test.ts',
          'above twelve tools one question chooses the tools of a turn',
        ],
      ],
    },
    {
      does: 'With more than twelve tools, one model call chooses those of the turn before the loop begins.',
      shown: [
        [
          'test/runtime/engine/select/selection.test.ts',
          'above twelve tools one question chooses the tools of a turn',
        ],
        [
          'test/runtime/engine/select/selection.test.ts',
          'twelve tools are shown without a question, whatever control and exec tools there are',
        ],
      ],
    },
    {
      does: 'The choice reads about 80 characters per tool: its name and one line, no schema.',
      shown: [
        [
          'test/runtime/engine/select/selection.test.ts',
          'above twelve tools one question chooses the tools of a turn',
        ],
      ],
    },
    {
      does: 'At most six tools are chosen.',
      shown: [['test/runtime/engine/select/selection.test.ts', 'at most six are chosen']],
    },
    {
      does: 'The chosen tools alone are described, and they alone run.',
      shown: [
        [
          'test/runtime/engine/select/selection.test.ts',
          'a tool that was not chosen is refused, and react.tools brings it into view',
        ],
      ],
    },
    {
      does: 'A choice that is unreadable, names no valid tool or fails leaves all tools.',
      shown: [
        ['test/runtime/engine/select/selection.test.ts', 'if the answer %s, all tools are shown'],
      ],
    },
    {
      does: 'The choice is made before the first round, with the same three levels as any structured call.',
      shown: [
        [
          'test/runtime/engine/select/selection.test.ts',
          'above twelve tools one question chooses the tools of a turn',
        ],
        [
          'test/runtime/engine/select/selection.test.ts',
          'a worker that takes the turn over does not choose again',
        ],
      ],
    },
  ],
};
