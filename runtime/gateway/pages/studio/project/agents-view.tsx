import { duration } from '../data/format.ts';
import type { AgentItem, BundleItem, ToolItem } from '../data/project-wire.ts';
import { inspectUrl } from '../data/server.ts';
import { useJson } from '../data/use-json.ts';
import { BundleCheck } from './bundle-check.tsx';
import { Problem } from './problem.tsx';
import { PropsForm } from './props-form.tsx';
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
            {bundle.title}{' '}
            <span className="facts">
              {bundle.title !== bundle.id && `${bundle.id}, `}version {bundle.version}
            </span>
          </h3>
          {bundle.widgets.length > 0 && (
            <p className="facts">widgets: {bundle.widgets.map(({ id }) => id).join(', ')}</p>
          )}
          <BundleCheck bundle={bundle.id} />
          <details>
            <summary>Props</summary>
            <PropsForm bundle={bundle.id} />
          </details>
          {bundle.agents.map((agent) => (
            <Agent key={agent.id} agent={agent} bundle={bundle.id} />
          ))}
        </section>
      ))}
    </main>
  );
}

function Agent({ agent, bundle }: { readonly agent: AgentItem; readonly bundle: string }) {
  const { budgets, models, protocol, tools } = agent;
  const own = tools.filter(({ kind }) => kind !== 'control');
  const control = tools.filter(({ kind }) => kind === 'control');
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
      {agent.notices.length > 0 && (
        <ul className="findings" aria-label="What was left out">
          {agent.notices.map((notice) => (
            <li key={notice} className="problem">
              {notice}
            </li>
          ))}
        </ul>
      )}
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
      {own.map((tool) => (
        <ToolEntry key={tool.id} tool={tool} agent={agent.id} bundle={bundle} />
      ))}
      {control.length > 0 && (
        <details>
          <summary>{control.length} tools of the runtime</summary>
          {control.map((tool) => (
            <ToolEntry key={tool.id} tool={tool} agent={agent.id} bundle={bundle} />
          ))}
        </details>
      )}
    </div>
  );
}

type ToolProps = { readonly tool: ToolItem; readonly agent: string; readonly bundle: string };

const effects: Readonly<Record<string, string>> = {
  none: 'no effects',
  keyed: 'has effects, and may be called again with the same key',
  unkeyed: 'has effects',
};

function ToolEntry({ tool, agent, bundle }: ToolProps) {
  return (
    <details className="tool">
      <summary>
        <code>{tool.id}</code>{' '}
        <span className="facts">{effects[tool.effects] ?? tool.effects}</span>
      </summary>
      <p>{tool.description}</p>
      {tool.unavailable !== undefined && <p className="problem">{tool.unavailable}</p>}
      {tool.can_try ? (
        <ToolForm tool={tool} agent={agent} bundle={bundle} />
      ) : (
        <p className="facts">Only a model can call it.</p>
      )}
    </details>
  );
}
