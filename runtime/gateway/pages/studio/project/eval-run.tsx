import { useState } from 'react';
import { duration } from '../data/format.ts';
import type { EvalItem } from '../data/project-wire.ts';
import { inspectUrl, postJson } from '../data/server.ts';
import { ModelField } from '../rerun/model-field.tsx';

type Props = { readonly item: EvalItem; readonly onChange: () => void };

/** Runs the cases of a folder, shows how far the run is, and stops it. */
export function EvalRun({ item, onChange }: Props) {
  const { folder, running, cases } = item;
  const [model, setModel] = useState('');
  const { act, problem } = useEvals(onChange);
  return (
    <div className="eval-run">
      {running ? (
        <>
          <progress max={running.of} value={running.done} aria-label={`Run of ${folder}`} />
          <span role="status">
            {running.done} of {running.of}
            {running.case !== undefined && `, now “${running.case}”`}
          </span>
          <span className="facts">{duration(Date.now() - Date.parse(running.since))}</span>
          <button type="button" onClick={() => act('stop', { folder })}>
            Stop
          </button>
        </>
      ) : (
        cases.length > 0 && (
          <>
            <button
              type="button"
              className="primary"
              onClick={() => act('run', { folder, ...(model.trim() && { model: model.trim() }) })}
            >
              Run all {cases.length}
            </button>
            <ModelField value={model} onChange={setModel} fallback="model of the installation" />
          </>
        )
      )}
      {problem !== '' && (
        <span className="problem" role="alert">
          {problem}
        </span>
      )}
    </div>
  );
}

/** Requests about runs; `onChange` reads again what they changed. */
export function useEvals(onChange: () => void) {
  const [problem, setProblem] = useState('');
  const act = (verb: 'run' | 'stop', body: object) => {
    setProblem('');
    postJson(inspectUrl(`evals/${verb}`), { body }).then(onChange, (error: unknown) =>
      setProblem(error instanceof Error ? error.message : String(error)),
    );
  };
  return { act, problem };
}
