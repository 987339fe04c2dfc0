import type {
  ToolOffer,
  ToolServer,
  ToolServerSettings,
} from '../../sdk/compile/host/tool-servers.ts';
import { matchesPattern } from '../../tools/definition/id-pattern.ts';
import type { Tool } from '../../tools/ports/tool.ts';
import type { Session } from './connection/session.ts';
import { toTool } from './to-tool.ts';
import type { ServerTool } from './tools/read-tools.ts';
import { toolIds } from './tools/tool-ids.ts';

type Lists = Pick<ToolServerSettings, 'allow' | 'deny'>;

/** Matches the server's own tool names; `deny` wins over `allow`. */
export function permits({ allow, deny }: Lists, name: string): boolean {
  const fits = (pattern: string) => matchesPattern(pattern, name);
  return allow.some(fits) && !deny.some(fits);
}

/** A bundle's view of a shared session. */
export class BundleToolServer implements ToolServer {
  readonly #settings: ToolServerSettings;
  readonly #session: Session;
  readonly #release: () => Promise<void>;
  readonly #made = new WeakMap<ServerTool, Tool>();
  #shown: readonly ServerTool[] = [];
  #offer: ToolOffer = { tools: [] };

  constructor(
    settings: ToolServerSettings,
    { session, release }: { session: Session; release: () => Promise<void> },
  ) {
    this.#settings = settings;
    this.#session = session;
    this.#release = release;
  }

  get problem(): string | undefined {
    return this.#session.problem?.detail;
  }

  offer(): ToolOffer {
    const shown = this.#session.tools().filter(({ name }) => permits(this.#settings, name));
    const notice = this.#notice(shown.length > 0);
    const same =
      shown.length === this.#shown.length && shown.every((tool, i) => tool === this.#shown[i]);
    if (same && notice === this.#offer.notice) return this.#offer;
    this.#shown = shown;
    const tools = same ? this.#offer.tools : this.#toolsOf(shown);
    this.#offer = { tools, ...(notice === undefined ? {} : { notice }) };
    return this.#offer;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#release();
  }

  #notice(isShown: boolean): string | undefined {
    const { problem } = this.#session;
    if (!problem) return undefined;
    const then = isShown ? 'its tools may fail' : 'its tools are hidden until it is back';
    return `mcp.${this.#settings.id} is out of reach, ${problem.text}: ${then}`;
  }

  /** If two tools have the same id, keeps the first by name. */
  #toolsOf(shown: readonly ServerTool[]): readonly Tool[] {
    const ids = toolIds(
      this.#settings.id,
      shown.map(({ name }) => name),
    );
    const byId = new Map<string, Tool>();
    for (const tool of shown) {
      const id = ids.get(tool.name);
      if (id !== undefined && !byId.has(id)) byId.set(id, this.#toolOf(tool, id));
    }
    return [...byId.values()];
  }

  #toolOf(tool: ServerTool, id: string): Tool {
    const known = this.#made.get(tool);
    if (known?.spec.id === id) return known;
    const { id: server, timeoutMs } = this.#settings;
    const made = toTool(tool, {
      ...{ id, server, timeoutMs, session: this.#session },
      permits: (name) => permits(this.#settings, name),
    });
    this.#made.set(tool, made);
    return made;
  }
}
