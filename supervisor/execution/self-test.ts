import { toTurnId } from '../../runtime/timeline/ids.ts';
import { toExecLimits } from '../../runtime/tools/exec/program/program-limits.ts';
import type { ExecHost, ExecRequest, Sandbox } from '../../runtime/tools/ports/sandbox.ts';
import { libraries } from '../cell/libraries.ts';
import { selfTestMsMax } from './limits.ts';

/** Result of the self-test, with texts for an operator; `ok` only if every isolation check passed. */
export type SandboxCheck =
  | {
      readonly ok: true;
      readonly memory: 'kernel' | 'best-effort';
      /** The usual libraries that a Python program can import. */
      readonly libraries: readonly string[];
    }
  | { readonly ok: false; readonly because: string };

const isolationChecks = [
  'user',
  'capabilities',
  'filter',
  'sockets',
  'network',
  'namespaces',
  'secrets',
];

/** Runs every isolation check from inside and prints the names of those that pass, then the names of the available libraries. */
const probe = `
import ctypes, importlib.util, os, socket
def refused(act):
    try: act()
    except OSError: return True
    return False
with open("/proc/self/status") as file:
    status = dict(line.rstrip().split(":", 1) for line in file)
with open("/proc/self/uid_map") as file:
    mapped = [list(map(int, line.split())) for line in file]
outside = [o + os.getuid() - i for i, o, n in mapped if i <= os.getuid() < i + n]
with open("/proc/net/dev") as file:
    devices = [line.split(":")[0].strip() for line in file if ":" in line]
first = []
refused(lambda: first.append(open("/proc/1/environ").read()))
secrets = any("CANARY" in text for text in (*first, *os.environ))
libc = ctypes.CDLL(None, use_errno=True)
PR_GET_NO_NEW_PRIVS = 39
walls = {
    "user": os.getuid() != 0 and outside != [] and 0 not in outside,
    "capabilities": all(int(status[name], 16) == 0 for name in ("CapPrm", "CapEff", "CapBnd")),
    "filter": status["Seccomp"].strip() == "2" and libc.prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1,
    "sockets": all(refused(lambda: socket.socket(family)) for family in (1, 2, 10, 16, 40)),
    "network": devices in ([], ["lo"]),
    "namespaces": libc.unshare(0x10000000) == -1,
    "secrets": not secrets,
}
print(" ".join(name for name, stands in walls.items() if stands))
print(" ".join(name for name in ${JSON.stringify(libraries)} if importlib.util.find_spec(name)))
`;

const noHost: ExecHost = {
  callTool: async () => {
    throw new Error('the self-test calls no tools');
  },
  fetchContext: async () => null,
  findFile: async () => {
    throw new Error('the self-test requests no files');
  },
};

/** Runs a program in the sandbox once. The result is trusted instead of version numbers. */
export async function checkSandbox(
  sandbox: Sandbox,
  { signal, id }: { signal: AbortSignal; id: string },
): Promise<SandboxCheck> {
  for await (const event of sandbox.run(toRequest(id), noHost, { signal })) {
    if (event.kind !== 'done') continue;
    const { ok, user_out_tail, runtime_err_tail, error, limits } = event.envelope;
    if (!ok) return { ok: false, because: runtime_err_tail.trim() || (error?.message ?? 'failed') };
    const [standing = [], found = []] = user_out_tail.split('\n').map((line) => line.split(' '));
    // No sockets can be created, which is checked in any case.
    const seen = sandbox.sharesNetwork ? ['network'] : [];
    const open = isolationChecks.filter((wall) => ![...standing, ...seen].includes(wall));
    const there = libraries.filter((name) => found.includes(name));
    if (open.length === 0) return { ok: true, memory: limits.memory, libraries: there };
    return { ok: false, because: `isolation checks failed: ${open.join(', ')}` };
  }
  return { ok: false, because: 'the sandbox returned no result' };
}

function toRequest(id: string): ExecRequest {
  return {
    id,
    tenant: 'check',
    turn: toTurnId('turn_check'),
    language: 'python',
    code: probe,
    contract: [],
    inputs: [],
    granted: [],
    // The usual kind, so that the executor that waits afterwards is useful.
    limits: { ...toExecLimits(), timeoutMs: selfTestMsMax },
  };
}
