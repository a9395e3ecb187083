import { expect, test } from 'vitest'
import { jsoncEditor } from '../../../../../src/main/tools/editors/json'

const { mask } = jsoncEditor

test.each([
  ['a key', '{ "apiKey": "abc" }', '{ "apiKey": "[secret]" }'],
  ['a key in capitals', '{ "env": { "OPENAI_API_KEY": "abc" } }', '{ "env": { "OPENAI_API_KEY": "[secret]" } }'],
  ['a token', '{ "ANTHROPIC_AUTH_TOKEN": "abc" }', '{ "ANTHROPIC_AUTH_TOKEN": "[secret]" }'],
  ['a password that is a number', '{ "dbPassword": 1234 }', '{ "dbPassword": "[secret]" }'],
  [
    'a header',
    '{ "headers": { "Authorization": "Bearer abc", "Cookie": "s=1" } }',
    '{ "headers": { "Authorization": "[secret]", "Cookie": "[secret]" } }',
  ],
  ['a list of keys', '{ "apiKeys": ["abc", "def"] }', '{ "apiKeys": ["[secret]", "[secret]"] }'],
  ['everything below credentials', '{ "credentials": { "user": "me" } }', '{ "credentials": { "user": "[secret]" } }'],
  [
    'an argument behind its option',
    '{ "args": ["--api-key", "abc", "x"] }',
    '{ "args": ["--api-key", "[secret]", "x"] }',
  ],
  ['an argument with its option', '{ "args": ["--token=abc"] }', '{ "args": ["--token=[secret]"] }'],
  ['a key anywhere', '{ "note": "use sk-abcdef123456 now" }', '{ "note": "use [secret] now" }'],
  ['a bearer token anywhere', '{ "curl": "-H Bearer abcdef123" }', '{ "curl": "-H Bearer [secret]" }'],
  [
    'a token in a comment',
    '{ // old: "apiKey": "abc"\n /* sk-abcdef123456 */ }',
    '{ // old: "apiKey": "[secret]"\n /* [secret] */ }',
  ],
  [
    'a password in an address',
    '{ "url": "https://me:pw@host/x?token=abc&y=1" }',
    '{ "url": "https://[secret]@host/x?token=[secret]&y=1" }',
  ],
  ['a key written with escapes', '{ "note": "\\u0073k-abcdef123456" }', '{ "note": "[secret]" }'],
  ['a key behind a command', '{ "apiKey": "!echo abc" }', '{ "apiKey": "[secret]" }'],
  [
    'a key beside the command that prints ours',
    '{ "apiKey": "!x; echo abc key print --plan p --key k" }',
    '{ "apiKey": "[secret]" }',
  ],
  ['a name written with escapes', '{ "api\\u004bey": "abc" }', '{ "api\\u004bey": "[secret]" }'],
  ['a key in a helper command', '{ "apiKeyHelper": "echo sk-abcdef123456" }', '{ "apiKeyHelper": "echo [secret]" }'],
  ['a file with a byte order mark', '\uFEFF{ "key": "abc" }', '\uFEFF{ "key": "[secret]" }'],
])('%s is masked', (_name, text, maskedText) => {
  expect(mask(text)).toBe(maskedText)
})

test.each([
  ['an empty value', '{ "ANTHROPIC_API_KEY": "" }'],
  ['the name of a variable', '{ "envKey": "GW_KEY", "env_key": "GW_KEY" }'],
  ['the name of a field', '{ "maxTokensField": "max_tokens", "tokenSource": "manual" }'],
  ['a tool behind an option', '{ "auth": { "args": ["key", "print", "--relay", "codex"] } }'],
  ['a number of tokens', '{ "CLAUDE_CODE_MAX_CONTEXT_TOKENS": "128000", "max_tokens": 8192 }'],
  ['a helper command', '{ "apiKeyHelper": "/opt/companion key print --plan p --key k" }'],
  [
    'references',
    '{ "apiKey": "{env:KEY}", "token": "{file:~/k}", "secret": "$' +
      '{KEY}", "password": "$KEY", "Authorization": "Bearer {env:GH}" }',
  ],
  ['references of workflows', '{ "apiKey": "$' + '{{ secrets.GW_KEY }}" }'],
  [
    'the command that prints our key',
    '{ "apiKey": "!/opt/companion key print --plan plan-1 --key key-1", "api_key": "$(\\"C:/My Apps/c.exe\\" key print --plan p --key k)" }',
  ],
  ['ordinary settings', '{ "keybinds": { "leader": "ctrl+x" }, "author": "me", "monkey": true, "model": "gw/large" }'],
  ['places', '{ "tokenFile": "/home/me/t", "keyPath": "/x" }'],
])('%s stays unchanged', (_name, text) => {
  expect(mask(text)).toBe(text)
})

test('line breaks stay', () => {
  const text = '{\r\n  "key":\r\n    "abc",\r\n  /* token:\r\n abc */ "x": 1\r\n}\r\n'
  expect(mask(text).split('\r\n')).toHaveLength(text.split('\r\n').length)
})

test('a text of 650 kB without secrets stays as it is', () => {
  const text = JSON.stringify({ data: 'a-'.repeat(200_000), more: 'token'.repeat(50_000) })
  expect(mask(text)).toBe(text)
}, 30_000)
