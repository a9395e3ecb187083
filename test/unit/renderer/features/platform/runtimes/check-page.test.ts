import { expect, test } from 'vitest'
import { checkLine } from '../../../../../../src/renderer/features/platform/runtimes/check-page'

const empty = { url: 'http://127.0.0.1:8080', userId: '', sessionId: '', samplePath: '', sampleBody: '' }

test.each([
  ['nothing but the address', {}, 'companion contract check http://127.0.0.1:8080'],
  [
    'everything, quoted for a shell',
    { userId: 'u-1', sessionId: 'a b', samplePath: '/chat?x=1', sampleBody: `{"it's":1}` },
    `companion contract check http://127.0.0.1:8080 --path '/chat?x=1' --user u-1 --session 'a b' --body '{"it'\\''s":1}'`,
  ],
])('describes %s', (_, part, line) => {
  expect(checkLine({ ...empty, ...part })).toBe(line)
})
