import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { engineFlags } from '../../../../src/main/relay/engine-flags'

test('V8 knows every flag that the relay sets, by these names', () => {
  const options = execFileSync(process.execPath, ['--v8-options'], { encoding: 'utf8', maxBuffer: 16 * 1024 * 1024 })
  for (const flag of engineFlags) {
    expect(options).toContain(`\n  ${flag.replace(/=.*/, '').replace(/^--no-/, '--')} `)
  }
})
