import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Scope } from '../../runtime/base/scope.ts';
import { openFargate } from '../../runtime/cli/sandbox/open-fargate.ts';
import type { Language, Sandbox } from '../../runtime/tools/ports/sandbox.ts';
import { defaultProfile } from '../../supervisor/cell/profile.ts';
import { noLimits, ran, request, sandboxParts } from '../integration/exec/kit.ts';
import { openFargatePlace, type Place } from '../tools/aws/place.ts';
import { isFullMatrix } from '../tools/runs.ts';
import { engineMsMax } from '../tools/services/docker.ts';
import { attacked, attackedByChild, inTask, open, probesMin, type World } from './attacks.ts';
import { protocolSuite } from './protocol/protocol.ts';

// proves: exec.fargate-attacked, i6.no-sockets, i6.no-secrets, i6.attacked, i6.not-believed

/**
 * A task's containers share its network: what the kernel tells of it in /proc can be read, and nothing there be reached.
 * Terminals and message queues are of the machine, which is the task's own.
 */
const known = {
  python: ['makes_a_message_queue_file', 'opens_a_terminal', 'sees_another_network'],
  javascript: ['node_opens_a_terminal'],
} as const;

/** Small, so that little has to be written. */
const small = { ...defaultProfile, inodes: 2_000 };

/**
 * No folder of a task has a size of its own. A guard refuses writes beyond the limit; what it does not see is measured and ended.
 * Where too much is put, and how.
 */
const bombs: Readonly<Record<string, readonly [place: string, code: string]>> = {
  fills_tmp: ['/tmp', 'fill("/tmp", 128)'],
  fills_work: ['/work', 'fill("/work", 128)'],
  fills_out: ['/out', 'fill("/out", 128)'],
  'fills a folder, and locks it': [
    '/work',
    'os.mkdir(f"{WORKDIR}/a"); fill(f"{WORKDIR}/a", 128); os.chmod(f"{WORKDIR}/a", 0)',
  ],
  makes_files_without_end: ['/tmp', 'for n in range(2_100): open(f"/tmp/{n}", "w").close()'],
  makes_folders_without_end: ['/tmp', 'for n in range(2_100): os.mkdir(f"/tmp/{n}")'],
};

const scope = new Scope();
let place: Place;
let world: World;
let sandbox: Sandbox;
let tight: Sandbox;
beforeAll(async () => {
  place = await openFargatePlace(scope);
  const { port, abstract, secret: canary } = place.network;
  const source = join(import.meta.dirname, '../../runtime');
  const without = Object.keys(bombs);
  world = {
    port,
    abstract,
    canary,
    source,
    socket: '/run/docker.sock',
    neighbour: source,
    without,
  };
  sandbox = scope.own(await openFargate({ ...sandboxParts(), settings: place.settings }));
  const parts = { ...sandboxParts(), settings: place.settings, profile: small };
  tight = scope.own(await openFargate(parts));
}, engineMsMax);
afterAll(() => scope[Symbol.asyncDispose]());

/** Of a task: what the platform gives each container, and its supervisor beside it. */
const ofTasks: Readonly<Record<Language, string>> = {
  python: `
import os, urllib.request
def attempt(name, act):
    try: print(name, "open" if act() else "closed")
    except Exception as error: print(name, "closed", str(error)[:200])
uri = "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI"
def role():
    path = os.environ.get(uri, "/v2/credentials/%SECRET%")
    return b"SecretAccessKey" in urllib.request.urlopen("http://169.254.170.2" + path, timeout=60).read()
def metadata(): return urllib.request.urlopen("http://169.254.170.2/v4/", timeout=60).read()
def platform_env(): return any(name.startswith(("AWS_", "ECS_", "TIMELOOM_")) for name in os.environ)
def started(): return b"169.254.170.2" in open("/proc/1/environ", "rb").read()
attempt("fetches_credentials", role)
attempt("fetches_metadata", metadata)
attempt("is_told_of_the_platform", platform_env)
attempt("its_first_process_is_told", started)`,
  javascript: `
const fs = require('node:fs');
const attempt = async (name, act) => {
  try { console.log(name, (await act()) ? 'open' : 'closed'); }
  catch (error) { console.log(name, 'closed', String(error).slice(0, 200)); }
};
const get = async (path) => (await fetch('http://169.254.170.2' + path, { signal: AbortSignal.timeout(60_000) })).text();
const path = process.env.AWS_CONTAINER_CREDENTIALS_RELATIVE_URI ?? '/v2/credentials/%SECRET%';
await attempt('fetches_credentials', async () => (await get(path)).includes('SecretAccessKey'));
await attempt('fetches_metadata', async () => get('/v4/'));
await attempt('is_told_of_the_platform', () => Object.keys(process.env).some((name) => /^(AWS|ECS|TIMELOOM)_/.test(name)));
await attempt('its_first_process_is_told', () => fs.readFileSync('/proc/1/environ', 'latin1').includes('169.254.170.2'));`,
};

/** Beside what is the task's: the supervisor's folders and processes. */
const besides = `
import os, socket
def attempt(name, act):
    try: print(name, "open" if act() is not False else "closed")
    except Exception as error: print(name, "closed", str(error)[:200])
def connects(): socket.socket(socket.AF_UNIX).connect("/run/timeloom/supervisor.sock")
def leaves(folder): open(f"{folder}/planted", "w").close()
def supervisor():
    argv = [open(f"/proc/{n}/cmdline", "rb").read() for n in os.listdir("/proc") if n.isdigit()]
    return any(b"task.mjs" in each or b"keeper.mjs" in each for each in argv)
def replaces(): os.rename("/run/timeloom/stdout", "/run/timeloom/mine")
def inputs(): os.rename("/out/attachments", "/out/mine")
attempt("connects_to_the_supervisor", connects)
attempt("writes_beside_its_stream", lambda: leaves("/run/timeloom"))
attempt("writes_among_its_inputs", lambda: leaves("/opt/timeloom/inputs"))
attempt("writes_among_attachments", lambda: leaves("/out/attachments"))
attempt("sees_the_supervisor", supervisor)
attempt("finds_the_keeper", lambda: os.listdir("/run/timeloom-keeper"))
attempt("replaces_its_output", replaces)
attempt("replaces_its_inputs", inputs)`;

describe.each(['python', 'javascript'] as const)('%s', (language) => {
  test('the network of a task is open: an unprotected process there reaches it and its credentials', async () => {
    const only = reached[language];
    const verdicts = await inTask(language, { world: { ...world, only }, place: place.task() });
    expect(open(verdicts)).toEqual(expect.arrayContaining([...reached[language]]));
    const more = await inTask(language, {
      world,
      place: place.task(),
      code: platformProbe(language),
    });
    expect(open(more)).toHaveLength(more.size);
    expect(more.size).toBe(4);
  });

  test('no probe gets out of a task', async () => {
    const verdicts = await attacked(sandbox, language, world);
    expect(open(verdicts).toSorted()).toEqual(known[language]);
    expect(verdicts.size).toBeGreaterThanOrEqual(probesMin[language] - 5);
  });

  test('a program has no credentials, finds none and does not know where they are', async () => {
    const { envelope } = await ran(sandbox, request(language, platformProbe(language)));
    expect(envelope.user_out_tail).not.toMatch(/^\w+ open/m);
    expect(envelope.user_out_tail.match(/^\w+ closed/gm)).toHaveLength(4);
  });
});

test('no probe gets out of what a program in JavaScript starts in a task', async () => {
  const verdicts = await attackedByChild(sandbox, world);
  // Its parent, and the guard of its disks.
  expect(open(verdicts).toSorted()).toEqual([...known.python, 'sees_other_processes'].toSorted());
  expect(verdicts.size).toBeGreaterThanOrEqual(probesMin.python - 5);
});

test('a program cannot touch what its supervisor has put beside it', async () => {
  const { blobs } = sandboxParts();
  const { signal } = new AbortController();
  const parts = { ...sandboxParts(), blobs };
  await using own = await openFargate({ ...parts, settings: place.settings });
  const blob = await blobs.put('test', Buffer.from('given'), { signal });
  const inputs = [{ filepath: 'attachments/a.txt', blob, writable: false }];
  const { envelope } = await ran(own, request('python', besides, { inputs }));
  expect(envelope.user_out_tail).not.toMatch(/^\w+ open/m);
  expect(envelope.user_out_tail.match(/^\w+ closed/gm)).toHaveLength(8);
});

test.concurrent.each(Object.entries(bombs))('%s: it is ended for it', async (_, bomb) => {
  const [place, way] = bomb;
  const code = `import mmap, os, time
def fill(folder, megabytes):
    for n in range(megabytes // 32):
        with open(f"{folder}/{n}", "w+b") as file:
            file.truncate(32 << 20)
            with mmap.mmap(file.fileno(), 32 << 20) as mapped:
                for at in range(0, 32 << 20, 4096): mapped[at] = 1
${way}
print("all of it", flush=True)
time.sleep(60)`;
  const limits = { ...noLimits, workspaceMb: 64 };
  const { envelope } = await ran(tight, request('python', code, { limits }));
  expect(envelope.kill_reason).toBe('file_size');
  expect(envelope.error?.code).toBe('file_size_limit');
  expect(envelope.error?.message).toContain(`more to ${place} than the limit of `);
});

// What reads the frames is the same code on Docker, where a sample of them is tried at every change.
if (isFullMatrix) describe('frames', () => protocolSuite(() => sandbox, { isSample: true }));

function platformProbe(language: Language): string {
  return ofTasks[language].replace('%SECRET%', world.canary);
}

/** Each of these succeeds in a task for want of a wall, not of a target. */
const reached = {
  python: [
    ...['metadata', 'metadata_of_tasks', 'private', 'public', 'loopback_6', 'metadata_6'].map(
      (name) => `connects_${name}`,
    ),
    'asks_a_name_server',
    'loopback',
    'abstract_stream',
    'abstract_socket',
    'hands_a_descriptor_on',
    'socket_inet',
    'socket_netlink',
    'sees_secrets',
    'sees_another_network',
  ],
  javascript: [
    'node_connects',
    'node_connects_abstract',
    'node_connects_metadata',
    'node_connects_public',
    'node_connects_6',
    'node_fetches',
    'node_fetches_metadata',
    'node_resolves',
    'node_listens',
    'node_sees_secrets',
    'node_sees_networks',
  ],
} as const;
