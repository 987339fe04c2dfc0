import type { Promises } from './promises.ts';

export const page: Promises = {
  'page.search-results': 'The hits of a web search are shown as links with site, date and text.',
  'page.page-result':
    'A web page that was read is shown as a link with site, date and the beginning of its text.',
  'page.accessible':
    'axe finds nothing to correct in a new, a running and a finished conversation, light and dark, with a menu or a pane open.',
  'page.sign-in':
    'People sign in at an OpenID provider (authorization code flow with PKCE); scripts never see the tokens, and signing out ends both sessions.',
  'page.sign-in-renews':
    'A session is renewed at the provider before it ends and when it has ended, without its user, as long as the provider allows it.',
  'page.sign-in-failures':
    'A failed sign-in says what happened and what to do, to people and operators.',
  'page.approval-bar':
    'An open approval stays above the message field with its countdown, its scope and an input that can be edited.',
  'page.keyboard': 'Messages are sent and approvals are decided with the keyboard alone.',
  'page.right-to-left':
    'Text from right to left has its list marks, quotes, columns and tasks on the right, beside text from left to right.',
  'page.narrow':
    'Nothing of an approval, a message or the message field is cut off at 390 pixels, at 200 % zoom, in the dark, or with text from right to left.',
  'page.first-messages': 'A new conversation offers the first messages of the chosen agent.',
  'page.list-live':
    'The list of conversations says which ones are at work and which wait for the user, and is live without polling.',
  'page.list-search':
    'The list is searched in titles and in the words of messages, answers, notes and files.',
  'page.manages': 'Conversations are renamed, pinned, searched and deleted in the list.',
  'page.branches': 'A question can be changed and asked again in a copy of the conversation.',
  'page.takes-back':
    'A message that the agent has not read yet can be taken back, also on another device.',
  'page.other-model':
    'A question is asked again of another model, out of those that its agent lets users choose, with the keyboard too.',
  'page.other-agent': 'A question can be asked again of another agent, in a copy.',
  'page.file-versions':
    'A file opens beside the conversation, with the versions that other turns made of it.',
  'page.citations': 'A citation is the number of its source, with a card that names and quotes it.',
  'page.code-and-formulas':
    'Code in an answer has colours and a button that copies it, and formulas are set.',
  'page.report-view':
    'A delivered HTML report is read beside the conversation, and none of its scripts runs.',
  'page.canvas-versions':
    'A canvas opens beside the conversation, with the versions that other turns wrote.',
  'page.upload-progress': 'A large file shows how much of it is uploaded.',
  'page.tool-progress': 'A running call shows the progress that it reports.',
  'page.rates': 'Answers are rated, with a comment, and the rating stays.',
  'page.calm-at-size':
    'An answer of 100 kB that grows by 100 pieces a second takes at most 30 % of a core, and a selection in its last paragraph stays.',
  'page.built-ahead':
    'The pages are bundled and compressed by the build, and a browser keeps what they load by the hash in its name.',
  'page.size':
    'The script that the chat page needs to show itself and to send a message has at most 110 kB compressed; the rest is loaded beside it.',
  'page.early':
    'What is typed and pressed before all parts of the page have arrived is not lost, and parts that fail to load are loaded again.',
  'page.slow-network': 'On Slow 3G one can write after at most six seconds.',
  'page.browsers':
    'In Firefox and WebKit people send, add, approve, follow a suggestion, change a question, search and delete as in Chromium.',
  'page.lighthouse':
    'Lighthouse rates the accessibility of a conversation and of the sign-in with 100, light and dark.',
  'page.studio': 'The page for developers has its own address and is as strict as the chat page.',
  'page.canvas-kept':
    'The page keeps an HTML canvas on the screen when it is complete, when its turn ends and when its frame is moved.',
  'page.canvas-no-requests':
    'Generated HTML in a canvas runs no script and sends no request, to this server or any other.',
  'page.canvas-links':
    'A link in a canvas opens in a new tab without an opener, and never an address of this server.',
  'page.markdown-grows':
    'Markdown that streams in has at every moment the same blocks as the same text read at once.',
  'page.markdown-standard':
    'Answers are read as CommonMark with tables, tasks, strikethrough and bare links, and no HTML of theirs takes effect.',
  'page.markdown-suites':
    'The examples of the CommonMark and GFM specifications are shown as specified, except for a list with reasons.',
  'page.markdown-deep':
    'Quotes and lists nested too deeply to draw are shown as they were written.',
  'page.streams-calmly':
    'While an answer streams, a selection in it stays, only its end changes, and one line says to screen readers what happens.',
  'page.part-fails':
    'A part of a conversation that the page cannot draw is shown as text, and the rest as ever.',
  'page.fault-advice': 'A failed turn says what happened and what people can do, for each code.',
  'page.errors-stay':
    'What went wrong stays on the page until it is over or dismissed, and offers what to do about it.',
  'page.unknown-conversation':
    'A link to a conversation that does not exist says so at once and offers a way back.',
  'page.drafts':
    'What is written and not sent is kept per conversation, across a reload, and when a message is too long or refused.',
  'page.earlier':
    'A conversation opens with its last turns over one connection that its widgets share; earlier ones are loaded on request.',
  'page.tool-selection': 'The choice of tools for a turn is one quiet line.',
  'page.settings':
    'Users set their props and secrets of each bundle in the settings of the chat page, for the project that it shows, and take them back.',
  'page.remembered':
    'Users see in the settings what agents remember of their conversations, and let them forget it.',
  'page.theme':
    'The pages are light, dark or as the system; the choice is kept, and a page is never shown in another theme first.',
  'page.secret':
    'A secret that a tool needs of its user is entered in a password field, saved over HTTP, and is not part of the conversation.',
  'workbench.origins':
    'Every passage of a past prompt names the block that it comes from, and every other block why it is not there.',
  'workbench.usage':
    'Tokens and cost of a period are summed up by day, agent, model, role, user or conversation.',
  'workbench.prompt':
    'The prompt of any past round can be read over HTTP, with whether these are the bytes that were sent.',
  'workbench.trace':
    'A conversation is a trace of turns, rounds, model calls and tools, also in the format of OpenTelemetry.',
  'workbench.checks': 'A log is verified and replayed over HTTP, with progress.',
  'workbench.role':
    'Everyone may inspect their own conversations; those of others require the role inspector.',
  'workbench.as-script': 'A conversation becomes a scripted model and a test that passes.',
  'workbench.five-clicks':
    'From a wrong sentence of an answer it takes at most five clicks to the block that it comes from, and to why the model saw it so.',
  'workbench.accessible':
    'The views of the studio break no rule of accessibility that a program can check, light or dark.',
  'workbench.phone': 'No view of the studio is wider than the screen of a phone.',
  'workbench.keyboard':
    'The studio can be used with the keyboard alone, and one key flips between chat and studio.',
  'workbench.search':
    'A conversation is found by what was said in it, and the list shows the passage.',
  'workbench.filters':
    'Conversations are found by title, user, state, agent, cost and time, page by page.',
  'workbench.failures': 'Failed turns and calls are listed, and the calls of tools are counted.',
  'workbench.feedback':
    'The turns that users or checks have rated are listed with their comments, and lead to the turn.',
  'workbench.eval-case': 'A turn becomes an eval case; evals are compared with the run before.',
  'workbench.eval-run':
    'The cases of a folder are run from the studio, with progress and a stop, and compared with the last run.',
  'workbench.bundle-check': 'The studio lists what a check of the folder of a bundle finds.',
  'workbench.sign-in':
    'The studio asks to sign in over what its user is doing, keeps it, and goes on; it renews a session as the chat does.',
  'workbench.connections':
    'A tab of the studio that is hidden holds no connection, and a view whose file cannot be loaded comes later.',
  'workbench.forms':
    'The forms of props and tools refuse what does not fit and say why, and keep what was entered.',
  'page.slow-line': 'Over Slow 3G chat and studio can be used within six seconds.',
  'workbench.live':
    'What works and what fails is shown as it happens, and a turn can be stopped from there.',
  'workbench.family': 'The forks and reruns of a conversation are one tree.',
  'workbench.other-model': 'A turn can be run again with a model that a developer names.',
  'workbench.edit-result':
    'The result of a call can be edited, and the turn goes on from there in a fork.',
  'workbench.rerun-role':
    'Only the user of a conversation runs its turns again; other models and edited results require the role operator.',
  'workbench.rerun-files': 'A turn that is run again has the files of its message.',
  'workbench.edit-and-rerun': 'A prompt can be edited and run again from any turn, in a fork.',
  'workbench.large': 'At 10,000 blocks a click in the studio takes at most a second.',
  'workbench.try':
    'A tool of an agent can be called without a model, through its guards and approvals, by those who may.',
};
