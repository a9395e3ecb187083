import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Gives a run its own temporary folder, which tests must leave empty. */
export function setup(): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'companion-unit-'))
  // Variables for the temporary folder on Linux, macOS and Windows.
  for (const name of ['TMPDIR', 'TEMP', 'TMP']) process.env[name] = folder
  return () => {
    const remainingFiles = readdirSync(folder)
    rmSync(folder, { recursive: true, force: true })
    if (remainingFiles.length === 0) return
    console.error(`Tests left ${remainingFiles.length} in the temporary folder: ${remainingFiles.join(', ')}`)
    // Set the exit code, because an error thrown in a teardown is reported but does not fail the run.
    process.exitCode = 1
  }
}
