import { expect, it } from 'vitest'
import {
  buildPullCommand,
  buildPushCommand,
  loginLine,
  shellWord,
  tagLine,
} from '../../../../../../src/renderer/features/platform/registry/repositories'

const image = { host: 'registry.example.com', repository: 'team/agent', tag: '1.0' }

it('produces lines that a terminal runs unchanged', () => {
  expect(loginLine({ host: 'https://registry.example.com/', kept: 'ci-push', user: 'robot$ci' })).toBe(
    "companion secret print ci-push | docker login registry.example.com --username 'robot$ci' --password-stdin",
  )
  expect(tagLine(image, 'my-agent:latest')).toBe('docker tag my-agent:latest registry.example.com/team/agent:1.0')
  expect(buildPushCommand(image)).toBe('docker push registry.example.com/team/agent:1.0')
  expect(buildPullCommand({ ...image, tag: '' })).toBe('docker pull registry.example.com/team/agent:latest')
})

it.each([
  ['plain-1.0:x/y@z', 'plain-1.0:x/y@z'],
  ['two words', "'two words'"],
  ['a; rm -rf /', "'a; rm -rf /'"],
  ["it's", "'it'\\''s'"],
  ['$(id)', "'$(id)'"],
  ['', "''"],
])('a word %s cannot become a command', (word, quoted) => {
  expect(shellWord(word)).toBe(quoted)
})
