import type { Comparison } from './comparison.ts';

export const plansOfAgents: Comparison = {
  system: 'KDCube',
  rows: [
    {
      does: 'A plan is a snapshot on the timeline with an id, ordered steps, a status, the turn of its origin and of its last change.',
      shown: [
        [
          'test/runtime/tools/react/plan.test.ts',
          'a plan is started, replaced and closed; the fold shows each change as a snapshot',
        ],
      ],
    },
    {
      does: 'mode="new" starts a plan, which becomes the current one.',
      shown: [
        [
          'test/runtime/timeline/plans/plans.test.ts',
          'a new plan is current, and the previous one is not',
        ],
      ],
    },
    {
      does: 'mode="replace" supersedes a plan by a new one.',
      shown: [
        [
          'test/runtime/timeline/plans/plans.test.ts',
          'replacing supersedes the old plan and names its successor',
        ],
      ],
    },
    {
      does: 'mode="activate" makes an older open plan current again, with its id.',
      shown: [
        [
          'test/runtime/timeline/plans/plans.test.ts',
          'an older plan can be made current again, by its id or its path',
        ],
      ],
    },
    {
      does: 'mode="close" ends a plan; it leaves ANNOUNCE and stays in the history.',
      shown: [['test/runtime/timeline/plans/plans.test.ts', 'a closed plan stays closed']],
    },
    {
      does: 'The newest state of a plan is read under ar:plan.latest:<plan_id>.',
      shown: [
        ['test/runtime/tools/react/plan.test.ts', 'every past plan can be read with its state'],
        [
          'test/runtime/timeline/resolve/resolve.test.ts',
          'an alias resolves to the path that it stands for',
        ],
      ],
    },
    {
      does: 'Notes of the agent mark steps as done, failed or in progress, and the runtime updates the plan.',
      shown: [
        [
          'test/runtime/timeline/plans/plans.test.ts',
          'notes acknowledge steps of the current plan',
        ],
        ['test/runtime/timeline/plans/plans.test.ts', '%s marks the step in progress'],
      ],
    },
    {
      does: 'Marks count only in rounds that do not change which plan is open.',
      differs: 'A model that finishes a step and closes the plan in one reply would lose the mark.',
      instead:
        'Marks count for the plan that is open when their call starts, also if that call closes it.',
      shown: [
        [
          'test/runtime/engine/turns/turn.test.ts',
          'marks in notes tick off steps of the plan that is open when their call starts, even if the call closes it',
        ],
      ],
    },
    {
      does: 'ANNOUNCE lists the last four open plans and marks the current one.',
      shown: [
        [
          'test/runtime/timeline/render/announce.test.ts',
          'at most four open plans are shown, the current one always, with the state of each step',
        ],
      ],
    },
    {
      does: 'A new turn has the current plan at once; older ones are read when they matter.',
      shown: [
        [
          'test/runtime/engine/compact/compact-reading.test.ts',
          'an open plan and the pool of sources survive a compaction',
        ],
        [
          'test/runtime/timeline/render/announce.test.ts',
          'at most four open plans are shown, the current one always, with the state of each step',
        ],
      ],
    },
    {
      does: 'After a compaction older plans stay in a history with their steps and references.',
      shown: [
        [
          'test/runtime/timeline/compact/memory-text.test.ts',
          'a memory names the open plans that do not fit into ANNOUNCE, and no closed plans',
        ],
        ['test/runtime/tools/react/plan.test.ts', 'every past plan can be read with its state'],
      ],
    },
    {
      does: 'A plan is open unless it is closed, replaced or complete; only the current one takes marks.',
      shown: [
        ['test/runtime/timeline/plans/plans.test.ts', 'a closed plan stays closed'],
        [
          'test/runtime/timeline/plans/plans.test.ts',
          'notes acknowledge steps of the current plan',
        ],
      ],
    },
  ],
};
