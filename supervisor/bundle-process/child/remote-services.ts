import { Readable } from 'node:stream';
import { readBytes } from '../../../runtime/base/bytes/read-bytes.ts';
import { Fault } from '../../../runtime/base/fault.ts';
import type { JsonObject } from '../../../runtime/base/json.ts';
import { Refusal } from '../../../runtime/base/refusal.ts';
import { Semaphore } from '../../../runtime/base/semaphore.ts';
import { canvasesPerCallMax } from '../../../runtime/tools/limits.ts';
import type {
  FileWrite,
  ResolvedPath,
  TurnServices,
} from '../../../runtime/tools/ports/call-services.ts';
import type { ToolResult } from '../../../runtime/tools/ports/tool.ts';
import { notificationsPerCallMax, requestsPerCallMax } from '../rpc/limits.ts';
import type { Method, Peer } from '../rpc/peer.ts';
import { callMethods, notifications } from '../rpc/rpc-protocol.ts';
import { type Offers, pullStream } from '../rpc/streams.ts';
import { RemotePage } from './remote-page.ts';

type RemoteParts = { readonly peer: Peer; readonly offers: Offers };

/** The services of one call for a tool in a separate process; they forward to the worker. */
export class RemoteServices implements TurnServices {
  readonly #home: RemoteParts;
  readonly #call: number;
  readonly #few = new Semaphore(requestsPerCallMax);
  readonly #pages: RemotePage[] = [];
  #sentCount = 0;
  #unshown = 0;
  #over = false;

  constructor(call: number, home: RemoteParts) {
    this.#call = call;
    this.#home = home;
  }

  /** Ends the call; returns the number of dropped notifications. */
  end(): number {
    for (const page of this.#pages) page.flush();
    this.#over = true;
    return this.#unshown;
  }

  read: TurnServices['read'] = async (path) =>
    (await this.#ask(callMethods.read, { call: this.#call, path })) ?? undefined;

  bytes: TurnServices['bytes'] = async (resolved: ResolvedPath) => {
    const { blob, text = '' } = resolved;
    if (!blob) return new TextEncoder().encode(text);
    const limit = { bytesMax: blob.size, what: resolved.path };
    return await readBytes(await this.stream(resolved), limit);
  };

  stream: TurnServices['stream'] = async ({ blob, path, text }: ResolvedPath) => {
    if (!blob) return Readable.from([new TextEncoder().encode(text ?? '')]);
    return pullStream(
      this.#home.peer,
      await this.#ask(callMethods.bytes, { call: this.#call, path }),
    );
  };

  writeFile: TurnServices['writeFile'] = async ({ bytes, ...file }: FileWrite) => {
    const { offers } = this.#home;
    const stream = offers.offer(bytes);
    try {
      return await this.#ask(callMethods.write, { call: this.#call, file, stream });
    } finally {
      await offers.drop(stream);
    }
  };

  addSources: TurnServices['addSources'] = (rows) =>
    this.#ask(callMethods.addSources, { call: this.#call, rows: [...rows] });

  search: TurnServices['search'] = (query) =>
    this.#ask(callMethods.search, { call: this.#call, query });

  turns: TurnServices['turns'] = (query) =>
    this.#ask(callMethods.turns, { call: this.#call, query });

  callTool = (tool: string, input: JsonObject): Promise<ToolResult> =>
    this.#ask(callMethods.callTool, { call: this.#call, tool, input });

  progress: TurnServices['progress'] = (progress) =>
    this.#showInOrder(notifications.progress, progress);

  emit: TurnServices['emit'] = (type, data) =>
    this.#showInOrder(notifications.emit, { type, data });

  note: TurnServices['note'] = (text, { tag } = {}) =>
    this.#showInOrder(notifications.note, { text, ...(tag === undefined ? {} : { tag }) });

  /** As in the worker, a late notice is ignored. */
  notice: TurnServices['notice'] = (code, text) => this.#show(notifications.notice, { code, text });

  canvas: TurnServices['canvas'] = (name, { mime, title }) => {
    if (this.#pages.length >= canvasesPerCallMax) {
      throw new Refusal('too_many', `A call may open ${canvasesPerCallMax} canvases.`);
    }
    const page = this.#pages.length + 1;
    this.#showInOrder(notifications.openPage, {
      page,
      name,
      mime,
      ...(title === undefined ? {} : { title }),
    });
    const writer = new RemotePage({
      write: (text) => this.#show(notifications.writePage, { page, text }),
      close: () => this.#show(notifications.closePage, { page }),
    });
    this.#pages.push(writer);
    return writer;
  };

  nested: TurnServices['nested'] = () => notAvailable();

  keep: TurnServices['keep'] = () => notAvailable();

  #ask<Body, Answer>(order: Method<Body, Answer>, body: Body): Promise<Answer> {
    this.#assertOpen();
    return this.#few.run(() => this.#home.peer.ask(order, body));
  }

  /** Keeps the order of the tool: flushes pages first. */
  #showInOrder<Body extends object>(
    order: Method<Body & { call: number }, void>,
    body: Body,
  ): void {
    this.#assertOpen();
    for (const page of this.#pages) page.flush();
    this.#show(order, body);
  }

  /** Never throws: a dropped notification must not lose work. */
  #show<Body extends object>(order: Method<Body & { call: number }, void>, body: Body): void {
    const isTaken =
      !this.#over &&
      this.#sentCount < notificationsPerCallMax &&
      this.#home.peer.notify(order, { ...body, call: this.#call });
    if (isTaken) this.#sentCount += 1;
    else this.#unshown += 1;
  }

  #assertOpen(): void {
    if (this.#over) throw new Refusal('call_over', 'The call this belongs to is over.');
  }
}

/** For services that only the worker has. */
function notAvailable(): never {
  throw new Fault('NOT_AVAILABLE', { because: 'nested calls in a separate process' });
}
