import { createInterface, type Interface } from 'node:readline';
import { isFault } from '../../../base/fault.ts';
import { isRefusal } from '../../../base/refusal.ts';
import type { Client } from '../../../client/api/client.ts';
import type { ChatEvent, Conversation } from '../../../client/api/types.ts';
import { connect } from '../../../client/connect.ts';
import { DeltaStreams } from '../../../client/events/delta-streams.ts';
import { fieldsOf } from '../../../client/events/to-event.ts';
import { Screen } from '../../terminal/screen.ts';
import { costLine, costOf, noCost, sum } from '../../terminal/turn-cost.ts';
import { ChatFiles } from './chat-files.ts';
import { type ChatInput, commandList, parseChatInput } from './chat-input.ts';

export type ChatTarget = {
  readonly url: string;
  readonly tenant?: string;
  readonly project?: string;
  /** For a server that requires a token. */
  readonly token?: string | undefined;
  /** How long the server may take to accept a message; default 30 s. */
  readonly timeoutMs?: number;
  /** Absent: a new conversation. */
  readonly conversation?: string;
  readonly bundle?: string;
};

export type ChatIo = {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream & {
    readonly isTTY?: boolean;
    readonly columns?: number;
    hasColors?(): boolean;
  };
  readonly signal: AbortSignal;
  /** Whether keys are read one by one; default: if `output` is a terminal. */
  readonly terminal?: boolean;
};

/** Runs a chat in the terminal until the input ends or Ctrl-C is pressed twice. Returns the exit code. */
export async function chat(
  { conversation: id, bundle, token, ...place }: ChatTarget,
  io: ChatIo,
): Promise<number> {
  const known = token === undefined ? place : { ...place, token: () => token };
  await using client: Client = connect(known);
  const conversation = client.conversation(id, bundle === undefined ? {} : { bundle });
  return await new ChatSession(conversation, { ...io, client }).run();
}

/** Answers to a pending approval. */
const answers: ReadonlyMap<string, boolean> = new Map([
  ['y', true],
  ['yes', true],
  ['n', false],
  ['no', false],
]);

type TurnEnd = Extract<ChatEvent, { type: 'chat.complete' | 'chat.error' }>;

/** Of a terminal that does not say how wide it is. */
const defaultColumns = 80;

class ChatSession {
  readonly #conversation: Conversation;
  readonly #io: ChatIo;
  readonly #files: ChatFiles;
  /** By turn: when it began. */
  readonly #begun = new Map<string, number>();
  #cost = noCost;
  readonly #screen: Screen;
  readonly #lines: Interface;
  readonly #streams = new DeltaStreams();
  readonly #sentMessages = new Set<string>();
  readonly #closed = new AbortController();
  /** Output that arrived while the user typed a line. */
  #buffered = '';
  #working = false;
  #unsentLines = 0;
  /** Resolves after the previous line was sent, so that lines are sent in the order typed. */
  #previousLine = Promise.resolve();
  #inputClosed = false;
  #stopRequested = false;
  /** Approvals that the user has not decided, oldest first. */
  readonly #pendingApprovals: string[] = [];

  constructor(conversation: Conversation, { client, ...io }: ChatIo & { client: Client }) {
    this.#conversation = conversation;
    this.#io = io;
    this.#files = new ChatFiles(client);
    const terminal = io.terminal ?? io.output.isTTY === true;
    const prompt = terminal ? '› ' : '';
    this.#lines = createInterface({ input: io.input, output: io.output, terminal, prompt });
    this.#screen = new Screen({
      colour: io.output.isTTY === true && io.output.hasColors?.() === true,
      ...(terminal ? { columns: io.output.columns ?? defaultColumns } : {}),
      write: (text) => this.#write(text),
    });
  }

  async run(): Promise<number> {
    const { signal } = this.#io;
    const quit = () => this.#closed.abort();
    signal.addEventListener('abort', quit, { once: true });
    this.#lines.on('line', (line) => {
      this.#unsentLines += 1;
      this.#previousLine = this.#previousLine
        .then(() => this.#sendLine(line))
        .finally(() => this.#lineSent());
    });
    this.#lines.on('SIGINT', () => void this.#interrupt());
    this.#lines.on('close', () => this.#inputEnded());
    this.#screen.line(
      '',
      `${this.#conversation.id} · text during a turn adds to it, !text redirects it, Ctrl-C stops it, /help lists more`,
    );
    this.#lines.prompt();
    try {
      await this.#showEvents();
    } finally {
      signal.removeEventListener('abort', quit);
      this.#lines.close();
    }
    return 0;
  }

  async #showEvents(): Promise<void> {
    const { signal } = this.#closed;
    try {
      for await (const event of this.#conversation.events({ signal })) {
        this.#showEvent(event);
        if (this.#inputClosed && this.#isQuiet()) return;
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  #showEvent(event: ChatEvent): void {
    const delta = this.#streams.next(event);
    if (delta && event.type !== 'chat.delta')
      this.#screen.show({ ...event, type: 'chat.delta', delta });
    else this.#screen.show(event);
    if (event.type === 'chat.step') this.#step(event.event.step, fieldsOf(event.data));
    if (event.type === 'chat.files') {
      for (const line of this.#files.add(event.data.items)) this.#screen.line('file', line);
    }
    if (event.type === 'chat.complete' || event.type === 'chat.error') this.#showEnd(event);
    this.#note(event);
  }

  /** What later lines depend on. */
  #note(event: ChatEvent): void {
    if (event.type === 'chat.start') this.#begun.set(event.turnId, Date.parse(event.ts));
    if (event.type === 'chat.approval') this.#pendingApprovals.push(event.data.request);
    if (event.type === 'conv.status') this.#status(event.data.state);
  }

  /** Shows a user's message that was not sent from this terminal. */
  #showUserMessage({ message_id, text }: Readonly<Record<string, unknown>>): void {
    if (!this.#sentMessages.has(String(message_id))) this.#screen.line('you', String(text));
  }

  #step(step: string, data: Readonly<Record<string, unknown>>): void {
    if (step === 'event.accepted') this.#showUserMessage(data);
    if (step === 'approval.closed') this.#approvalClosed(data);
  }

  #approvalClosed({ request }: Readonly<Record<string, unknown>>): void {
    const index = this.#pendingApprovals.indexOf(String(request));
    if (index >= 0) this.#pendingApprovals.splice(index, 1);
  }

  #status(state: string): void {
    this.#working = state === 'in_progress';
    if (this.#working) return;
    this.#stopRequested = false;
    this.#pendingApprovals.length = 0;
    this.#screen.line('', '');
    if (!this.#inputClosed) this.#lines.prompt();
  }

  async #sendLine(line: string): Promise<void> {
    this.#write('');
    const text = line.trim();
    if (text === '') return;
    const [request] = this.#pendingApprovals;
    const yes = answers.get(text.toLowerCase());
    if (request !== undefined && yes !== undefined) {
      await this.#try(() => this.#conversation.decide(request, { allow: yes }));
    } else await this.#try(() => this.#perform(parseChatInput(text)));
  }

  async #perform(input: ChatInput): Promise<void> {
    switch (input.do) {
      case 'message':
      case 'steer':
        return await this.#say(input);
      case 'attach':
        return this.#screen.line('file', await this.#files.attach(input.text));
      case 'save':
        return this.#screen.line('file', await this.#files.save(input));
      case 'files':
        return this.#screen.line('files', this.#files.list());
      case 'cost':
        return this.#screen.line('cost', costLine(this.#cost));
      case 'help':
        return this.#screen.line('help', commandList());
      case 'stop':
        return void (await this.#conversation.stop());
      case 'quit':
        return this.#closed.abort();
      case 'refuse':
        return this.#screen.line('refused', input.because);
    }
  }

  async #say({
    do: kind,
    text,
  }: {
    do: 'message' | 'steer' | 'attach';
    text: string;
  }): Promise<void> {
    const messageId = `msg_${crypto.randomUUID().replaceAll('-', '')}`;
    this.#sentMessages.add(messageId);
    const attachments = this.#files.take();
    const options = { messageId, ...(attachments.length > 0 ? { attachments } : {}) };
    try {
      if (kind === 'steer') await this.#conversation.steer(text, options);
      else if (this.#working) await this.#conversation.followup(text, options);
      else {
        this.#working = true;
        await this.#conversation.send(text, options);
      }
    } catch (error) {
      this.#files.giveBack(attachments);
      throw error;
    }
  }

  #showEnd({ type, turnId, ts, data }: TurnEnd): void {
    const ms = Date.parse(ts) - (this.#begun.get(turnId) ?? Date.parse(ts));
    const cost = costOf(fieldsOf(data), ms);
    this.#cost = sum(this.#cost, cost);
    const reason = type === 'chat.complete' ? fieldsOf(data)['reason'] : 'completed';
    const label = reason === 'completed' ? [] : [String(reason)];
    this.#screen.line('turn', [...label, costLine(cost)].join(' · '), 'dim');
  }

  /** The first Ctrl-C stops the turn; a second one, or one without a running turn, exits. */
  async #interrupt(): Promise<void> {
    if (!this.#working || this.#stopRequested) {
      this.#closed.abort();
      return;
    }
    this.#stopRequested = true;
    this.#screen.line('', 'stopping the turn; press Ctrl-C again to exit');
    await this.#try(() => this.#conversation.stop());
  }

  #lineSent(): void {
    this.#unsentLines -= 1;
    if (!this.#isQuiet()) return;
    if (this.#inputClosed) this.#closed.abort();
    else this.#lines.prompt();
  }

  async #try(send: () => Promise<unknown>): Promise<void> {
    try {
      await send();
    } catch (error) {
      if (!isRefusal(error) && !isFault(error)) throw error;
      this.#screen.line(isFault(error) ? 'error' : 'refused', error.message);
      this.#working = this.#conversation.state.status === 'working';
    }
  }

  #inputEnded(): void {
    this.#inputClosed = true;
    if (this.#isQuiet()) this.#closed.abort();
  }

  #isQuiet(): boolean {
    return !this.#working && this.#unsentLines === 0;
  }

  /** Holds output back while the user types, and shows it after the line was sent. */
  #write(text: string): void {
    this.#buffered += text;
    if (this.#lines.terminal && this.#lines.line !== '' && !this.#inputClosed) return;
    this.#io.output.write(this.#buffered);
    this.#buffered = '';
  }
}
