import { createInterface, type Interface } from 'node:readline';
import { isRefusal } from '../../../base/refusal.ts';
import type { Client } from '../../../client/api/client.ts';
import type { ChatEvent, Conversation } from '../../../client/api/types.ts';
import { connect } from '../../../client/connect.ts';
import { Streams } from '../../../client/events/delta-streams.ts';
import { fieldsOf } from '../../../client/events/to-event.ts';
import { Screen } from '../../terminal/screen.ts';

export type ChatPlace = {
  readonly url: string;
  readonly tenant?: string;
  readonly project?: string;
  /** Of a server that asks for one. */
  readonly token?: string | undefined;
  /** Absent: a new one. */
  readonly conversation?: string;
  readonly bundle?: string;
};

export type ChatIo = {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream & { readonly isTTY?: boolean };
  readonly signal: AbortSignal;
  /** Whether keys are read one by one; by default when `output` is a terminal. */
  readonly terminal?: boolean;
};

/** Talks in a terminal until the input ends or Ctrl-C is pressed twice. Returns the exit code. */
export async function chat(
  { conversation: id, bundle, token, ...place }: ChatPlace,
  io: ChatIo,
): Promise<number> {
  const known = token === undefined ? place : { ...place, token: () => token };
  await using client: Client = connect(known);
  const conversation = client.conversation(id, bundle === undefined ? {} : { bundle });
  const talk = new Talk(conversation, io);
  return await talk.run();
}

/** What a line says while somebody is asked. */
const answers: ReadonlyMap<string, boolean> = new Map([
  ['y', true],
  ['yes', true],
  ['n', false],
  ['no', false],
]);

class Talk {
  readonly #conversation: Conversation;
  readonly #io: ChatIo;
  readonly #screen: Screen;
  readonly #lines: Interface;
  readonly #streams = new Streams();
  readonly #own = new Set<string>();
  readonly #over = new AbortController();
  /** Output that came while a line was being typed. */
  #held = '';
  #working = false;
  #sending = 0;
  /** The line before, until it is sent: lines arrive in the order in which they were typed. */
  #before = Promise.resolve();
  #ended = false;
  #stopAsked = false;
  /** What the user is asked and has not decided, oldest first. */
  readonly #asked: string[] = [];

  constructor(conversation: Conversation, io: ChatIo) {
    this.#conversation = conversation;
    this.#io = io;
    const terminal = io.terminal ?? io.output.isTTY === true;
    this.#lines = createInterface({ input: io.input, output: io.output, terminal, prompt: '› ' });
    this.#screen = new Screen({
      colour: io.output.isTTY === true,
      write: (text) => this.#write(text),
    });
  }

  async run(): Promise<number> {
    const { signal } = this.#io;
    const quit = () => this.#over.abort();
    signal.addEventListener('abort', quit, { once: true });
    this.#lines.on('line', (line) => {
      this.#sending += 1;
      this.#before = this.#before.then(() => this.#say(line)).finally(() => this.#sent());
    });
    this.#lines.on('SIGINT', () => void this.#interrupt());
    this.#lines.on('close', () => this.#inputEnded());
    this.#screen.line(
      '',
      `${this.#conversation.id} · typing while it works adds to it, !text redirects, Ctrl-C stops`,
    );
    this.#lines.prompt();
    try {
      await this.#show();
    } finally {
      signal.removeEventListener('abort', quit);
      this.#lines.close();
    }
    return 0;
  }

  async #show(): Promise<void> {
    const { signal } = this.#over;
    try {
      for await (const event of this.#conversation.events({ signal })) {
        this.#tell(event);
        if (this.#ended && this.#isQuiet()) return;
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  #tell(event: ChatEvent): void {
    const delta = this.#streams.next(event);
    if (delta && event.type !== 'chat.delta')
      this.#screen.show({ ...event, type: 'chat.delta', delta });
    else this.#screen.show(event);
    if (event.type === 'chat.approval') this.#asked.push(event.data.request);
    if (event.type === 'chat.step') this.#step(event.event.step, fieldsOf(event.data));
    if (event.type === 'chat.files') {
      for (const { filename, path } of event.data.items)
        this.#screen.line('file', `${filename}  ${path}`);
    }
    if (event.type === 'chat.complete' && event.data.reason !== 'completed') {
      this.#screen.line('turn', event.data.reason);
    }
    if (event.type === 'conv.status') this.#status(event.data.state);
  }

  /** What somebody said who is not typing here. */
  #heard({ message_id, text }: Readonly<Record<string, unknown>>): void {
    if (!this.#own.has(String(message_id))) this.#screen.line('you', String(text));
  }

  #step(step: string, data: Readonly<Record<string, unknown>>): void {
    if (step === 'event.accepted') this.#heard(data);
    if (step === 'approval.closed') this.#decided(data);
  }

  #decided({ request }: Readonly<Record<string, unknown>>): void {
    const index = this.#asked.indexOf(String(request));
    if (index >= 0) this.#asked.splice(index, 1);
  }

  #status(state: string): void {
    this.#working = state === 'in_progress';
    if (this.#working) return;
    this.#stopAsked = false;
    this.#asked.length = 0;
    this.#screen.line('', '');
    if (!this.#ended) this.#lines.prompt();
  }

  async #say(line: string): Promise<void> {
    this.#write('');
    const text = line.trim();
    if (text === '') return;
    const [request] = this.#asked;
    const yes = answers.get(text.toLowerCase());
    if (request !== undefined && yes !== undefined) {
      await this.#try(() => this.#conversation.decide(request, { allow: yes }));
      return;
    }
    const messageId = `msg_${crypto.randomUUID().replaceAll('-', '')}`;
    this.#own.add(messageId);
    await this.#try(() => {
      if (text.startsWith('!'))
        return this.#conversation.steer(text.slice(1).trim(), { messageId });
      if (this.#working) return this.#conversation.followup(text, { messageId });
      this.#working = true;
      return this.#conversation.send(text, { messageId });
    });
  }

  /** The first Ctrl-C stops what works; the next one, or one with nothing at work, leaves. */
  async #interrupt(): Promise<void> {
    if (!this.#working || this.#stopAsked) {
      this.#over.abort();
      return;
    }
    this.#stopAsked = true;
    this.#screen.line('', 'stopping; Ctrl-C again leaves');
    await this.#try(() => this.#conversation.stop());
  }

  #sent(): void {
    this.#sending -= 1;
    if (this.#ended && this.#isQuiet()) this.#over.abort();
  }

  async #try(send: () => Promise<unknown>): Promise<void> {
    try {
      await send();
    } catch (error) {
      if (!isRefusal(error)) throw error;
      this.#screen.line('refused', error.message);
      this.#working = this.#conversation.state.status === 'working';
    }
  }

  #inputEnded(): void {
    this.#ended = true;
    if (this.#isQuiet()) this.#over.abort();
  }

  #isQuiet(): boolean {
    return !this.#working && this.#sending === 0;
  }

  /** A line that is being typed stays whole: what comes meanwhile is shown once it is sent. */
  #write(text: string): void {
    this.#held += text;
    if (this.#lines.terminal && this.#lines.line !== '' && !this.#ended) return;
    this.#io.output.write(this.#held);
    this.#held = '';
  }
}
