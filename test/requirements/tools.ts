import type { Promises } from './promises.ts';

export const tools: Promises = {
  'sources.facts':
    'What is known of a source, its type, author, dates, relevance and icon, is kept in the pool and sent with its citation.',
  'web.pdf-text':
    'The text of a PDF from the web is read within limits; one without readable text is a file.',
  'tools.retryable':
    'An error is retryable only where repeating the call unchanged can help; input that must be fixed never is.',
  'tools.errors-once':
    'The model reads each bad argument of a refused call once, and programs get the list of them.',
  'tools.pull-nothing': 'A pull that found nothing is an error that says what was not there.',
  'tools.generators':
    'A tool may be a generator, sync or async: what it yields is progress, what it returns is the result.',
  'tools.file-mime':
    'A file that a tool writes has a mime of one type and one subtype, and nothing that could end a line.',
  'tools.unknown-parameter':
    'A parameter that a tool does not know is refused by its name, with the nearest known one, for every caller.',
  'tools.digits':
    'An integer in the result of an MCP server that cannot be read exactly comes as text, or the result is an error.',
  'approval.asked':
    'A tool that asks for approval does not start before a person has allowed it; no answer in time is a no.',
  'approval.once':
    'Whatever crashes or races, a person is asked once about a call, and the first decision in time counts.',
  'approval.remembered':
    'A yes or a no can stand for one call, for the turn or for the conversation.',
  'approval.nested':
    'From inside a program or another tool nobody is asked: the call is denied and says what to do instead.',
  'approval.gateway':
    'A decision reaches the call it is about, once; wrong, late and repeated ones are refused with a code.',
  'external.gateway': 'The answer of a client is taken once and in time, or refused with a code.',
  'external.performed':
    'A client performs an external tool, once over any number of reconnects, and its answer is checked.',
  'tools.validation': 'Input is mended where harmless and refused with the path of every mistake.',
  'tools.side-by-side':
    'Calls of one decision whose tools are safe run side by side; others are alone.',
  'tools.whole-result': 'A large result is previewed and stays whole under its tc: path.',
  'tools.read': 'react.read shows what a path holds, in windows that can be read on.',
  'tools.write-patch': 'react.write makes a file and react.patch changes it where its hunks match.',
  'tools.plan': 'react.plan opens, replaces, activates and closes plans.',
  'tools.memsearch':
    'react.memsearch finds what was said in earlier turns of the user, and of nobody else.',
  'tools.read-changed-image':
    'An image or document is reported as already shown only if its bytes are the ones that were shown.',
  'tools.hide': 'react.hide replaces a path in the prompt, and its text can still be read.',
  'tools.rg': 'react.rg finds text in the files of the conversation.',
  'tools.pull-checkout': 'react.pull and react.checkout bring files of earlier turns to programs.',
  'approval.page': 'The page asks what a tool wants allowed, and Allow and Deny decide it.',
  'tools.read-attaches':
    'An image or a PDF that react.read reads stands in the prompt whole, or a line says why not.',
  'tools.diff-round-trip': 'The diff of two texts, applied to the one, gives the other.',
  'tools.mistakes-recoverable':
    'Whatever a control tool is given, it answers with one result, and the turn goes on.',
  'tools.ref-binding':
    'A parameter that is wholly ref:<path> is bound to what the model can see there, and to nothing else.',
  'tools.result-room':
    'The results of a turn that stand in its prompt have a limit together; beyond it each shows its beginning.',
  'hooks.agent':
    'The hooks of an agent run for its turns alone, after those of its bundle; they have no place event.',
  'hooks.observed':
    'Observers get every reply and every text that people see, in the order of the log.',
  'hooks.hints':
    'ANNOUNCE shows a bounded number of short lines from the agent, its visible tools and its hooks.',
  'hooks.reasoning':
    'Before a model is asked, transformers may add hints and a guard may end the turn.',
  'tools.cumulative':
    'A cumulative tool yields its whole text so far: clients see what is new, the model the last text.',
  'tools.partial-output':
    'A stream that breaks shows the model what it had yielded; an expected failure stands alone.',
  'tools.page-result':
    'A result that is an HTML or Markdown page becomes a file for people, and one line with its path for the model.',
  'tools.preset-kept': 'A value for a preset is not used, and a notice says so.',
  'tools.dispatch':
    'A dispatched call takes JSON, wrapped content or plain text; every failure is dispatch_failed or a timeout.',
  'visibility.groups':
    'A group of tools is on and stays on; with active: false it is listed in ANNOUNCE and off until the model switches it on.',
  'visibility.announced':
    'ANNOUNCE names groups that are off and tools that were not chosen in a bounded number of short rows.',
  'visibility.switch':
    'react.tools adds groups and tools or sets the groups, from the next round on and for the rest of the conversation.',
  'visibility.refused': 'A call of a hidden tool is refused, and the message says how to get it.',
  'visibility.allow':
    'With hiddenTool “allow” a hidden tool runs, although the prompt does not describe it.',
  'visibility.one-set':
    'What the prompt shows, what may run, what programs may call and what is prepared is one set, and a round keeps it, also under another worker.',
  'visibility.unknown-tool': 'An unknown tool or group is answered with the nearest names.',
  'visibility.cache':
    'A tool that becomes visible is described in the log; no byte above the tail changes before a declared break.',
  'visibility.described':
    'Every visible tool is described in the system text, or in the log below it, at every round.',
  'selection.once':
    'Above twelve tools one question per turn chooses at most six; control and exec tools neither count nor hide.',
  'selection.non-fatal':
    'If the choice fails, is unreadable, is empty or names no tool, all tools are shown.',
  'selection.recorded': 'A choice is on the log before the first round and is made once per turn.',
  'selection.recall':
    'An event that a model has read to choose tools counts as read: it cannot be recalled.',
  'selection.hidden': 'A tool that was not chosen can be brought into view by its id.',
  'selection.charged': 'The choice of tools is charged to its turn.',
  'selection.wire': 'Clients are sent what was chosen or switched, as tools.selected.',
  'tools.rg-linear': 'A pattern that a model wrote takes time linear in what it searches.',
  'web.sources': 'Hits of a search and pages that are read are sources, each address once.',
  'web.page-text': 'A page is read as the Markdown of its article; nothing of it runs.',
  'web.private-addresses':
    'No address of this machine or network is read, whatever name or redirect leads to it.',
  'web.robots': 'What a site forbids to programs is not read.',
  'web.limits':
    'Pages that are too large, redirect without end or fail are refused with the reason.',
  'web.scope':
    'A message chooses the size, the place and the domains of the web searches of its turn, or switches them off.',
  'web.search-engines': 'SearXNG, Brave and Tavily are asked on their own wires.',
  'tasks.wake':
    'A tool may defer its work: its result wakes a closed turn or joins the open one, once.',
  'tasks.wait':
    'A turn that waits for a deferred task is parked until the task ends or the time is over.',
  'tasks.cancel':
    'The result of a cancelled task is dropped, and the bundle that works on it can see that.',
};
