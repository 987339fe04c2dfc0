/// <reference lib="dom" />
/// <reference lib="dom.iterable" />

/** What React keeps of a component. */
type Fiber = {
  readonly tag: number;
  readonly lanes: number;
  readonly childLanes: number;
  readonly memoizedState: unknown;
  readonly child: Fiber | null;
  readonly sibling: Fiber | null;
  readonly stateNode: unknown;
};

/** Runs in the page: what it has loaded and drawn, and what it waits for. */
export async function pageState({ waitMs }: { readonly waitMs: number }) {
  const suspenseTag = 13;
  const rootFacts = [
    ...['pendingLanes', 'suspendedLanes', 'pingedLanes', 'expiredLanes', 'timeoutHandle'],
    ...['callbackPriority', 'cancelPendingCommit'],
  ];

  const outcome = (promise: PromiseLike<unknown>): Promise<string> =>
    Promise.race([
      Promise.resolve(promise).then(
        () => 'settled',
        (error: unknown) => `rejected: ${String(error)}`,
      ),
      new Promise<string>((resolve) => setTimeout(() => resolve('pending'), waitMs)),
    ]);

  const scripts = performance
    .getEntriesByType('resource')
    .filter(({ name }) => /\/assets\/.*\.js$/.test(name))
    .map(async (entry) => {
      const imported = await outcome(import(entry.name));
      const end = Math.round(entry.startTime + entry.duration);
      return `${new URL(entry.name).pathname} ${Math.round(entry.startTime)}–${end} ms, import ${imported}`;
    });

  const root = document.getElementById('root') ?? {};
  const key = Object.keys(root).find((name) => name.startsWith('__reactContainer$')) ?? '';
  const container = Reflect.get(root, key) as Fiber | undefined;
  const fiberRoot = (container?.stateNode ?? {}) as { readonly current?: Fiber };

  const fibers = function* (fiber: Fiber | null | undefined): Generator<Fiber> {
    for (let each = fiber; each; each = each.sibling) {
      yield each;
      yield* fibers(each.child);
    }
  };
  const suspended = [...fibers(fiberRoot.current)]
    .filter(({ tag, memoizedState }) => tag === suspenseTag && memoizedState !== null)
    .map(({ lanes, childLanes }) => `lanes ${lanes}, below ${childLanes}`);

  return {
    visibility: document.visibilityState,
    'animation frame': await outcome(new Promise((resolve) => requestAnimationFrame(resolve))),
    scripts: await Promise.all(scripts),
    react: rootFacts.map((name) => `${name} ${String(Reflect.get(fiberRoot, name))}`).join(', '),
    'suspended boundaries': suspended,
    text: document.body.innerText.slice(0, 500),
  };
}
