import type { Scope } from '../../base/scope.ts';
import { openEmbeddings } from '../../engine/maintenance/embeddings.ts';
import { openErasureSweep, type SweepParts } from '../../engine/maintenance/erasure-sweep.ts';
import type { Engine } from '../../engine/ports/engine.ts';
import { Worker } from '../../engine/worker/worker.ts';

/** Runs turns until `scope` ends. In the background it computes embeddings, if an embedding model is configured, and removes erased data. */
export function openWorker(engine: Engine & Pick<SweepParts, 'storage'>, scope: Scope): Worker {
  const stopped = new AbortController();
  scope.defer(() => stopped.abort());
  const { signal } = stopped;
  const { embedder } = engine;
  if (embedder) scope.own(openEmbeddings({ ...engine, embedder }, { signal }));
  scope.own(openErasureSweep(engine, { signal }));
  return scope.own(new Worker(engine, { signal }));
}
