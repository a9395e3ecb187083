import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Gives a run a temporary folder of its own, in which no test may leave anything. */
export function setup(): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'companion-unit-'))
  // The names under which Linux, macOS and Windows look for it.
  for (const name of ['TMPDIR', 'TEMP', 'TMP']) process.env[name] = folder
  return () => {
    const left = readdirSync(folder)
    rmSync(folder, { recursive: true, force: true })
    if (left.length === 0) return
    console.error(`Tests left ${left.length} in the temporary folder: ${left.join(', ')}`)
    // What is thrown here is told, but does not fail the run.
    process.exitCode = 1
  }
}
