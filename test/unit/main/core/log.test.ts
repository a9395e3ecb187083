import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createLog } from '../../../../src/main/core/log'
import { makeFolder } from '../../support/folders'

const readLog = (dataDir: string): string => readFileSync(join(dataDir, 'logs', 'companion.log'), 'utf8')

it('writes one line per event, without keys and tokens', () => {
  const dataDir = makeFolder()
  const log = createLog(dataDir)
  log.info('asked', { header: 'Bearer abcdefghijklmnopqrstuvwxyz', text: 'sk-canary-0123456789abcdefghij' })
  log.error('failed', new Error('key sk-canary-0123456789abcdefghij was refused'))
  expect(readLog(dataDir).trim().split('\n')).toHaveLength(2)
  expect(readLog(dataDir)).not.toMatch(/canary-0123|klmnop/)
  expect(statSync(join(dataDir, 'logs', 'companion.log')).mode & 0o777).toBe(0o600)
})

it('starts a new file when one is large, and keeps the previous one', () => {
  const dataDir = makeFolder()
  const log = createLog(dataDir)
  log.info('first')
  writeFileSync(join(dataDir, 'logs', 'companion.log'), 'x'.repeat(1_000_001))
  log.info('second')
  expect(readdirSync(join(dataDir, 'logs')).sort()).toEqual(['companion.log', 'companion.log.1'])
  expect(readLog(dataDir)).toContain('second')
})

it('does not stop the app when it cannot write', () => {
  const dataDir = join(makeFolder(), 'file')
  writeFileSync(dataDir, '')
  expect(() => createLog(dataDir).info('lost')).not.toThrow()
})
