import type { Promises } from './promises.ts';

export const ofIssue4: Promises = {
  'issue 4.1': {
    'exec.docker-combined':
      'One container for both keeps the promises of two: two users without a right, limits, an outcome and files from the host.',
    'exec.docker-combined-chosen':
      'One container for both is taken by those who ask for it in so many words, and by nobody else.',
    'exec.runtime': 'Programs run by another runtime of the engine keep the promises of Docker.',
    'exec.runsc':
      'Programs run by gVisor, held by its kernel and counted by the machine; an engine that runs it otherwise is refused.',
    'i6.neighbours':
      'A program and the supervisor it shares a container with can do nothing to each other.',
    'i6.poor-first':
      'A launcher that is rich or root, here or outside, ends before a byte of the program is read.',
    'i6.shares':
      'A program takes nothing of which all programs of a machine have one share: huge pages, asynchronous requests, room for filters, terminals, the flush of a disk.',
    'i6.no-dumps': 'A program that crashes is dumped nowhere, and to nobody.',
    'i6.no-handle':
      'A program gets no handle on a process outside, and no descriptor it sends is kept.',
    'i6.guarded':
      'A program changes limits, priority and processors of the process that asks, and of no other.',
  },
  'issue 4.2': {
    'exec.libraries':
      'A program in Python finds the usual libraries for data, charts and documents in every sandbox.',
    'exec.libraries-told':
      'Which of them are there is found out where programs run, and told to models and operators.',
  },
  'issue 4.4': {
    'exec.libraries-loaded':
      'An executor that waits loads what most programs begin with, where their memory allows it.',
    'supervisor.same':
      'A tool of a bundle does the same wherever its code runs: with the worker, or in a process of its own.',
    'supervisor.loop':
      'A tool that runs in a circle is stopped with its process; the worker and other tenants go on, and calls beside it are told what may be repeated.',
    'supervisor.crash':
      'A tool that ends its process, by exit, crash or memory, ends no other; the next call finds a new one.',
    'supervisor.revision':
      'A new revision serves at once, while the old one ends the calls it has, and then its process.',
    'supervisor.idle': 'A process of a bundle that nobody needs is stopped; a turn brings it back.',
    'supervisor.orphan':
      'No process of a bundle outlives its worker, however that ends and whatever runs in it.',
    'supervisor.own-secrets':
      'A process of a bundle gets the secrets, settings and values of its own tenant and bundle alone, when it asks, never as arguments or environment.',
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
    'exec.inodes': 'A program cannot make files without end.',
    'exec.steered': 'A steer stops a running program at once, and what it made stays for the turn.',
    'exec.live': 'People see what a program prints while it runs.',
    'exec.profile':
      'What an operator gives binds every program; a runtime that is not there is never replaced by a weaker one.',
    'exec.in-doubt':
      'What a program began and nobody heard the end of is told to the model, also after its worker died.',
    'exec.killed':
      'Whoever is killed: no program runs twice, a keyed call is made certain under its own key, and people are told of each in doubt.',
    'i6.attacked':
      'No known way out of a sandbox works, and each was seen to work where nothing stands in it.',
    'engine.programs-told':
      'A model is told whether programs run here; where none do, why and what to do about it.',
    'exec.names':
      'A file whose name does not read as what it is gets no name in a report, and is not delivered.',
    'cli.harmless': 'Whatever a program, a tool or a model says, a terminal only shows it.',
    'exec.workspace-kept':
      'What a program leaves in files/ without naming it, new or changed, is kept for the agent by the rules of what is delivered.',
    'exec.left-told':
      'What a program left and did not name in its contract is named with its size, and how to have it.',
    'exec.found-elsewhere':
      'A file of the contract that lies elsewhere beneath OUTPUT_DIR is missing, and told where it lies.',
    'exec.asked-to-stop':
      'A program that listens for being asked to stop cleans up and ends by itself, in both languages.',
    'exec.printed':
      'What a program printed until its end is told to its last letter, however it ends by itself.',
    'exec.whole-numbers': 'No integer of a call of a program arrives as another one.',
    'exec.slips':
      'What a program passes by mistake is an error of its call, and ends neither program nor stream.',
    'exec.not-pulled':
      'A program that failed for a file of another turn is told which, and how to bring it.',
    'exec.own-trace':
      'An uncaught error of a tool shows the lines of the program and the code of the error, nothing of the harness.',
    'exec.preview':
      'A delivered text comes with its beginning, bounded, read from its first bytes; bytes that are no text come without.',
    'exec.egress':
      'A delivered file is what its name says, and no archive among them escapes, links or bursts.',
  },
  'issue 4.8': {
    'exec.fargate':
      'Programs run as tasks of AWS under the promises of every other backend, over a bucket and a secret alone.',
    'exec.fargate-memory':
      'A program that its kernel kills for want of memory is told so, though the service did not hear of it.',
    'exec.fargate-clean': 'Task, secret and objects of an execution are gone with it.',
    'exec.fargate-reaped':
      'What an owner without signs of life left, or what is past its deadline, is removed; what a living one has stays.',
    'exec.fargate-tried-again':
      'A throttled, full or silent service is asked again, one that says no is not; nothing is left either way.',
    'exec.fargate-task':
      'A task is there when its executor is, however late; one that nobody comes to ends, and why an executor was never ready is told.',
    'exec.config-told':
      'What is wrong in the settings of programs is told before anything opens, with its place and what to do.',
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
    'exec.fargate-pool':
      'A waiting task gives a program its first line, serves it alone, is replaced, and ends when nobody wants it.',
    'exec.fargate-stack':
      'The stack gives rights over named things, lets nobody in, and makes two users without rights.',
    'topology.s3-blobs': 'A server can keep its files in a bucket.',
  },
  'issue 4.5': {
    'exec.bytes-refused':
      'A tool that returns bytes is told to write a file: no program and no model reads them as numbers.',
    'exec.cut-told': 'A file that is as large as one may be is told to be cut, perhaps.',
    'budget.generate':
      'What a tool asks of a model is paid by its turn, whoever called the tool, and refused once tokens or money are used up.',
    'budget.side-by-side':
      'Of answers that tools ask for side by side, only one goes beyond the budget of their turn; none is refused that would have fitted.',
    'budget.cut':
      'An answer that is cut off is paid for: by what its provider said of it, else by the tokens that were seen.',
    'budget.separate':
      'What a tool asks of models is charged, refused and stopped alike wherever its code runs, and never for a call that is over.',
    'budget.taken-over': 'Who takes a turn over counts what calls that were lost had asked for.',
    'budget.tools':
      'A tool that still runs when the time of its turn is over is cut off, and none begins after that.',
    'budget.programs':
      'A program calls no tool once the tokens or money of its turn are used up, and runs no longer than its turn has time.',
    'exec.calls-shown':
      'What a tool tells inside a program is seen while it runs, and its result goes to the program alone.',
    'exec.calls-counted':
      'Calls per turn and the word of people hold for a tool whoever calls it, an agent or its program.',
    'exec.whole-output':
      'Nothing that a program prints is left out in silence, and the limit that stopped it is named.',
    'mcp.disabled':
      'A server that an operator leaves out is not reached, and nobody has its tools.',
    'mcp.programs-same':
      'A call of a server from a program has the limits, the codes and the journal of any other call.',
    'mcp.called': 'A tool of an MCP server is called like any other, over both protocols of today.',
    'mcp.declared':
      'Everything that is wrong with the MCP servers of a bundle is told at once, before any is reached.',
    'mcp.required':
      'A server out of reach hides its tools with a notice; one that is required stops the load and is named.',
    'mcp.live':
      'Agents have what their servers offer at the moment, and are the same as long as that has not changed.',
    'mcp.one-session':
      'A server has one session for each set of credentials, and it ends with its last user.',
    'mcp.credentials':
      'Credentials that a server refuses hide its tools and are told without their values; right ones bring them back.',
    'mcp.secrets': 'A server that says our credentials back is not heard anywhere.',
    'mcp.permitted':
      'What a bundle does not allow of a server is neither offered nor called, whatever it is called.',
    'mcp.names':
      'Any name of a server gives an id that fits programs and providers, and leads back to it.',
    'mcp.words': 'Words of a server cannot pass for ours in the system text.',
    'mcp.bounded': 'What a server lists is bounded, whatever its schemas unfold to.',
    'mcp.checked': 'Arguments are checked against the schema of a server before they leave.',
    'mcp.keys':
      'A call carries our key where the server takes one, and is never repeated where it does not.',
    'mcp.files': 'Images and other bytes of a server become files of the call.',
    'mcp.failed': 'What a server calls an error is one.',
    'mcp.large': 'An answer beyond the limit ends its call and no other.',
    'mcp.in-doubt': 'A server that breaks off in the middle of a call leaves it in doubt.',
    'mcp.idle': 'A session that nobody uses is closed, and opened again by the next call.',
    'mcp.back': 'A server that goes away comes back by itself, and its session with it.',
    'mcp.no-flapping': 'Tools that vanish for a moment stay in the catalogue.',
    'mcp.list-changed': 'A server that says its tools have changed is asked again.',
    'mcp.catalogue-break':
      'A changed catalogue is seen by the next round, as a declared break of the cache.',
    'mcp.notice':
      'The model is told of a server that is away, and nothing above the tail of its prompt changes.',
    'mcp.cancelled': 'A call that is stopped is cancelled at the server.',
    'mcp.steered': 'A steer cancels the call that runs at a server.',
    'mcp.turn':
      'A model calls the tools of a server in a turn; credentials are in no prompt and no block.',
    'mcp.programs':
      'Generated code in both languages calls the tools of a server that its agent sees, and no other.',
    'mcp.child': 'A server that is a child knows nothing of our environment but PATH.',
    'mcp.child-ends': 'A server that is a child ends with its bundle, and its children with it.',
    'mcp.child-died': 'A server that is a child and dies is started again.',
  },
  'issue 4.9': {
    'operations.answer': 'An operation of a bundle answers over HTTP, with GET or POST as it says.',
    'operations.input':
      'Input that does not fit is refused with its path before the bundle sees it.',
    'operations.access':
      'An operation answers people of its tenant and project, by role where it says so; nobody else.',
    'operations.verify':
      'A public operation answers whom its bundle has verified, before the body is believed.',
    'operations.failures':
      'A refusal of an operation is 422, a fault 502 or 503; nothing inside is told.',
    'operations.limits': 'An operation has a limit of body, answer, time and rate, each by name.',
    'operations.cancel': 'An operation stops when whoever asked has gone.',
    'operations.masked': 'No answer of an operation holds a secret that was handed out.',
    'operations.pager':
      'A public operation opens a conversation of somebody else and a turn that sees the event.',
    'operations.separate':
      'Operations answer the same in a process of their own, whose end or endless loop is told and harms nobody.',
    'operations.load': 'An operation that could not be kept as it is written stops the load.',
    'operations.any-door':
      'Operations answer in a gateway that works on no turns too; one that is disabled is not there.',
    'context.conversations-open':
      'A bundle opens a conversation, durable before it knows; the same key is the same one.',
    'context.events-send':
      'An event of a bundle is checked, durable before it resolves, taken once, and opens or joins a turn like any.',
    'storage.durable': 'What a bundle keeps outlives the process that it was kept in.',
    'storage.shared':
      'Whoever opens the same database has the same values: operations of a gateway and tools of a worker too.',
    'storage.apart': 'Values of bundles, people and conversations never meet those of others.',
    'storage.ttl': 'A value whose time is over is found no more, and is removed in passing.',
    'storage.limits': 'A place keeps so many keys and no more, however many write at once.',
    'context.post-in-tools': 'Tools open conversations and send events too.',
    'files.scan':
      'With antivirus no file comes in that was not looked into, or in which something was found.',
    'files.rules':
      'An operator says how large images, PDFs and messages may be, up to what the gateway takes.',
    'turns.admission': 'A worker works on as many conversations at once as its operator says.',
    'props.live':
      'Props that an operator sets while a bundle serves are in force at once, whatever its resources hold, in processes of their own too.',
    'props.changed':
      'The bundle is told of other props when they are in force, and what it throws changes nothing.',
    'props.unfit':
      'Props that do not fit are refused with what is wrong, and those before stay in force.',
    'props.kept': 'What was set outlives the process, and counts from the next start on.',
    'props.fleet': 'What is set in one process comes into all others.',
    'props.put': 'Operators set and read them over HTTP; nobody else does.',
    'jobs.durable':
      'What is enqueued is durable before the bundle knows, and is performed by whatever process looks after its jobs.',
    'jobs.enqueue': 'Tools, operations and jobs enqueue, and a queue is worked off by itself.',
    'jobs.keys':
      'The same key again changes nothing, also when its errand is done, for as long as a key is kept.',
    'jobs.input': 'What is no errand of its job is refused where it is enqueued, with its path.',
    'jobs.schedule':
      'A schedule ticks by the clocks of its time zone, also where they go forward and back.',
    'jobs.load': 'A job that could not be kept as it is written stops the load and is named.',
    'jobs.ticks':
      'A tick is performed once in the fleet, or once by each process where it says so.',
    'jobs.missed': 'Ticks that nobody was there for run once, late.',
    'jobs.no-overlap': 'A job never overlaps itself, in no number of processes.',
    'jobs.attempts':
      'What fails is begun again later, up to its attempts; what is late or refused for good has failed.',
    'jobs.failures': 'Failures of jobs are kept with their input, so many of them, and counted.',
    'jobs.crash':
      'What a process was killed over is found when its lease is over, counted as failed and begun again.',
    'jobs.stop':
      'A process that stops stops its jobs, and leaves what is undone to others at once.',
    'jobs.limits': 'So many errands of a bundle wait and no more.',
    'jobs.separate':
      'Jobs run the same in a process of their own, whose end is a failure like any.',
    'jobs.testing': 'A test runs a job with one call, and with its own clock sees schedules tick.',
  },
};
