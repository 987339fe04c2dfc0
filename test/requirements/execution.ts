import type { Promises } from './promises.ts';

export const execution: Promises = {
  'i6.no-sockets': 'Generated code cannot make a socket and reaches no network.',
  'i6.nobody-outside':
    'A program in the process sandbox is not uid 0 outside, holds no capability and cannot gain one.',
  'i6.no-secrets':
    'A program sees no secret, no environment and no source of the runtime or of a bundle.',
  'i6.granted-only': 'A program may call the tools granted to its execution and no other.',
  'i6.not-believed':
    'Outcome and files of a program come from the host, never from what the program says.',
  'i6.limits': 'A program is cut at its limits of time, memory, processes and files.',
  'i6.own-files-only':
    'A file leaves the sandbox only if it is a regular file of the program beneath its output folder.',
  'exec.languages': 'Programs in Python and JavaScript run, and call tools, in parallel too.',
  'exec.contract': 'Declared files are checked and delivered; the fit ones survive a failed run.',
  'exec.one-envelope': 'Every backend gives the same envelope for the same program.',
  'exec.frames': 'A hostile frame ends the execution and nothing else.',
  'exec.budget':
    'Whatever a program sends, the worker reads it in bounded time and memory, and goes on serving others.',
  'exec.early-hello':
    'An executor that speaks while its worker is busy is heard: no program is lost on a loaded machine.',
  'exec.not-collected':
    'A program whose files cannot be collected keeps its result, what was collected, and the list of what it has called.',
  'exec.docker-held':
    'What a program in Docker has written stays until it is collected, however busy the engine is.',
  'exec.started-again':
    'A program that has not begun is started again once; its model hears nothing of it, its log says why.',
  'exec.archive-names':
    'An archive whose members collide, come twice or have names that mislead readers is named and not delivered.',
  'exec.node-options':
    'An executor in JavaScript starts on the Node that is in use: it takes every option it is given.',
  'exec.helper':
    'One small process outside of every sandbox sets up all of them; when it is killed, another one takes its place.',
  'exec.kill': 'A program that runs too long is killed, with everything it started.',
  'exec.docker': 'Docker split runs the executor without network, capabilities or a writable root.',
  'exec.place':
    'An agent can have its programs run in another sandbox, with an image or processors of its own, which passes the same isolation check.',
  'exec.self-test':
    'A sandbox opens only if a program in it finds every isolation check passed; in a shared network it must create no sockets.',
  'exec.two-places':
    'One conversation has programs on Docker and on Fargate, and a program in one place reads the files of another.',
  'exec.place-allowed':
    'A sandbox that the operator does not allow is refused when the bundle is loaded, with the setting that allows it.',
  'exec.auto':
    'auto takes Docker if it answers, else the process sandbox, else refuses and names the fix.',
  'exec.fetch-turns':
    'What a program fetches from the timeline keeps no turn of the event loop for 100 milliseconds of processor time.',
  'exec.journal-closed':
    'Closing the journal of a program writes the outcomes that are known, within bounded time.',
  'exec.journal': 'Calls of a program are journalled, the intent before the effect.',
  'exec.docker-combined':
    'One container for both keeps the promises of two: two users without a right, limits, an outcome and files from the host.',
  'exec.docker-combined-chosen':
    'One container for both is used only where an operator sets it explicitly.',
  'exec.runtime': 'Programs run by another runtime of the engine keep the promises of Docker.',
  'exec.runsc':
    'Programs run by gVisor, held by its kernel and counted by the machine; an engine that runs it otherwise is refused.',
  'i6.neighbours':
    'A program and the supervisor it shares a container with can do nothing to each other.',
  'i6.poor-first':
    'A launcher that is rich or root, here or outside, ends before a byte of the program is read.',
  'i6.in-place':
    'A launcher goes on as the harness only with the environment of a program, and where nothing else runs that its filter would miss.',
  'i6.shares':
    'A program takes nothing of which all programs of a machine have one share: huge pages, asynchronous requests, room for filters, terminals, the flush of a disk.',
  'i6.no-dumps': 'A program that crashes is dumped nowhere, and to nobody.',
  'i6.no-handle':
    'A program gets no handle on a process outside, and no descriptor it sends is kept.',
  'i6.guarded':
    'A program changes limits, priority and processors of the process that asks, and of no other.',
  'exec.libraries':
    'A program in Python finds the usual libraries for data, charts and documents in every sandbox.',
  'exec.libraries-listed':
    'The available libraries are detected where programs run, and listed for models and operators.',
  'exec.libraries-loaded':
    'An executor that waits loads what most programs begin with, where their memory allows it.',
  'supervisor.same':
    'A tool of a bundle does the same wherever its code runs: with the worker, or in a process of its own.',
  'supervisor.loop':
    'A tool that runs in a circle is stopped with its process; the worker and other tenants go on, and calls beside it read what may be repeated.',
  'supervisor.crash':
    'A tool that ends its process, by exit, crash or memory, ends no other; the next call finds a new one.',
  'supervisor.revision':
    'A new revision serves at once, while the old one ends the calls it has, and then its process.',
  'supervisor.idle': 'A process of a bundle that nobody needs is stopped; a turn brings it back.',
  'supervisor.orphan':
    'No process of a bundle outlives its worker, however that ends and whatever runs in it.',
  'supervisor.own-secrets':
    'A process of a bundle gets the secrets, settings and values of its own tenant and bundle alone, when it asks, never as arguments or environment.',
  'exec.present':
    'Executors wait for programs only while a client is connected or a turn runs, and a few minutes longer.',
  'exec.pool':
    'Executors wait for programs; each serves one, has seen nothing before it, and is replaced.',
  'exec.docker-inputs-warm':
    'In Docker too a program with files takes an executor that waits, or, with files of other turns, one that was started when it was announced.',
  'exec.handles':
    'A program opens a file that a tool wrote while it runs, however large; it comes past frames and memory, held to its hash and to named limits.',
  'exec.large-value':
    'What a tool returns and is too large to be passed is a file that the result names and a program opens.',
  'exec.large-inputs':
    'Files of the turn that would fill a workspace are not copied into it; how to open them is said.',
  'exec.handles-sealed':
    'What a program is handed it cannot change, replace, move or lead elsewhere, and it reads nothing that its user may not.',
  'exec.expected': 'An executor starts for a program while the model still writes it.',
  'exec.reaped': 'What a dead owner left is removed; what a living one has stays.',
  'exec.cleaned':
    'A worker whose temporary files were removed makes them again and runs the next program.',
  'exec.inodes': 'A program cannot make files without end.',
  'exec.steered': 'A steer stops a running program at once, and what it made stays for the turn.',
  'exec.live': 'People see what a program prints while it runs.',
  'exec.profile':
    'What an operator gives binds every program; a runtime that is not there is never replaced by a weaker one.',
  'exec.in-doubt':
    'The model reads which calls a program began without a known end, also after its worker died.',
  'exec.killed':
    'Whichever process is killed: no program runs twice, a keyed call is repeated under its own key, and people see each call in doubt.',
  'i6.attacked':
    'No known way out of a sandbox works, and each was seen to work where nothing stands in it.',
  'exec.names':
    'A file whose name does not read as what it is gets no name in a report, and is not delivered.',
  'exec.workspace-kept':
    'What a program leaves in files/ without naming it, new or changed, is kept for the agent by the rules of what is delivered.',
  'exec.left-reported':
    'What a program left and did not name in its contract is named with its size, and how to have it.',
  'exec.found-elsewhere':
    'A file of the contract that lies elsewhere beneath OUTPUT_DIR is missing, and the error says where it is.',
  'exec.asked-to-stop':
    'A program that listens for being asked to stop cleans up and ends on its own, in both languages.',
  'exec.printed':
    'The report has everything that a program printed until its end, however it ends on its own.',
  'exec.whole-numbers': 'No integer of a call of a program arrives as another one.',
  'exec.slips':
    'What a program passes by mistake is an error of its call, and ends neither program nor stream.',
  'exec.not-pulled':
    'When a program fails for a file of another turn, the error names the file and how to get it.',
  'exec.own-trace':
    'An uncaught error of a tool shows the lines of the program and the code of the error, nothing of the harness.',
  'exec.preview':
    'A delivered text comes with its beginning, bounded, read from its first bytes; binary files come without.',
  'exec.egress':
    'A delivered file is what its name says, and no archive among them escapes, links or bursts.',
  'exec.fargate':
    'Programs run as tasks of AWS under the promises of every other backend, over a bucket and a secret alone.',
  'exec.fargate-memory':
    'A program that its kernel kills for want of memory reads so, even if the service did not notice.',
  'exec.fargate-clean': 'Task, secret and objects of an execution are gone with it.',
  'exec.fargate-reaped':
    'What an owner without signs of life left, or what is past its deadline, is removed; what a living one has stays.',
  'exec.fargate-tried-again':
    'A throttled, full or silent service is asked again, one that says no is not; nothing is left either way.',
  'exec.fargate-task':
    'A task is there when its executor is, however late; one that is never used ends, and the error says why an executor was never ready.',
  'exec.config-reported':
    'Problems in the settings of programs are reported before anything opens, with their place and what to do.',
  'exec.fargate-flood':
    'Of what a program prints in a task, the bucket gets what is kept and the end, however long it is.',
  'exec.fargate-letters':
    'Letters arrive once, in order and unforged, or not at all; who writes more than is read waits.',
  'exec.fargate-launch':
    'What is too large for a secret or an override is refused whole, never cut; a task needs no right to list.',
  'exec.fargate-attacked':
    'No known way leads from a program into the network of its task, to its credentials or its supervisor.',
  'exec.fargate-kept':
    'Where no disk has a limit, what a program has written is measured; what it has locked is delivered.',
  'exec.fargate-full':
    'A program in a task that fills a folder gets ENOSPC as from a full disk, and goes on; what it wrote is kept.',
  'exec.fargate-pool':
    'A waiting task gives a program its first line, serves it alone, is replaced, and ends when nobody wants it.',
  'exec.fargate-stack':
    'The stack gives rights over named things, lets nobody in, and makes two users without rights.',
  'exec.bytes-refused':
    'A tool that returns bytes gets an error that says to write a file: no program and no model reads them as numbers.',
  'exec.cut-reported': 'A file of exactly the largest size is reported as possibly truncated.',
  'exec.calls-shown':
    'What a tool tells inside a program is seen while it runs, and its result goes to the program alone.',
  'exec.calls-counted':
    'Calls per turn and approvals apply to a tool for every caller, an agent or its program.',
  'exec.whole-output':
    'Nothing that a program prints is left out in silence, and the limit that stopped it is named.',
  'files.one-type':
    'A file has the same type as an upload, from a program and beside a widget, and the same rule says whether it is text.',
  'files.scan':
    'With antivirus no file is accepted that clamd has not scanned, or in which it found something.',
  'files.rules':
    'An operator sets how large files and messages may be, and how many pages a PDF may have.',
  'files.scan-default':
    'Antivirus is on where users sign in; the doctor asks clamd, and the fault says how to turn it off.',
  'external.turn':
    'What an agent program thinks, writes, calls and changes is on the log of its turn, with one answer and one end.',
  'external.permission':
    'A permission request of an agent program is an approval; its call runs only once the user has allowed it.',
  'external.steer': 'A steer cancels the prompt of an agent program and is its next prompt.',
  'external.followup': 'A followup is the next prompt of an agent program in the same turn.',
  'external.resume':
    'After its worker is lost, an agent program continues its session, and what had begun is reported as in doubt.',
  'external.failure': 'An agent program that ends is started again, and fails its turn in the end.',
  'external.limits':
    'An agent program is stopped at its limits of time, silence, output and files.',
  'external.egress':
    'An agent program reaches only allowed public hosts, and its model without ever having the key.',
  'external.sandbox':
    'An agent program has no network but its proxy, no secret, and only its workspace and home to write.',
  'external.docker':
    'Where the operator chooses Docker, an agent program runs in a container with the isolation, workspace and proxy of the process sandbox.',
  'external.kept':
    'A workspace stays for its conversation, goes with it, and is removed when it was unused for as long as the operator says.',
  'external.doctor':
    'The doctor starts each agent program in its sandbox, and says whether it, its model and its allowed hosts answer.',
  'external.servers':
    'A program gets the MCP servers of .mcp.json with each session, whether it reads that file or not.',
  'external.define':
    'A bundle declares an agent program with its workspace files and skills; options that it cannot have are refused.',
};
