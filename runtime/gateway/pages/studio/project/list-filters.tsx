/** What the list of conversations is narrowed to; empty: nothing. */
export type ListFilter = {
  readonly q: string;
  readonly state: string;
  readonly agent: string;
  readonly cost: string;
  readonly from: string;
};

export const noFilter: ListFilter = { q: '', state: '', agent: '', cost: '', from: '' };

/** The query of a filter. */
export function toQuery(filter: ListFilter, limit: number): string {
  const query = new URLSearchParams({ limit: `${limit}` });
  for (const [key, value] of Object.entries(filter))
    if (value.trim() !== '') query.set(key, value.trim());
  return query.toString();
}

const states = {
  '': 'any state',
  working: 'working',
  waiting: 'waits for an answer',
  failed: 'failed',
  done: 'done',
};

type Props = {
  readonly filter: ListFilter;
  readonly agents: readonly string[];
  readonly onChange: (filter: ListFilter) => void;
};

export function ListFilters({ filter, agents, onChange }: Props) {
  const set = (change: Partial<ListFilter>) => onChange({ ...filter, ...change });
  const { q: _, ...rest } = filter;
  const count = Object.values(rest).filter((value) => value !== '').length;
  return (
    <search className="list-filters">
      <input
        type="search"
        placeholder="Search titles and messages"
        aria-label="Search conversations"
        value={filter.q}
        onChange={(event) => set({ q: event.target.value })}
      />
      <details>
        <summary>Filters{count > 0 && ` (${count})`}</summary>
        <div className="fields">
          <label>
            State
            <select value={filter.state} onChange={(event) => set({ state: event.target.value })}>
              {Object.entries(states).map(([state, name]) => (
                <option key={state} value={state}>
                  {name}
                </option>
              ))}
            </select>
          </label>
          <label>
            Agent
            <select value={filter.agent} onChange={(event) => set({ agent: event.target.value })}>
              <option value="">any agent</option>
              {agents.map((agent) => (
                <option key={agent}>{agent}</option>
              ))}
            </select>
          </label>
          <label>
            Cost at least ($)
            <input
              type="number"
              min="0"
              step="any"
              value={filter.cost}
              onChange={(event) => set({ cost: event.target.value })}
            />
          </label>
          <label>
            Active since
            <input
              type="date"
              value={filter.from}
              onChange={(event) => set({ from: event.target.value })}
            />
          </label>
          {count > 0 && (
            <button type="button" onClick={() => onChange({ ...noFilter, q: filter.q })}>
              Remove filters
            </button>
          )}
        </div>
      </details>
    </search>
  );
}
