import type { Promises } from './promises.ts';

export const bundles: Promises = {
  'bundle.build':
    'Pages of widgets with packages are built by command, without running scripts of packages, and served; a server never builds.',
  'knowledge.repository':
    'Knowledge comes from a git repository at a named commit, and from its last copy if the server cannot be reached.',
  'knowledge.signed':
    'Knowledge with signers comes only from a tag of its repository that one of them has signed.',
  'sdk.sandbox-loads':
    'A script that no sandbox could run stops the load of its bundle; one that can runs as it was then.',
  'sdk.sandbox-runs':
    'A script of a bundle runs as a program without tools: INPUT in, RESULT out, in both languages, wherever its bundle runs and for every caller.',
  'sdk.files-host':
    'A tool gets a link to a file that leads the user of its conversation there, and nobody else.',
  'sdk.sandbox-traces':
    'The error of a script names its own file and lines, and nothing of the code around it.',
  'sdk.knowledge':
    'Pages of a bundle are found by words and read under ks:, and nothing outside what the bundle shows is a page.',
  'sdk.bundle':
    'A bundle is a folder; loading reports every problem with the name of its definition.',
  'sdk.known-words':
    'A word of a definition that nobody knows is named, with the nearest known one; it never passes in silence.',
  'sdk.skill-arguments':
    'A skill names its arguments and uses them in its text; one whose arguments are wrong is left out with the reason.',
  'sdk.spelling': 'The definitions compile as documented, and their misuse does not.',
  'sdk.testing': 'An author tests a bundle with a scripted model over the real engine.',
  'sdk.examples':
    'Each example under bundles/ runs without a key: its script plays to its end, and every call of it succeeds.',
  'sdk.analyst':
    'The demo bundle answers from the attached data, with a program, a widget and sources.',
  'operations.answer': 'An operation of a bundle answers over HTTP, with GET or POST as it says.',
  'operations.input': 'Input that does not fit is refused with its path before the bundle sees it.',
  'operations.access':
    'An operation answers people of its tenant and project, by role where it says so; nobody else.',
  'operations.verify':
    'A public operation answers whom its bundle has verified, before the body is believed.',
  'operations.failures':
    'A refusal of an operation is 422, a fault 502 or 503; internal details are not sent.',
  'operations.limits': 'An operation has a limit of body, answer, time and rate, each by name.',
  'operations.cancel': 'An operation stops when its caller has disconnected.',
  'operations.masked': 'No answer of an operation holds a secret that was handed out.',
  'operations.pager':
    'A public operation opens a conversation of somebody else and a turn that sees the event.',
  'operations.separate':
    'Operations answer the same in a process of their own, whose end or endless loop is reported and affects no one else.',
  'operations.load': 'An operation that could not be kept as it is written stops the load.',
  'operations.every-role':
    'Operations answer in a gateway that works on no turns too; one that is disabled is not there.',
  'secrets.encrypted':
    'A secret of a user is stored encrypted with a key of the installation, bound to its user, bundle and id.',
  'secrets.per-user':
    'A secret for users has one value per user: a tool gets that of the user it works for and of nobody else.',
  'secrets.requested':
    'A tool that needs a secret its user has not set is refused with where to set it, and the chat shows the request.',
  'secrets.set':
    'Users set, list and delete their own secrets over HTTP; no answer, log line or block ever has a value.',
  'secrets.load':
    'A shared database without a key for user secrets, or a value for all users in a file, stops the load.',
  'options.json-types':
    'A schema with a type that JSON cannot hold stops the load and names the one to use.',
  'settings.precedence':
    'Settings of agents come from live props, bundles.yaml, the agent, the installation and the default, in this order, under the ceilings.',
  'settings.refused':
    'Settings that an agent cannot serve with are refused, at the load and live, and those before stay in force.',
  'sdk.test-waits':
    'A test whose turn waits for an approval or a client says what it waits for, instead of a bare time-out.',
  'sdk.source-place':
    'A bundle finds the files beside its source by import.meta in tests, check, dev and serve alike.',
  'sdk.source-traces':
    'The stack of what a bundle throws names the file and line of its source, in the log of a server and in a test.',
  'sdk.assets': 'A bundle reads any file of its folder by ctx.asset, and none outside of it.',
  'events.credit':
    'An event adds a round to the turn it joins only if its kind is reactive and has a credit.',
  'widgets.access':
    'A widget is listed and served to those whom its access names: users, users with a role, or everybody.',
  'widgets.main':
    'The bundles that serve are listed with their widgets, of which one at most is the main one.',
  'props.live':
    'Props that an operator sets while a bundle serves are in force at once, whatever its resources hold, in processes of their own too.',
  'props.changed':
    'The bundle is notified of new props once they are in force; an error in its handler changes nothing.',
  'props.unfit':
    'Props that do not fit are refused with what is wrong, and those before stay in force.',
  'props.kept': 'What was set outlives the process, and counts from the next start on.',
  'props.fleet': 'What is set in one process comes into all others.',
  'props.put': 'Operators set and read them over HTTP; nobody else does.',
  'props.user':
    'A prop in perUser has one value per user, over those of the operator: what runs for a user gets theirs, and what runs for others never does.',
  'props.user-set':
    'Users set, read and delete their props over HTTP; other keys and values that do not fit are refused with what is wrong.',
  'props.user-stale':
    'Values of a user that have ceased to fit are ignored, and those of the operator are in force.',
  'props.user-load': 'A bundle with perUser loads; a name in it that is not a prop stops the load.',
  'props.user-kept':
    'Every store keeps the props of each user apart, until they are replaced or deleted.',
  'props.user-separate':
    'A process of a bundle reads the props of users whose calls it runs, and can neither change them nor read those of others.',
  'jobs.failures-shown':
    'The failures of jobs are counted in /metrics, and doctor shows the last one of each failing job.',
  'jobs.durable':
    'What is enqueued is durable before the bundle knows, and is performed by whatever process looks after its jobs.',
  'jobs.enqueue': 'Tools, operations and jobs enqueue, and a queue is worked off on its own.',
  'jobs.keys':
    'The same key again changes nothing, also when its errand is done, for as long as a key is kept.',
  'jobs.input': 'Input that does not fit its job is refused when it is enqueued, with its path.',
  'jobs.schedule':
    'A schedule ticks by the clocks of its time zone, also where they go forward and back.',
  'jobs.load': 'A job that could not be kept as it is written stops the load and is named.',
  'jobs.ticks': 'A tick is performed once in the fleet, or once by each process where it says so.',
  'jobs.missed': 'Ticks that nobody was there for run once, late.',
  'jobs.no-overlap': 'A job never overlaps itself, in no number of processes.',
  'jobs.attempts':
    'What fails is begun again later, up to its attempts; what is late or refused for good has failed.',
  'jobs.failures': 'The newest failures of jobs are kept with their input, and all are counted.',
  'jobs.crash':
    'What a process was killed over is found when its lease is over, counted as failed and begun again.',
  'jobs.stop': 'A process that stops stops its jobs, and leaves what is undone to others at once.',
  'jobs.limits': 'The number of waiting job items of a bundle is limited.',
  'jobs.separate': 'Jobs run the same in a process of their own, whose end is a failure like any.',
  'jobs.testing': 'A test runs a job with one call, and with its own clock sees schedules tick.',
  'options.read':
    'Every option that the SDK offers is read or refused by the runtime; a test walks them all.',
  'sources.git': 'A folder of a git repository is used by tag, branch, commit or default branch.',
  'sources.offline': 'Without the network, a repository is used as it was read last.',
  'sources.pinned': 'A tag or branch that no longer names the pinned commit is refused.',
  'sources.signed': 'With signers, only a tag is used that one of them signed under its own name.',
  'sources.harmless':
    'Nothing of a repository runs while it is read, and no link of it leads elsewhere.',
  'sources.bundles': 'A bundle in a git repository is served like one in a folder.',
  'secrets.aws':
    'A secret in AWS Secrets Manager is read when it is needed, and a rotated one without a restart.',
  'secrets.aws-away': 'While AWS does not answer, the last value of a secret is used.',
};
