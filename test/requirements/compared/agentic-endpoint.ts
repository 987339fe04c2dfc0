import type { Comparison } from './comparison.ts';

export const agenticEndpoint: Comparison = {
  system: 'mistral.rs',
  rows: [
    {
      does: 'The server runs the tool and continues the request itself, without giving control back to the client.',
      shown: [
        [
          'test/runtime/gateway/endpoints/openai/chat-completions.test.ts',
          'tools of the server run in the turn and are reported as mistral.rs reports them',
        ],
      ],
    },
    {
      does: 'The loop acts only when the model calls a tool; a reply without a call goes to the client as it is.',
      shown: [
        [
          'test/runtime/gateway/endpoints/openai/chat-completions.test.ts',
          'the official client gets the answer of a turn, streamed and whole',
        ],
      ],
    },
    {
      does: 'Web search is offered where it is switched on.',
      shown: [
        [
          'test/runtime/tools/web/web-tools.test.ts',
          'without a search engine, a search says what to configure',
        ],
        [
          'test/runtime/tools/web/web-tools.test.ts',
          'hits and pages are sources of one pool, each address once, and the text replaces the snippet',
        ],
      ],
    },
    {
      does: 'Programs are offered only where they are switched on and the request asks for them.',
      shown: [
        [
          'test/runtime/gateway/endpoints/openai/chat-completions.test.ts',
          'programs run only for a request that asks for them, and only where the agent may',
        ],
      ],
    },
    {
      does: 'Functions that are registered with the server, and tools of MCP servers, are offered.',
      shown: [
        [
          'test/integration/mcp/turns.test.ts',
          'a model calls the tool of a server, and what does not fit never reaches it',
        ],
      ],
    },
    {
      does: 'With a dispatch URL the functions of a request are performed by another service.',
      shown: [
        [
          'test/runtime/gateway/endpoints/openai/dispatch-url.test.ts',
          'functions are performed at a dispatch URL inside the allow list, and the turn goes on with the result',
        ],
      ],
    },
    {
      does: 'The dispatch URL is a setting of the server and is called without a limit of time.',
      differs:
        'A service that hangs would hold the turn, and a request must not choose an address in the network of the operator.',
      instead:
        'A request may name an address that the operator has listed; a call has a time limit, and its failure is a result.',
      shown: [
        [
          'test/runtime/gateway/endpoints/openai/dispatch-url.test.ts',
          'the dispatch URL %s outside the allow list is refused before anything is stored',
        ],
        [
          'test/runtime/sdk/tools/dispatch-call.test.ts',
          'a response that takes longer than the tool may is a timeout',
        ],
      ],
    },
    {
      does: 'If none of this applies, the calls of the model go back to the client, who runs the next round.',
      shown: [
        [
          'test/runtime/gateway/endpoints/openai/chat-completions.test.ts',
          'functions of the request come back as tool_calls, and their results go on (stream: %s)',
        ],
      ],
    },
    {
      does: 'Of several calls in one reply only the first is executed, and a warning is logged.',
      shown: [
        [
          'test/runtime/engine/calls/multi-action.test.ts',
          'first_only runs the first call, and the model reads that the others were not executed',
        ],
      ],
    },
    {
      does: 'A progress event with the phase `calling` and the arguments is sent before a tool runs.',
      shown: [
        [
          'test/runtime/gateway/endpoints/openai/chat-completions.test.ts',
          'tools of the server run in the turn and are reported as mistral.rs reports them',
        ],
      ],
    },
    {
      does: 'A progress event with the phase `complete` and a structured result is sent after it.',
      shown: [
        [
          'test/runtime/gateway/endpoints/openai/chat-completions.test.ts',
          'tools of the server run in the turn and are reported as mistral.rs reports them',
        ],
      ],
    },
    {
      does: 'The call and its result join the history that the next reply is made from.',
      shown: [
        [
          'test/runtime/timeline/render/message-round.test.ts',
          'native tools: calls and results are parts of their own, in pairs, with the answer as plain text',
        ],
      ],
    },
    {
      does: 'At the limit of rounds the loop ends without another chance to call a tool.',
      shown: [
        [
          'test/runtime/testing/loop/message-options.test.ts',
          'with maxRounds 0 the turn has one finalizing call',
        ],
        [
          'test/runtime/engine/turns/finalize.test.ts',
          'with no rounds a turn has one finalizing call, in which only control tools run',
        ],
      ],
    },
    {
      does: 'A request states the limit as max_tool_rounds.',
      shown: [
        [
          'test/runtime/gateway/endpoints/openai/chat-completions.test.ts',
          'max_tool_rounds lowers the rounds of the turn',
        ],
      ],
    },
    {
      does: 'Without a limit the loop has 256 rounds.',
      differs: '256 rounds without a look at cost are a runaway.',
      instead:
        '15 by default, 256 with the starter `engine`; tokens, money and time are limits too.',
      shown: [
        [
          'test/runtime/sdk/agents/starters.test.ts',
          'the starters have the numbers and policies that they are named after',
        ],
      ],
    },
    {
      does: 'A completion that is not streamed lists the executed calls in agentic_tool_calls.',
      shown: [
        [
          'test/runtime/gateway/projections/openai/chat.test.ts',
          'without streaming, the same turn is one completion with its calls and files',
        ],
      ],
    },
    {
      does: 'A streamed completion has agentic_tool_call_progress events around each call.',
      shown: [
        [
          'test/runtime/gateway/projections/openai/chat.test.ts',
          'a turn is a stream of chunks, and what chunks cannot express is beside their choices',
        ],
      ],
    },
    {
      does: 'Of a program the event has its code, then its output, error output, exception and time.',
      shown: [
        [
          'test/runtime/gateway/projections/openai/tool-progress.test.ts',
          'of a program the progress has its code, then its output, exception, time and files',
        ],
      ],
    },
    {
      does: 'Of a program the event has its images and video frames in base64, and its working directory.',
      differs:
        'Images in an event are sent to every client, whether it shows them or not, and a path of the sandbox means nothing outside of it.',
      instead: 'Images and videos are files; the event has their ids, and clients load them.',
      shown: [
        [
          'test/runtime/gateway/projections/openai/tool-progress.test.ts',
          'of a program the progress has its code, then its output, exception, time and files',
        ],
      ],
    },
    {
      does: 'Of a web search the event has the query and the number of results.',
      shown: [
        [
          'test/runtime/gateway/endpoints/openai/chat-completions.test.ts',
          'tools of the server run in the turn and are reported as mistral.rs reports them',
        ],
      ],
    },
    {
      does: 'Of any other tool the event has its arguments and its content.',
      shown: [
        [
          'test/runtime/gateway/projections/openai/chat.test.ts',
          'a turn is a stream of chunks, and what chunks cannot express is beside their choices',
        ],
      ],
    },
    {
      does: 'A file that a tool lists as its output is captured, belongs to the round that made it, and is announced by file_produced.',
      shown: [
        [
          'test/runtime/tools/exec/exec-tools.test.ts',
          'a program finds attachments, workspace and pulled files, and produces the files of its contract',
        ],
        [
          'test/runtime/gateway/projections/openai/chat.test.ts',
          'a turn is a stream of chunks, and what chunks cannot express is beside their choices',
        ],
      ],
    },
    {
      does: 'A request declares the files that it wants.',
      differs: 'What a turn has to produce depends on its work, which the caller cannot know.',
      instead:
        'The model declares them with each program (`contract`), and a file that is missing is an error of its call.',
      shown: [
        [
          'test/supervisor/report/envelope-results.test.ts',
          'a contract names each file once, beneath outputs/ or files/ of its turn',
        ],
      ],
    },
    {
      does: 'A completion that is not streamed has all files, and each call names the ids of its own.',
      shown: [
        [
          'test/runtime/gateway/projections/openai/chat.test.ts',
          'without streaming, the same turn is one completion with its calls and files',
        ],
        [
          'test/runtime/gateway/projections/openai/tool-progress.test.ts',
          'a call is listed with its round, arguments, content and the ids of its files',
        ],
      ],
    },
    {
      does: 'The calls and results of a request are kept with its session, and the next request with the same id continues them.',
      shown: [
        [
          'test/runtime/gateway/endpoints/openai/chat-completions.test.ts',
          'the header names the conversation, in which only the last message is new',
        ],
        [
          'test/runtime/gateway/endpoints/openai/responses.test.ts',
          'a conversation of the client is one everywhere',
        ],
      ],
    },
    {
      does: 'Without such tools the endpoint is an ordinary OpenAI endpoint.',
      shown: [
        [
          'test/runtime/gateway/endpoints/openai/chat-completions.test.ts',
          'the official client gets the answer of a turn, streamed and whole',
        ],
      ],
    },
  ],
};
