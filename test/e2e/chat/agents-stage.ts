import { bundles, openStage, type Stage } from '../../runtime/gateway/stage.ts';

type Served = ReturnType<typeof bundles.bundles>;

/** A gateway with these bundles: `press` has the agent `writer`, any other the agent `main`. */
export function openAgentsStage(served: Served): Promise<Stage> {
  return openStage({
    bundles: {
      ...bundles,
      bundles: () => served,
      agent: (bundle, agent) => agent ?? (bundle === 'press' ? 'writer' : 'main'),
      allows: (bundle, agent) => ({
        ...{ exec: false, webSearch: false },
        models: served.find(({ id }) => id === bundle)?.modelChoices?.[agent] ?? [],
      }),
    },
  });
}
