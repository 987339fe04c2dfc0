import { expect, test } from 'vitest';
import { openMemoryBlobStore } from '../../../../runtime/adapters/memory/blob-store.ts';
import { systemClock } from '../../../../runtime/adapters/system/clock.ts';
import { randomIds } from '../../../../runtime/adapters/system/ids.ts';
import { DecisionReader } from '../../../../runtime/channels/decision/decision-reader.ts';
import { Prewarm } from '../../../../runtime/engine/perform/ask/prewarm.ts';
import { emptyView } from '../../../../runtime/timeline/fold/fold.ts';
import { toTurnId } from '../../../../runtime/timeline/ids.ts';
import { toBlockPath } from '../../../../runtime/timeline/paths.ts';
import { createExecTools } from '../../../../runtime/tools/exec/run/exec-tools.ts';
import type { ProgramKind, Sandbox } from '../../../../runtime/tools/ports/sandbox.ts';

// proves: exec.expected

/** A sandbox that only records the expected runs. */
function expecting(...pulled: string[]) {
  const kinds: ProgramKind[] = [];
  const sandbox: Sandbox = {
    backend: 'none',
    languages: ['python', 'javascript'],
    run: () => {
      throw new Error('nothing is run here');
    },
    prepare: (kind) => {
      kinds.push(kind);
      return { [Symbol.dispose]: () => void kinds.splice(kinds.indexOf(kind), 1) };
    },
  };
  const parts = { blobs: openMemoryBlobStore(), ids: randomIds, clock: systemClock };
  const tools = createExecTools({ ...parts, sandbox });
  const seen = {
    turn: toTurnId('turn_00000000000000000002'),
    view: { ...emptyView, pulled: new Set(pulled.map(toBlockPath)) },
  };
  const exec = { languages: [], timeoutMs: 5_000, memoryMb: 300, fileMb: 7 };
  return { kinds, prewarm: new Prewarm({ tools, exec }, seen) };
}

test('an executor is prewarmed as soon as the decision names its tool, with the limits of the agent', () => {
  const { kinds, prewarm } = expecting();
  const reader = new DecisionReader();
  const written = '{"action":"call_tool","tool_call":{"tool_id":"exec_tools.execute_code_python",';
  for (const character of written) {
    expect(kinds).toEqual([]);
    reader.push(character);
    if (reader.identity) {
      prewarm.identified(reader.identity);
      break;
    }
  }
  expect(kinds).toMatchObject([
    { language: 'python', limits: { timeoutMs: 5_000, memoryMb: 300, fileMb: 7 } },
  ]);
});

// proves: exec.docker-inputs-warm
test('the turns whose pulled files a program will find are known before the program is written', () => {
  const [old, older, own] = [1, 0, 2].map((n) => `turn_0000000000000000000${n}`);
  const { kinds, prewarm } = expecting(
    `fi:${old}.outputs/a.csv`,
    `fi:${old}.files/b/c.txt`,
    `fi:${older}.user.attachments/d.pdf`,
    `fi:${own}.outputs/e.csv`,
  );
  prewarm.identified({ action: 'call_tool', tool: 'exec_tools.execute_code_python' });
  expect(kinds).toMatchObject([{ language: 'python', folders: [old, older] }]);
});

test('prewarmed executors of a stopped reply are released', () => {
  const { kinds, prewarm } = expecting();
  const tool = 'exec_tools.execute_code_javascript';
  prewarm.identified({ action: 'call_tool', tool });
  expect(kinds).toHaveLength(1);
  prewarm.cancel();
  expect(kinds).toEqual([]);
});

test('other tools and answers prepare nothing', () => {
  const { kinds, prewarm } = expecting();
  prewarm.identified({ action: 'call_tool', tool: 'no.such' });
  prewarm.identified({ action: 'complete' });
  expect(kinds).toEqual([]);
});
