import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { executorFolder } from '../../supervisor/cell/executor-folder.ts';

// proves: exec.fargate-full

const mebibyte = 1024 * 1024;
const guarded = `import os, sys
sys.path.insert(0, sys.argv[1])
import disk_guard
os.dup2(2, 3)
disk_guard.stay_outside([f"{folder} ${10 * mebibyte}" for folder in sys.argv[2:4]])
os.execvp(sys.argv[4], sys.argv[4:])
`;
const helpers = `import os, subprocess, sys, time
full, other = sys.argv[1:3]
def fill(path, megabytes):
    try:
        with open(path, "wb") as file:
            for _ in range(megabytes): file.write(bytes(1 << 20))
        return "written"
    except OSError as error: return error.strerror
print([fill(f"{full}/{n}", 3) for n in range(4)])
`;

let root = '';
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'timeloom-disks-'));
});
afterAll(() => rm(root, { recursive: true }));

async function printed(program: string): Promise<readonly string[]> {
  const folder = await mkdtemp(join(root, 'run-'));
  const [full, other] = [join(folder, 'full'), join(folder, 'other')];
  await Promise.all([mkdir(full), mkdir(other)]);
  await writeFile(join(folder, 'program.py'), helpers + program);
  const python = ['python3', join(folder, 'program.py'), full, other];
  const args = ['-I', '-B', '-c', guarded, executorFolder(), full, other, ...python];
  const { stdout } = await promisify(execFile)('python3', args);
  return stdout.trim().split('\n');
}

const filled = "['written', 'written', 'written', 'No space left on device']";

test('a folder takes as much as it may, and another one is not full because of it', async () => {
  const program = 'print(fill(f"{other}/a", 9), fill("/dev/null", 20))';
  expect(await printed(program)).toEqual([filled, 'written written']);
});

test('programs that a program starts get the same error, in any language', async () => {
  const program = `
print(subprocess.run(["cp", f"{full}/0", f"{full}/copy"], capture_output=True, text=True).stderr.split(": ")[-1].strip())
script = "try { fs.writeFileSync(process.argv[1], Buffer.alloc(1 << 22)) } catch (error) { console.log(error.code) }"
print(subprocess.run(["${process.execPath}", "-e", script, f"{full}/b"], capture_output=True, text=True).stdout.strip())`;
  expect(await printed(program)).toEqual([filled, 'No space left on device', 'ENOSPC']);
});

test('there is room again when files are removed, and what was written stays whole', async () => {
  const program = `
os.remove(f"{full}/0")
while fill(f"{full}/new", 2) != "written": time.sleep(0.01)
print(sorted((name, os.stat(f"{full}/{name}").st_size >> 20) for name in os.listdir(full) if name != "3"))`;
  expect((await printed(program)).at(-1)).toBe("[('1', 3), ('2', 3), ('new', 2)]");
});

test('folders in folders are measured, however deep', async () => {
  const program = `
for n in range(3): os.remove(f"{full}/{n}")
os.chdir(full)
for _ in range(1500):
    os.mkdir("d")
    os.chdir("d")
while fill(f"{full}/two", 2) != "written": time.sleep(0.01)
print(fill(f"{full}/eight", 8))`;
  expect((await printed(program)).at(-1)).toBe('No space left on device');
});

test('the end of the program is the end of its guard, with the same status', async () => {
  await expect(printed('raise SystemExit(7)')).rejects.toMatchObject({ code: 7 });
  await expect(printed('os.kill(os.getpid(), 9)')).rejects.toMatchObject({ code: 137 });
});

test('where the kernel takes no filter, the program runs all the same', async () => {
  // A process has one listener at most.
  const program = `
sys.path.insert(0, ${JSON.stringify(executorFolder())})
import disk_guard
disk_guard.stay_outside([f"{other} 1048576"])
print(fill(f"{other}/a", 3))`;
  expect((await printed(program)).at(-1)).toBe('written');
});
