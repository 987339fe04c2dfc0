import type { Reply } from '../adapters/models/scripted/reply.ts';
import type { ScriptedControl } from '../adapters/models/scripted/scripted-model.ts';
import type { Json } from '../base/json.ts';
import type { Client, ClientTools } from '../client/api/client.ts';
import type { Turn } from '../client/api/types.ts';
import type { Bundle } from '../sdk/define/bundle.ts';
import type { ManualClock } from './clock.ts';
import type { ExecChoice } from './platform.ts';

export type { Reply };
export type ScriptedModel = ScriptedControl;

/** `B` is the bundle type; clients are typed from it. */
export interface TestRuntime<B = unknown> extends AsyncDisposable {
  readonly model: ScriptedModel;
  /** Address of the gateway, for clients of other protocols. */
  readonly url: string;
  /** Sends a prompt to the conversation of the test's default user. */
  send(text: string): Promise<Turn>;
  connect(options?: { user?: string; tools?: ClientTools<B> }): Client<B>;
  /**
   * Calls an operation of the bundle over HTTP, as the test's default user unless the header `x-timeloom-user` names
   * another. Only the query of the request's URL is used.
   */
  operation(id: string, request: Request): Promise<Response>;
  /**
   * Runs a job now: one tick of its schedule, or with this input. Rejects with the error or refusal of the job. For a queue
   * without `input`: resolves when all enqueued items are done, and rejects with the first error.
   */
  job(id: string, input?: Json): Promise<void>;
  /** Stops the worker like `kill -9`; another worker takes over. */
  crash(): Promise<void>;
}

export type TestOptions<B extends Bundle = Bundle> = {
  bundle: B;
  /** The model's replies, in order. */
  model: readonly Reply[];
  clock?: ManualClock;
  /** Where generated code runs; default `off`. Fails if no sandbox is available. */
  exec?: ExecChoice;
  props?: Record<string, Json>;
  secrets?: Record<string, string>;
  /** Secrets that users have set, by user; the test's default user is `test`. */
  userSecrets?: Record<string, Record<string, string>>;
  /** Props that users have set for themselves, by user. */
  userProps?: Record<string, Record<string, Json>>;
  /** Answers requests that the bundle fetches; without it, every fetch fails. */
  fetch?: (request: Request) => Response | Promise<Response>;
  /** The bundle's folder; default: the folder of the calling file. */
  dir?: string;
};
