import { setTimeout } from 'node:timers/promises';
import {
  type AgentCapabilities,
  type ClientConnection,
  client,
  type McpServer,
  methods,
  ndJsonStream,
  PROTOCOL_VERSION,
  type PromptRequest,
  type RequestPermissionRequest,
  type RequestPermissionResponse,
  type SessionUpdate,
} from '@agentclientprotocol/sdk';
import { Fault } from '../../../base/fault.ts';
import { agentPaths, type SandboxedProcess } from '../../../engine/ports/agent-sandbox.ts';
import type {
  ExternalAgent,
  ExternalEvent,
  ExternalUsage,
} from '../../../engine/ports/external-agent.ts';
import type { ProgramMcpServer } from '../../../sdk/contract/agent-settings.ts';
import { EventQueue } from './event-queue.ts';
import { KnownCalls } from './known-calls.ts';
import { acpCancelMsMax, acpExitMsMax, acpMessageBytesMax } from './limits.ts';
import { canUse, toMcpServers } from './mcp-servers.ts';
import { answerPermission, toPermission } from './permission.ts';
import { textOf } from './to-parts.ts';
import { addCost, noUsage, usageOf } from './usage.ts';
import { fromReadable, toWritable } from './web-streams.ts';

type Waits = { readonly signal: AbortSignal };

type Place = {
  /** The earlier session. */
  readonly before: string | undefined;
  readonly mcpServers: readonly ProgramMcpServer[];
  /** Variables of the program, which texts of its servers may name. */
  readonly env: Readonly<Record<string, string>>;
};

/** The Agent Client Protocol with one process: one session, one prompt at a time. */
export class AcpSession {
  readonly #connection: ClientConnection;
  readonly #process: SandboxedProcess;
  #session = '';
  #isResumed = false;
  #leftOut: readonly string[] = [];
  #about: ExternalAgent['about'] = { name: 'agent', version: '' };
  /** Absent between prompts: what a program replays of an old session is on the log already. */
  #queue: EventQueue | undefined;
  #calls = new KnownCalls();
  #cost: { total: number; atPrompt: number } = { total: 0, atPrompt: 0 };
  #withdraw = new AbortController();

  constructor(process: SandboxedProcess) {
    this.#process = process;
    const maxMessageBytes = acpMessageBytesMax;
    const stream = ndJsonStream(toWritable(process.stdin), fromReadable(process.stdout), {
      maxMessageBytes,
    });
    this.#connection = client({ name: 'timeloom' })
      .onRequest(methods.client.session.requestPermission, ({ params }) => this.#ask(params))
      .onNotification(methods.client.session.update, ({ params }) => this.#note(params.update))
      .connect(stream);
    const lost = async () => {
      const how = await process.exited;
      this.#connection.close();
      this.#queue?.fail(new Fault('AGENT_FAILED', { because: how }));
    };
    void lost();
  }

  get session(): string {
    return this.#session;
  }

  get isResumed(): boolean {
    return this.#isResumed;
  }

  /** MCP servers that the program cannot reach. */
  get leftOut(): readonly string[] {
    return this.#leftOut;
  }

  get about(): ExternalAgent['about'] {
    return this.#about;
  }

  /** Ends the current prompt with this fault. */
  fail(fault: Fault): void {
    this.#queue?.fail(fault);
  }

  /** Opens a session, the earlier one if the program still has it. Fault `AGENT_FAILED`. */
  start(place: Place, { signal }: Waits): Promise<void> {
    return this.#unlessGone(this.#start(place, signal), signal);
  }

  /** Introduces itself; `start` does this too. Whether the program continues sessions. Fault `AGENT_FAILED`. */
  async introduce({ signal }: Waits): Promise<boolean> {
    const { loadSession } = await this.#unlessGone(this.#introduce(signal), signal);
    return loadSession === true;
  }

  /** What a program has not answered when it ends is a fault with the reason of its end. */
  async #unlessGone<T>(asked: Promise<T>, signal: AbortSignal): Promise<T> {
    asked.catch(() => undefined);
    const gone = this.#process.exited.then((how): never => {
      throw new Fault('AGENT_FAILED', { because: how });
    });
    gone.catch(() => undefined);
    try {
      return await Promise.race([asked, gone]);
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof Fault) throw error;
      throw new Fault('AGENT_FAILED', { because: await this.#reason(error) }, { cause: error });
    }
  }

  async #introduce(signal: AbortSignal): Promise<AgentCapabilities> {
    const ready = await this.#connection.agent.request(
      methods.agent.initialize,
      {
        protocolVersion: PROTOCOL_VERSION,
        clientInfo: { name: 'timeloom', version: '1' },
        // The program reads, writes and runs commands itself, in its sandbox.
        clientCapabilities: {
          fs: { readTextFile: false, writeTextFile: false },
          terminal: false,
          _meta: { terminal_output: true },
        },
      },
      { cancellationSignal: signal },
    );
    const { name = 'agent', version = '' } = ready.agentInfo ?? {};
    this.#about = { name, version };
    return ready.agentCapabilities ?? {};
  }

  async #start({ before, mcpServers, env }: Place, signal: AbortSignal): Promise<void> {
    const capabilities = await this.#introduce(signal);
    const servers = toMcpServers(mcpServers, env);
    const usable = servers.filter((server) => canUse(capabilities, server));
    this.#leftOut = servers.filter((each) => !usable.includes(each)).map(({ name }) => name);
    const place = { cwd: agentPaths.workspace, mcpServers: usable };
    const canLoad = before !== undefined && capabilities.loadSession === true;
    if (canLoad && (await this.#load(before, place, signal))) return;
    const waits = { cancellationSignal: signal };
    const { agent } = this.#connection;
    this.#session = (await agent.request(methods.agent.session.new, place, waits)).sessionId;
  }

  async #load(
    sessionId: string,
    place: { cwd: string; mcpServers: McpServer[] },
    signal: AbortSignal,
  ): Promise<boolean> {
    try {
      const request = { ...place, sessionId };
      const waits = { cancellationSignal: signal };
      await this.#connection.agent.request(methods.agent.session.load, request, waits);
      this.#session = sessionId;
      this.#isResumed = true;
      return true;
    } catch (error) {
      signal.throwIfAborted();
      // The program does not have the session any more: it begins a new one and reads the history.
      if (this.#connection.signal.aborted) throw error;
      return false;
    }
  }

  /** Sends a prompt and yields what follows. Fault `AGENT_FAILED` if the program ends, or does not stop when asked to. */
  async *prompt(text: string, { signal }: Waits): AsyncGenerator<ExternalEvent> {
    const queue = new EventQueue();
    this.#queue = queue;
    this.#calls = new KnownCalls();
    this.#withdraw = new AbortController();
    this.#cost.atPrompt = this.#cost.total;
    const force = new AbortController();
    const cancel = () => {
      void this.#cancel();
      const late = new Fault('AGENT_FAILED', { because: 'it did not stop in time' });
      setTimeout(acpCancelMsMax, undefined, { signal: force.signal }).then(
        () => queue.fail(late),
        () => undefined,
      );
    };
    signal.addEventListener('abort', cancel);
    try {
      void this.#send(text, queue);
      if (signal.aborted) cancel();
      yield* queue.events();
    } finally {
      force.abort();
      signal.removeEventListener('abort', cancel);
      this.#withdraw.abort();
      this.#queue = undefined;
    }
  }

  async #send(text: string, queue: EventQueue): Promise<void> {
    const request: PromptRequest = { sessionId: this.#session, prompt: [{ type: 'text', text }] };
    try {
      const { agent } = this.#connection;
      const response = await agent.request(methods.agent.session.prompt, request);
      queue.push({
        kind: 'ended',
        why: endings[response.stopReason],
        usage: this.#usage(response),
      });
    } catch (error) {
      queue.fail(new Fault('AGENT_FAILED', { because: await this.#reason(error) }));
    }
  }

  /** How the process has ended, if that is why a request failed. */
  async #reason(error: unknown): Promise<string> {
    if (!this.#connection.signal.aborted) return messageOf(error);
    const late = setTimeout(acpExitMsMax, 'it has closed its output', { ref: false });
    return Promise.race([this.#process.exited, late]);
  }

  #usage(response: unknown): ExternalUsage {
    const used = usageOf(response) ?? noUsage;
    return { ...used, costUsd: this.#cost.total - this.#cost.atPrompt };
  }

  async #cancel(): Promise<void> {
    this.#withdraw.abort();
    const { agent } = this.#connection;
    const cancelled = agent.notify(methods.agent.session.cancel, { sessionId: this.#session });
    // A program that has ended needs no message.
    await cancelled.catch(() => undefined);
  }

  #note(update: SessionUpdate): void {
    if (update.sessionUpdate === 'usage_update') addCost(this.#cost, update.cost);
    const event = this.#toEvent(update);
    if (event) this.#queue?.push(event);
  }

  #toEvent(update: SessionUpdate): ExternalEvent | undefined {
    switch (update.sessionUpdate) {
      case 'agent_message_chunk':
        return { kind: 'message', text: textOf(update.content) };
      case 'agent_thought_chunk':
        return { kind: 'thought', text: textOf(update.content) };
      case 'tool_call':
      case 'tool_call_update':
        return this.#calls.toEvent(update);
      case 'plan':
        return {
          kind: 'plan',
          steps: update.entries.map(({ content, status }) => ({
            text: content,
            status: status === 'completed' ? 'done' : status,
          })),
        };
      default:
        return undefined;
    }
  }

  async #ask(params: RequestPermissionRequest): Promise<RequestPermissionResponse> {
    const queue = this.#queue;
    if (!queue) return { outcome: { outcome: 'cancelled' } };
    const { signal } = this.#withdraw;
    const state = this.#calls.update(params.toolCall);
    return answerPermission(params, {
      signal,
      ask: (answer) => queue.push(toPermission(params, { ...state, answer })),
    });
  }
}

const endings = {
  end_turn: 'done',
  cancelled: 'stopped',
  max_tokens: 'limit',
  max_turn_requests: 'limit',
  refusal: 'refused',
} as const;

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : JSON.stringify(error);
}
