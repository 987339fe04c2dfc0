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

/** `B`: the bundle; clients are typed from it. */
export interface TestRuntime<B = unknown> extends AsyncDisposable {
  readonly model: ScriptedModel;
  /** A prompt in the one conversation of the test's own user. */
  send(text: string): Promise<Turn>;
  connect(options?: { user?: string; tools?: ClientTools<B> }): Client<B>;
  /**
   * Asks an operation of the bundle over HTTP, as the test's own user unless a header `x-timeloom-user` says another. Of
   * the request's address only the query counts.
   */
  operation(id: string, request: Request): Promise<Response>;
  /**
   * Runs a job now: a tick of its schedule, or with this input. Rejects with what it threw or refused. Of a queue without
   * `input`: resolves when what was enqueued is done, which begins by itself; rejects with the first that failed.
   */
  job(id: string, input?: Json): Promise<void>;
  /** The worker is gone as by `kill -9`; another one takes over. */
  crash(): Promise<void>;
}

export type TestOptions<B extends Bundle = Bundle> = {
  bundle: B;
  /** What the model says, in order. */
  model: readonly Reply[];
  clock?: ManualClock;
  /** Where generated code runs; `off` unless told. Refused where nothing can isolate it. */
  exec?: ExecChoice;
  props?: Record<string, Json>;
  secrets?: Record<string, string>;
  /** What users have set for themselves, by user; the test's own user is `test`. */
  userSecrets?: Record<string, Record<string, string>>;
  /** Answers what the bundle fetches; without it there is no network. */
  fetch?: (request: Request) => Response | Promise<Response>;
  /** The bundle's folder; the folder of the calling file unless told. */
  dir?: string;
};
