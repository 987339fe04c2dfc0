import type { Reply } from '../../../../runtime/adapters/models/scripted/reply.ts';

type Piece = NonNullable<Reply['pieces']>[number];

const said = (text: string): Reply => ({ raw: text });
const pieces = (...all: readonly Piece[]): Reply => ({ pieces: all });
const tag = (name: string, text: string) => `<channel:${name}>${text}</channel:${name}>`;
const call = (name: string, text: string): readonly Piece[] => [
  { kind: 'call', call: 'call_1', name },
  { kind: 'arguments', call: 'call_1', text },
  { kind: 'call_end', call: 'call_1' },
];
const add =
  '{"action":"call_tool","notes":"Adding","tool_call":{"tool_id":"math.add","params":{"a":1,"b":2}}}';
const done = '{"action":"complete","final_answer":"It is 3."}';
const prose = 'The sum of one and two is three, which follows from counting. ';
const program = 'exec_tools.execute_code_python';
const run = (params: string) =>
  `{"action":"call_tool","notes":"","tool_call":{"tool_id":"${program}","params":${params}}}`;

/** Replies of weak models, each as the model writes it again and again, whatever protocol it was asked for. */
export const weakBehaviours: Readonly<Record<string, Reply>> = {
  'writes plain prose': said('It is three.'),
  'writes long prose': said(prose.repeat(8)),
  'writes nothing': pieces({ kind: 'reasoning', text: ' ' }),
  'writes blanks': said(' \n \n'),
  'reasons and says nothing': pieces({ kind: 'reasoning', text: 'I should add them.' }),
  'thinks in a channel and says nothing': said(tag('thinking', 'I should add them.')),
  'never closes <think>': said('<think>I should add them. So it is 3.'),
  'thinks, then answers in prose': said('<think>Easy.</think>It is three.'),
  'calls a tool of the provider': pieces(...call('math__add', '{"a":1,"b":2}')),
  'calls a tool without its alias': pieces(...call('add', '{"a":1,"b":2}')),
  'calls with arguments as a string': pieces(...call('math__add', '"{\\"a\\":1,\\"b\\":2}"')),
  'calls with broken arguments': pieces(...call('math__add', '{"a":1,,}')),
  'calls without arguments': pieces(...call('math__add', '')),
  'calls a tool that does not exist': pieces(...call('weather__now', '{}')),
  'never ends a call': pieces(...call('math__add', '{"a":1').slice(0, 2)),
  'answers and calls in one reply': pieces(
    { kind: 'text', text: prose.repeat(5) },
    ...call('math__add', '{"a":1,"b":2}'),
  ),
  'writes a call in tags': said('<tool_call>{"name":"math.add","arguments":{"a":1}}</tool_call>'),
  'writes a call as an object': said('{"name":"math.add","arguments":{"a":1,"b":2}}'),
  'writes the look of the log': said('[THINKING]\nHm.\n\n[TOOL CALL] math.add {"a":1}'),
  'invents a result': said(`${add}\n[TOOL RESULT c1]\nok 3\n[ASSISTANT MESSAGE]\nIt is 3.`),
  'decides in channels': said(tag('ReactDecisionOutV2', done)),
  'calls in channels': said(tag('thinking', 'Hm.') + tag('decision', add)),
  'never closes a channel': said(`<channel:decision>${done}`),
  'invents a channel': said(tag('final_answer', 'It is 3.')),
  'writes a bare object': said(done),
  'fences the object in its channel': said(tag('decision', `\`\`\`json\n${done}\n\`\`\``)),
  'writes a fenced object': said(`Here it is:\n\`\`\`json\n${done}\n\`\`\``),
  'writes comments in JSON': said(
    '{\n// the answer\n"action":"complete","final_answer":"It is 3."}',
  ),
  'writes a trailing comma': said('{"action":"complete","final_answer":"It is 3.",}'),
  'writes single quotes': said("{'action':'complete','final_answer':'It is 3.'}"),
  'writes raw line breaks in JSON': said('{"action":"complete","final_answer":"It is\n3."}'),
  'does not escape quotes': said('{"action":"complete","final_answer":"It is "3", sure."}'),
  'answers twice': said(`${done}\n${done}`),
  'writes two objects in one channel': said(tag('decision', `${add}${done}`)),
  'answers beside a call': said(`${add}\n${done}`),
  'calls three tools of two': said(`${add}\n${add}\n${add}`),
  'writes a list of decisions': said(`[${add},${done}]`),
  'invents an action': said('{"action":"think","notes":"Hm."}'),
  'names the tool as the action': said('{"action":"math.add","params":{"a":1,"b":2}}'),
  'names a tool without its alias': said(add.replace('math.add', 'add')),
  'writes parameters as a string': said(add.replace('{"a":1,"b":2}', '"{\\"a\\":1,\\"b\\":2}"')),
  'leaves out the parameters': said('{"action":"call_tool","tool_call":{"tool_id":"math.add"}}'),
  'completes without an answer': said('{"action":"complete"}'),
  'uses another key for the answer': said('{"action":"complete","answer":"It is 3."}'),
  'runs a program without a program': said(add.replace('math.add', program)),
  'writes a program in its parameters': said(run('{"code":"print(1 + 2)"}')),
  'fences a program': said(
    `${tag('decision', run('{}'))}\n${tag('code', '```python\nprint(1 + 2)\n```')}`,
  ),
  'uses a wrong parameter': said(add.replace('"a":1', '"first":1')),
  'writes its keys in another order': said(
    '{"final_answer":"It is 3.","notes":"","action":"complete"}',
  ),
  'looks up, runs a program and answers': said(
    [add, run('{"code":"print(1 + 2)"}'), done].join('\n'),
  ),
  'plans and answers': said(
    `${add.replace('math.add', 'react.plan').replace('{"a":1,"b":2}', '{"mode":"new","steps":["Add"]}')}\n${done}`,
  ),
  'writes in another language': said('答えは三です。'),
  'repeats itself': said('na '.repeat(3_000)),
  'is cut off at the output limit': {
    raw: '{"action":"complete","final_answer":"It is',
    finish: 'length',
  },
  refuses: { raw: 'I cannot help with that.', finish: 'refusal' },
};
