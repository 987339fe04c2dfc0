import { duration } from '../data/format.ts';
import { inspectUrl } from '../data/server.ts';
import { useJson } from '../data/use-json.ts';
import type { AgentItem, BundleItem } from '../data/wire.ts';
import { Problem } from './problem.tsx';
import { ToolForm } from './tool-form.tsx';

/** Bundles, their agents, and forms to try their tools. */
export function AgentsView() {
  const { data, error } = useJson<{ items: readonly BundleItem[] }>(inspectUrl('agents'));
  return (
    <main className="project">
      <h2>Agents and tools</h2>
      {error && <Problem error={error} />}
      {!data && !error && <p role="status">Loading…</p>}
      {data?.items.map((bundle) => (
        <section key={bundle.id} aria-label={`Bundle ${bundle.id}`}>
          <h3>
            {bundle.title} <span className="facts">{`${bundle.id} ${bundle.version}`}</span>
          </h3>
          {bundle.widgets.length > 0 && (
            <p className="facts">widgets: {bundle.widgets.map(({ id }) => id).join(', ')}</p>
          )}
          {bundle.agents.map((agent) => (
            <Agent key={agent.id} agent={agent} bundle={bundle.id} />
          ))}
        </section>
      ))}
    </main>
  );
}

function Agent({ agent, bundle }: { readonly agent: AgentItem; readonly bundle: string }) {
  const { budgets, models, protocol } = agent;
  const named = Object.entries(models).map(([role, model]) => `${role}: ${model}`);
  const facts = [
    `${budgets.rounds} rounds`,
    duration(budgets.wall_ms),
    `protocol ${protocol}`,
    ...named,
  ];
  return (
    <div className="agent">
      <h4>{agent.id}</h4>
      <p className="facts">{facts.join(' · ')}</p>
      {agent.notices.map((notice) => (
        <p key={notice} className="problem">
          {notice}
        </p>
      ))}
      <details>
        <summary>Instruction</summary>
        <pre>{agent.instruction}</pre>
      </details>
      {agent.skills.length > 0 && (
        <details>
          <summary>{agent.skills.length} skills</summary>
          <ul>
            {agent.skills.map(({ id, name, description }) => (
              <li key={id}>
                <strong>{name}</strong> {description}
              </li>
            ))}
          </ul>
        </details>
      )}
      {agent.tools.map((tool) => (
        <details key={tool.id} className="tool">
          <summary>
            <code>{tool.id}</code>{' '}
            <span className="facts">{tool.effects === 'none' ? 'no effects' : tool.effects}</span>
          </summary>
          <p>{tool.description}</p>
          {tool.unavailable !== undefined && <p className="problem">{tool.unavailable}</p>}
          {tool.can_try ? (
            <ToolForm tool={tool} agent={agent.id} bundle={bundle} />
          ) : (
            <p className="facts">Only a model can call it.</p>
          )}
        </details>
      ))}
    </div>
  );
}
