import { describe, expect, test } from 'vitest'
import { translateRequest } from '../../../../../src/main/relay/responses/request'

interface ChatMessage {
  readonly role: string
  readonly content: string | null
  readonly reasoning_content?: string
  readonly tool_calls?: readonly { readonly id: string; readonly function: { name: string; arguments: string } }[]
  readonly tool_call_id?: string
}

function translate(body: object): unknown {
  const translatedRequest = translateRequest(Buffer.from(JSON.stringify({ model: 'aurora', ...body })))
  return 'refusal' in translatedRequest ? translatedRequest.refusal : JSON.parse(translatedRequest.body.toString())
}

const user = (text: string) => ({ type: 'message', role: 'user', content: [{ type: 'input_text', text }] })
const tool = (name: string, extraFields: object = {}) => ({
  type: 'function',
  name,
  parameters: { type: 'object' },
  ...extraFields,
})

describe('a request', () => {
  test('keeps what both protocols support, under the other’s names', () => {
    expect(
      translate({
        instructions: 'Be brief.',
        input: 'Hi',
        stream: true,
        store: false,
        max_output_tokens: 50,
        temperature: 0,
        top_p: 0.9,
        reasoning: { effort: 'high', summary: 'auto' },
        text: {
          format: { type: 'json_schema', name: 'a', schema: { type: 'object' }, strict: true },
          verbosity: 'low',
        },
        include: ['reasoning.encrypted_content'],
      }),
    ).toEqual({
      model: 'aurora',
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'Hi' },
      ],
      stream: true,
      max_tokens: 50,
      temperature: 0,
      top_p: 0.9,
      reasoning_effort: 'high',
      response_format: { type: 'json_schema', json_schema: { name: 'a', schema: { type: 'object' }, strict: true } },
    })
  })

  test('without tools sends none of their options', () => {
    expect(translate({ input: 'Hi', tools: [], tool_choice: 'auto', reasoning: { summary: 'auto' } })).toEqual({
      model: 'aurora',
      messages: [{ role: 'user', content: 'Hi' }],
    })
  })

  test.each([
    [{ input: 'Hi', previous_response_id: 'resp_1' }, /whole conversation as its input \(previous_response_id\)/],
    [{ input: 'Hi', background: true }, /in the background/],
    [{ input: 'Hi', prompt: { id: 'pmpt_1' } }, /prompt that was stored/],
    [{ input: [{ type: 'item_reference', id: 'msg_1' }] }, /stored before/],
    [
      { input: [{ type: 'function_call_output', call_id: 'c', output: 'x' }] },
      /result of a call that is not in its input; send the whole conversation/,
    ],
    [{ input: [{ role: 'user', content: [{ type: 'input_image', file_id: 'f' }] }] }, /an image that was uploaded/],
    [{ input: [{ role: 'user', content: [{ type: 'input_file', file_url: 'u' }] }] }, /a file that was uploaded/],
    [{ input: 'Hi', tools: [tool('a')], tool_choice: { type: 'web_search' } }, /does not have \(web_search\)/],
    [{ input: 7 }, /not of the Responses protocol \(input: /],
    [{}, /cannot express no input/],
  ])('%j is refused with a message for the user', (body, pattern) => {
    expect(translate(body)).toMatch(/^The gateway of this plan speaks chat-completions, which cannot express /)
    expect(translate(body)).toMatch(pattern)
  })
})

describe('a conversation', () => {
  const messages = (input: readonly object[], extraFields: object = {}): ChatMessage[] =>
    Object(translate({ input, ...extraFields })).messages

  const assistantMessage = (text: string) => ({
    type: 'message',
    role: 'assistant',
    content: [{ type: 'output_text', text }],
  })

  test('starts with one system message, and later developer messages become user messages', () => {
    const developer = (text: string) => ({ ...user(text), role: 'developer' })
    const input = [developer('a'), developer('b'), user('c'), developer('d')]
    expect(messages(input, { instructions: 'first' })).toEqual([
      { role: 'system', content: 'first\n\na\n\nb' },
      { role: 'user', content: 'c' },
      { role: 'user', content: 'd' },
    ])
  })

  const call = (call_id: string, name = 'ls') => ({ type: 'function_call', call_id, name, arguments: '{}' })
  const output = (call_id: string, text: unknown) => ({ type: 'function_call_output', call_id, output: text })
  const sealed = { type: 'reasoning', summary: [], encrypted_content: 'sealed' }

  test('has calls of type function, with their results', () => {
    const toolCall = { id: '1', type: 'function', function: { name: 'ls', arguments: '{"a":1}' } }
    expect(messages([{ ...call('1'), arguments: '{"a":1}' }, output('1', { odd: true })])).toEqual([
      { role: 'assistant', content: null, tool_calls: [toolCall] },
      { role: 'tool', tool_call_id: '1', content: '{"odd":true}' },
    ])
  })

  const reasoningItem = (text: string) => ({
    type: 'reasoning',
    id: 'rs_1',
    summary: [],
    encrypted_content: null,
    content: [{ type: 'reasoning_text', text }],
  })
  const summary = { type: 'reasoning', summary: [{ type: 'summary_text', text: 'in short' }], encrypted_content: 'x' }
  /** A chat message in one line: its role, text, thoughts and calls. */
  const toLine = ({ role, content, reasoning_content, tool_calls = [], tool_call_id, ...others }: ChatMessage) => {
    const calls = tool_calls.map(
      (toolCall) => ` → ${toolCall.id} ${toolCall.function.name} ${toolCall.function.arguments}`,
    )
    const thoughts = reasoning_content === undefined ? '' : ` [${reasoning_content}]`
    expect(others).toEqual({})
    return `${role}${tool_call_id ? ` ${tool_call_id}` : ''}: ${content}${thoughts}${calls.join('')}`
  }
  const interrupted = 'tool c1: no result: interrupted'

  test.each<[string, readonly object[], readonly string[]]>([
    [
      'thoughts on the message with the call that follows',
      [reasoningItem('plan it'), call('c1'), output('c1', 'a.txt')],
      ['assistant: null [plan it] → c1 ls {}', 'tool c1: a.txt'],
    ],
    [
      'thoughts on the words that follow, and those after them on the same message as the call',
      [reasoningItem('one'), assistantMessage('Let me see.'), reasoningItem('two'), call('c1'), output('c1', 'x')],
      ['assistant: Let me see. [one\n\ntwo] → c1 ls {}', 'tool c1: x'],
    ],
    [
      'thoughts of each turn on its own message',
      [
        reasoningItem('one'),
        call('c1'),
        output('c1', 'x'),
        reasoningItem('two'),
        reasoningItem('three'),
        assistantMessage('Done.'),
      ],
      ['assistant: null [one] → c1 ls {}', 'tool c1: x', 'assistant: Done. [two\n\nthree]'],
    ],
    ['the summary of sealed thoughts', [summary, assistantMessage('Hi')], ['assistant: Hi [in short]']],
    ['no thoughts that nothing followed', [reasoningItem('lost'), user('stop')], ['user: stop']],
    [
      'results of two turns with the same call id at their own calls',
      [
        call('call_0'),
        output('call_0', 'one'),
        assistantMessage('ok'),
        user('next'),
        call('call_0', 'cat'),
        output('call_0', 'two'),
      ],
      [
        'assistant: null → call_0 ls {}',
        'tool call_0: one',
        'assistant: ok',
        'user: next',
        'assistant: null → call_0 cat {}',
        'tool call_0: two',
      ],
    ],
    [
      'a stand-in for a call without a result, also before a later call of the same id',
      [call('c1'), user('never mind'), call('c1', 'cat'), output('c1', 'late')],
      ['assistant: null → c1 ls {}', interrupted, 'user: never mind', 'assistant: null → c1 cat {}', 'tool c1: late'],
    ],
    [
      'names for calls without an id',
      [call(''), call('', 'cat'), output('', 'one'), output('', 'two')],
      ['assistant: null → call ls {} → call_1 cat {}', 'tool call: one', 'tool call_1: two'],
    ],
    [
      'ids for two consecutive calls with the same one',
      [call('c'), call('c', 'cat'), output('c', 'one'), output('c', 'two')],
      ['assistant: null → c ls {} → c_1 cat {}', 'tool c: one', 'tool c_1: two'],
    ],
    [
      'the second of two results for one call as words of the user',
      [call('c1'), output('c1', 'one'), output('c1', 'two')],
      ['assistant: null → c1 ls {}', 'tool c1: one', 'user: Result of an earlier tool call (c1):\ntwo'],
    ],
    [
      'a result before its call as words of the user',
      [output('c1', 'early'), call('c1')],
      ['user: Result of an earlier tool call (c1):\nearly', 'assistant: null → c1 ls {}', interrupted],
    ],
    [
      'calls and results of free text and of the shell',
      [
        { type: 'custom_tool_call', call_id: 'c1', name: 'apply_patch', input: '*** Begin' },
        { type: 'custom_tool_call_output', call_id: 'c1', output: 'Done.' },
        { type: 'local_shell_call', id: 'lsh_1', call_id: 'c2', action: { type: 'exec', command: ['ls'], env: {} } },
        { type: 'local_shell_call_output', id: 'c2', output: '{"output":"a"}' },
      ],
      [
        'assistant: null → c1 apply_patch {"input":"*** Begin"}',
        'tool c1: Done.',
        'assistant: null → c2 local_shell {"command":["ls"]}',
        'tool c2: {"output":"a"}',
      ],
    ],
    [
      'arguments that are an object as text',
      [{ ...call('c1'), arguments: { a: 1 } }, output('c1', 'one')],
      ['assistant: null → c1 ls {"a":1}', 'tool c1: one'],
    ],
    [
      'none of the calls that only the vendor’s service runs',
      [
        { type: 'web_search_call', id: 'ws_1', status: 'completed' },
        { type: 'mcp_call', id: 'm1', name: 'a', server_label: 's', arguments: '{}', output: 'y' },
        assistantMessage('Done.'),
      ],
      ['assistant: Done.'],
    ],
    [
      'consecutive calls on the preceding text, followed by their results',
      [
        sealed,
        assistantMessage('Let me see.'),
        call('1'),
        sealed,
        call('2', 'cat'),
        user('wait'),
        output('2', 'two'),
        output('1', [{ type: 'input_text', text: 'one' }]),
      ],
      ['assistant: Let me see. → 1 ls {} → 2 cat {}', 'tool 1: one', 'tool 2: two', 'user: wait'],
    ],
  ])('has %s', (_, input, expected) => {
    expect(messages([user('x'), ...input]).map(toLine)).toEqual(['user: x', ...expected])
  })

  test('contains images, with those of a tool after its result', () => {
    const image = { type: 'input_image', image_url: 'data:image/png;base64,AA==', detail: 'high' }
    const imagePart = { type: 'image_url', image_url: { url: image.image_url, detail: 'high' } }
    const functionCall = { type: 'function_call', call_id: '1', name: 'view', arguments: '' }
    const functionOutput = { type: 'function_call_output', call_id: '1', output: [image] }
    const userMessage = { role: 'user', content: [{ type: 'input_text', text: 'this?' }, image] }
    expect(messages([userMessage, functionCall, functionOutput])).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'this?' }, imagePart] },
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: '1', type: 'function', function: { name: 'view', arguments: '{}' } }],
      },
      { role: 'tool', tool_call_id: '1', content: 'See below.' },
      { role: 'user', content: [imagePart] },
    ])
  })
})

describe('tools', () => {
  const grammar = { type: 'grammar', syntax: 'lark', definition: 'start: "*** Begin Patch"' }
  const offeredTools = [
    tool('exec', { description: 'Runs.', strict: true }),
    { type: 'custom', name: 'apply_patch', description: 'Edits files.', format: grammar },
    { type: 'namespace', name: 'agents', description: 'd', tools: [tool('close', { strict: false })] },
    { type: 'local_shell' },
    { type: 'web_search' },
  ]
  const chat = (overrides: object = {}) => Object(translate({ input: 'Hi', tools: offeredTools, ...overrides }))
  const names = (body: { tools: { function: { name: string } }[] }) => body.tools.map((item) => item.function.name)

  test('become functions: free text is one argument, a namespace is part of the name, and built-in tools are omitted', () => {
    const body = chat({ tool_choice: 'required', parallel_tool_calls: false })
    expect(names(body)).toEqual(['exec', 'apply_patch', 'agents__close', 'local_shell'])
    expect(body.tools[0].function).toEqual({
      name: 'exec',
      description: 'Runs.',
      strict: true,
      parameters: { type: 'object', properties: {} },
    })
    expect(body.tools[1].function.description).toContain('lark grammar:\n\nstart: "*** Begin Patch"')
    expect(body.tools[1].function.parameters).toMatchObject({ required: ['input'] })
    expect(body).toMatchObject({ tool_choice: 'required', parallel_tool_calls: false })
  })

  test.each<[string, unknown, object?]>([
    ['null', null],
    ['missing', undefined],
    ['a text', 'object'],
    ['a list', []],
    ['with a list of properties', { type: 'object', properties: [] }],
    ['with properties only required', { type: 'object', required: ['x'] }, { required: ['x'] }],
    [
      'a reference',
      { $ref: '#/$defs/A', $defs: { A: { type: 'object' } } },
      { $ref: '#/$defs/A', $defs: { A: { type: 'object' } } },
    ],
    [
      'of any type',
      { anyOf: [{ type: 'object' }, { type: 'null' }] },
      { anyOf: [{ type: 'object' }, { type: 'null' }] },
    ],
    ['of type string', { type: 'string' }],
    ['with null members', { type: 'object', required: null, properties: null, description: null }],
    ['of type null', { type: null, properties: { x: {} } }, { properties: { x: {} } }],
    ['of several types', { type: ['object', 'null'], required: ['x'] }, { required: ['x'] }],
    [
      'without a type',
      { properties: { x: { type: 'string' } }, required: ['x'] },
      { properties: { x: { type: 'string' } }, required: ['x'] },
    ],
  ])('have parameters of type object when they are %s', (_, parameters, expected = {}) => {
    const body = chat({ tools: [tool('a', { parameters })] })
    expect(body.tools[0].function.parameters).toEqual({ type: 'object', properties: {}, ...expected })
  })

  test('in an item of the input are included as well', () => {
    const input = [{ type: 'additional_tools', role: 'developer', tools: [tool('late')] }, user('Hi')]
    expect(names(chat({ input }))).toContain('late')
  })

  test('can be selected by name, or restricted to a list', () => {
    expect(chat({ tool_choice: { type: 'custom', name: 'apply_patch' } }).tool_choice).toEqual({
      type: 'function',
      function: { name: 'apply_patch' },
    })
    const allowedToolsChoice = { type: 'allowed_tools', mode: 'required', tools: [{ type: 'function', name: 'exec' }] }
    const body = chat({ tool_choice: allowedToolsChoice })
    expect([names(body), body.tool_choice]).toEqual([['exec'], 'required'])
  })

  test('have unique names that every gateway accepts', () => {
    const buildLongNamedTool = (end: string) => tool(`${'x'.repeat(70)}${end}`)
    const [a, b, c] = names(chat({ tools: [buildLongNamedTool('1'), buildLongNamedTool('2'), tool('mit.punkt')] }))
    for (const name of [a, b, c]) expect(name).toMatch(/^[\w-]{1,64}$/)
    expect(new Set([a, b, c]).size).toBe(3)
  })
})
