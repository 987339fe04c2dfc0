import { Duplex, PassThrough } from 'node:stream';
import type { Clock } from '../../../../runtime/base/clock.ts';
import { Fault } from '../../../../runtime/base/fault.ts';
import type { Ids } from '../../../../runtime/base/ids.ts';
import { isJsonObject, type JsonObject } from '../../../../runtime/base/json.ts';
import { silentLog } from '../../../../runtime/base/log.ts';
import type { Block } from '../../../../runtime/timeline/block.ts';
import type { BlobStore } from '../../../../runtime/timeline/ports/blobs.ts';
import { createExecTools } from '../../../../runtime/tools/exec/run/exec-tools.ts';
import type { Sandbox } from '../../../../runtime/tools/ports/sandbox.ts';
import type { Tool } from '../../../../runtime/tools/ports/tool.ts';
import { type Cell, type Exit, killedExit } from '../../../../supervisor/cell/cell.ts';
import { runExecution } from '../../../../supervisor/execution/run-execution.ts';
import { openWarmCell } from '../../../../supervisor/pool/open-warm-cell.ts';
import { encodeFrame, FrameDecoder } from '../../../../supervisor/protocol/frame.ts';
import { protocolVersion } from '../../../../supervisor/protocol/messages.ts';
import type { Chance } from './chance.ts';
import type { Run } from './random-tools.ts';

const callsMax = 3;
const fullDisk = 0.4;
export const programTool = 'exec_tools.execute_code_python';
export const programFile = 'outputs/a.txt';

type Parts = {
  readonly chance: Chance;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly blobs: BlobStore;
};

/**
 * Programs that call tools and leave a file, on a disk that may be full when the file is collected. Everything except
 * the process is real.
 */
export function createProgramTools({ chance, clock, ids, blobs }: Parts): readonly Tool[] {
  const sandbox: Sandbox = {
    backend: 'simulated',
    languages: ['python'],
    run: (request, host, { signal }) =>
      runExecution(request, host, {
        backend: 'simulated',
        startsMax: 2,
        blobs,
        clock,
        log: silentLog,
        signal,
        take: (kind) =>
          openWarmCell(
            { ...kind, folders: [] },
            { open: async () => new SimulatedCell(chance), signal },
          ),
        finish: () => undefined,
      }),
  };
  return createExecTools({ sandbox, ids, clock }).filter(({ spec }) => spec.id === programTool);
}

/** A program without a process: it makes its calls one after the other and ends. */
class SimulatedCell implements Cell {
  readonly stream: Duplex;
  readonly stdout = new PassThrough();
  readonly stderr = new PassThrough();
  readonly memory = 'kernel';
  readonly exited: Promise<Exit>;
  readonly #chance: Chance;
  #callsLeft: number;
  #calls = 0;
  #exit: (exit: Exit) => void = () => undefined;

  constructor(chance: Chance) {
    this.#chance = chance;
    this.#callsLeft = chance.below(callsMax + 1);
    this.exited = new Promise((resolve) => {
      this.#exit = resolve;
    });
    const decoder = new FrameDecoder();
    this.stream = new Duplex({
      read: () => undefined,
      write: (chunk, _, done) => {
        // Its start message, or the result of its last call.
        if ([...decoder.push(chunk)].length > 0) this.#goOn();
        done();
      },
    });
    this.stream.push(encodeFrame({ type: 'hello', version: protocolVersion }));
  }

  #goOn(): void {
    if (this.#callsLeft === 0) {
      this.#end({ code: 0, outOfMemory: false, lost: false });
      return;
    }
    this.#callsLeft -= 1;
    this.#calls += 1;
    const tool = this.#chance.one(['sim.keyed', 'sim.once', 'sim.read']);
    const call = { type: 'tool_call', id: `c${this.#calls}`, tool, input: {}, reason: '' };
    this.stream.push(encodeFrame(call));
  }

  #end(exit: Exit): void {
    this.stream.push(null);
    this.stdout.end();
    this.stderr.end();
    this.#exit(exit);
  }

  collect: Cell['collect'] = async (_, { keep, found }) => {
    if (this.#chance.happens(fullDisk)) throw new Fault('BLOBS_UNAVAILABLE', { because: 'ENOSPC' });
    const file = { path: programFile, size: 1 };
    found.set(file.path, { kind: 'file', blob: await keep.put(file, letter()) });
  };

  kill = () => this.#end(killedExit);
  settle = async () => undefined;
  stageInputs = async () => undefined;
  mountFile = async () => undefined;
  [Symbol.asyncDispose] = async () => this.kill();
}

async function* letter(): AsyncIterable<Uint8Array> {
  yield Buffer.from('a');
}

/**
 * A finished program reports every call it made, whatever happened to its files; effects that may happen once happen
 * once.
 */
export function programFaults(blocks: readonly Block[], runs: readonly Run[]): readonly string[] {
  return blocks
    .filter((block) => block.type === 'react.tool.call' && isProgram(block))
    .flatMap(({ call = '' }) => {
      const own = runs.filter(({ key }) => key.startsWith(`${call}.`));
      const result = blocks.find((each) => each.type === 'react.tool.result' && each.call === call);
      const reported = JSON.stringify(fieldsOf(fieldsOf(result?.data)['ret'])['calls'] ?? []);
      const ended = isCollected(result) || isNotCollected(result);
      return own.flatMap(({ key, tool }) => [
        ...(tool === 'sim.once' && own.filter((each) => each.key === key).length > 1
          ? [`${tool} ran again under ${key}`]
          : []),
        ...(ended && !reported.includes(`"${key.slice(call.length + 1)}"`)
          ? [`the result of ${call} does not tell of ${key}`]
          : []),
      ]);
    });
}

/** Whether a call runs a program. */
export function isProgram({ data }: Block): boolean {
  return fieldsOf(data)['tool'] === programTool;
}

export function isNotCollected(block: Block | undefined): boolean {
  return fieldsOf(fieldsOf(block?.data)['error'])['code'] === 'not_collected';
}

function isCollected(block: Block | undefined): boolean {
  return fieldsOf(block?.data)['ok'] === true;
}

function fieldsOf(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}
